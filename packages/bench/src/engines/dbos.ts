/**
 * A payment as a workflow of DBOS, whose one step is the transaction of the baseline. The workflow has the number of
 * the order, so it runs once; its checkpoints are in a schema of the same database. What a step does may happen twice
 * after a crash, and the state of the order decides then.
 */

type Work<Args extends ReadonlyArray<unknown>, A> = (...args: Args) => Promise<A>

/** What is used of the package, which the repository does not install (`install.ts`). */
interface Dbos {
  readonly setConfig: (config: object) => void
  readonly registerWorkflow: <W>(work: W, config: { readonly name: string }) => W
  readonly runStep: <A>(work: () => Promise<A>, config: { readonly name: string }) => Promise<A>
  readonly startWorkflow: <Args extends ReadonlyArray<unknown>, A>(
    work: Work<Args, A>,
    options: { readonly workflowID: string }
  ) => (...args: Args) => Promise<{ readonly getResult: () => Promise<A> }>
  readonly launch: () => Promise<void>
}

/** `pay` in a workflow that has the second argument as its number. */
export const durably = async <Args extends readonly [merchant: unknown, tradeNo: string, ...more: Array<unknown>], A>(
  databaseUrl: string,
  pay: Work<Args, A>
): Promise<Work<Args, A>> => {
  const name = "@dbos-inc/dbos-sdk"
  const { DBOS } = (await import(name)) as { readonly DBOS: Dbos }
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: databaseUrl,
    // Beside the 24 of the step's transactions.
    systemDatabasePoolSize: 20,
    logLevel: "error",
    applicationVersion: "1"
  })
  const workflow = DBOS.registerWorkflow((...args: Args) => DBOS.runStep(() => pay(...args), { name: "pay" }), {
    name: "pay"
  })
  await DBOS.launch()
  return async (...args) => (await DBOS.startWorkflow(workflow, { workflowID: args[1] })(...args)).getResult()
}
