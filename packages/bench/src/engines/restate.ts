/**
 * Payments by Restate: its server, which keeps all state and is called by the driver, and this process, which it calls
 * for each payment. A wallet is a virtual object, so its payments run one after another. A payment writes what Coffer's
 * writes, as state of the object: the paid order, two chained rows of the ledger, the wallet, and the event. Restate
 * knows no other orders, so their terms come with the call. There are no API logs, lists or webhooks.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createServer } from "node:http2"
import { once } from "node:events"
import path from "node:path"
import { newId } from "../rivals/ids.ts"
import type { OrderRow } from "../rivals/orderRows.ts"
import { post, type WalletRow } from "../baseline/posting.ts"
import { freePort } from "../stage/Sides.ts"

/** What is used of the package, which the repository does not install (`install.ts`). */
interface Restate {
  readonly object: (declared: object) => object
  readonly createEndpointHandler: (options: { readonly services: ReadonlyArray<object> }) => () => void
  readonly TerminalError: new (message: string, options: { readonly errorCode: number }) => Error
}
interface Context {
  readonly key: string
  readonly get: <A>(name: string) => Promise<A | null>
  readonly set: (name: string, value: unknown) => void
  readonly date: { readonly now: () => Promise<number> }
  readonly run: <A>(name: string, work: () => A) => Promise<A>
}

export interface RestatePayment {
  readonly trade_no: string
  readonly amount: number
  readonly payment_method: string
}

const sdk = "@restatedev/restate-sdk"
const restate = (await import(sdk)) as Restate

const newWallet = (wallet_id: string): WalletRow => ({
  wallet_id,
  sequence: 0,
  available: 0,
  frozen: 0,
  total_revenue: 0,
  total_fee: 0,
  head_id: "",
  head_hash: ""
})

const pay = async (context: Context, { amount, payment_method, trade_no }: RestatePayment) => {
  if ((await context.get(trade_no)) !== null) {
    throw new restate.TerminalError("The order is no longer pending.", { errorCode: 409 })
  }
  const wallet = (await context.get<WalletRow>("wallet")) ?? newWallet(context.key)
  // What differs from one try to the next is journaled.
  const made = await context.run("made", () => {
    const at = new Date().toISOString()
    const terms = { trade_no, amount, currency: "USD", merchant_id: context.key, mode: "sandbox" }
    const fee = Math.round(amount * 0.029)
    const { rows, wallet: after } = post(wallet, terms as unknown as OrderRow, fee, at)
    const order = { ...terms, payment_method, fee, status: "paid", payment_id: newId("pay_"), paid_at: at }
    return { order, rows, after, event: { event_id: newId("evt_"), type: "payment.succeeded", data: order } }
  })
  const [, sequence, available, total_revenue, total_fee, head_id, head_hash] = made.after as Array<never>
  context.set(trade_no, made.order)
  context.set(`ledger ${sequence}`, made.rows)
  context.set("wallet", { ...wallet, sequence, available, total_revenue, total_fee, head_id, head_hash })
  context.set(made.event.event_id, made.event)
  return made.order
}

const wallets = restate.object({
  name: "wallet",
  handlers: { pay, isReady: () => Promise.resolve("yes") },
  // Otherwise each call brings the whole state of the wallet.
  options: { enableLazyState: true }
})

const port = await freePort()
createServer(restate.createEndpointHandler({ services: [wallets] })).listen(port, "127.0.0.1")

const [admin, node] = [await freePort(), await freePort()]
const server: ChildProcess = spawn(
  path.join(import.meta.dirname, "node_modules/.bin/restate-server"),
  ["--no-logo", "--listen-mode", "tcp", "--bind-ip", "127.0.0.1", "--bind-port", String(node)],
  {
    env: {
      PATH: process.env["PATH"],
      RESTATE_BASE_DIR: path.join(process.env["COFFER_HOME"]!, "restate"),
      RESTATE_CLUSTER_NAME: "bench",
      RESTATE_DEFAULT_NUM_PARTITIONS: "4",
      DO_NOT_TRACK: "1",
      RESTATE_LOG_FILTER: "error",
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_INGRESS__BIND_PORT: process.env["PORT"]
    },
    stdio: ["ignore", "ignore", "inherit"]
  }
)
process.on("SIGTERM", () => server.kill("SIGTERM"))
void once(server, "exit").then(() => process.exit(0))

/** The server calls this process at its address. */
const register = async () => {
  for (const end = performance.now() + 50_000; ;) {
    try {
      const answer = await fetch(`http://127.0.0.1:${admin}/deployments`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ uri: `http://127.0.0.1:${port}` })
      })
      if (answer.ok) return
      throw new Error(await answer.text())
    } catch (cause) {
      if (performance.now() > end) throw cause
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}
await register()
