/** The rows that Postgres reads for a query: the statements that it sends are run once more under `explain analyze`. */
import { Effect } from "effect"
import { type SqlClient, Statement } from "effect/sql"

export interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly Plans?: ReadonlyArray<Node>
}

export interface Explained {
  readonly text: string
  /** The node at the root of its plan and all below it. */
  readonly nodes: ReadonlyArray<Node>
}

/** The query's answer, and the plan of each of its statements. */
export const explained = Effect.fnUntraced(function* <A, E, R>(
  sql: SqlClient.SqlClient,
  query: Effect.Effect<A, E, R>
) {
  // A row that was never shown before raises the owner's horizon, and is read twice (`ListHorizon.ts`).
  yield* query
  const sent: Array<ReturnType<Statement.Statement<unknown>["compile"]>> = []
  const result = yield* Effect.provideService(query, Statement.CurrentTransformer, (statement) =>
    Effect.sync(() => {
      sent.push(statement.compile())
      return statement
    })
  )
  const plans = yield* Effect.forEach(sent, ([text, params]) =>
    Effect.map(
      sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ readonly Plan: Node }> }>(
        `explain (analyze, timing off, format json) ${text}`,
        params
      ),
      ([row]): Explained => ({ text, nodes: nodesOf(row!["QUERY PLAN"][0]!.Plan) })
    )
  )
  return { result, plans }
})

const nodesOf = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

export const scansIn = (plans: ReadonlyArray<Explained>): ReadonlyArray<Node> =>
  plans.flatMap(({ nodes }) => nodes).filter((node) => node["Relation Name"] !== undefined)

/** Rows that were taken from tables and indexes, also those that no condition kept. */
export const rowsRead = (scans: ReadonlyArray<Node>): number =>
  scans.reduce(
    (sum, node) =>
      sum +
      node["Actual Loops"] *
        (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0)),
    0
  )
