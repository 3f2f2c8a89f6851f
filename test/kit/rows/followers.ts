/** Readers who follow a list: each asks for what is newer than the newest row that it has seen. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { answered, type Coffer } from "../Process.ts"

export interface List {
  readonly path: string
  readonly key: string
  readonly table: string
  /** Rows that no list ever shows. */
  readonly hidden?: string
}

export const lists: ReadonlyArray<List> = [
  { path: "orders", key: "trade_no", table: "orders" },
  { path: "refunds", key: "refund_no", table: "refunds", hidden: "status = 'void'" },
  { path: "disputes", key: "dispute_no", table: "disputes" },
  { path: "balance_transactions", key: "id", table: "ledger" },
  { path: "payment_links", key: "link_id", table: "payment_links" },
  { path: "events", key: "id", table: "events" },
  { path: "webhook_deliveries", key: "id", table: "deliveries" },
  { path: "logs", key: "request_id", table: "api_logs" }
]

type Row = Readonly<Record<string, string>>

/** Asks again until there is an answer: a runner may be killed, or its database busy. */
const ask = (nodes: ReadonlyArray<Coffer>, draw: (limit: number) => number, key: string, path: string) =>
  Effect.gen(function* () {
    while (true) {
      const reply = yield* answered(nodes[draw(nodes.length)]!.api.get(path, key))
      if (reply?.status === 200) return reply.body.data as { data: ReadonlyArray<Row>; has_more: boolean }
      assert.include([undefined, 503], reply?.status, reply?.text)
      yield* Effect.sleep("20 millis")
    }
  })

export interface Follower {
  readonly name: string
  readonly list: List
  readonly seen: Set<string>
  readonly first: string
  readonly last: () => string
  readonly look: Effect.Effect<void>
}

export const makeFollower = Effect.fnUntraced(function* (
  nodes: ReadonlyArray<Coffer>,
  draw: (limit: number) => number,
  key: string,
  list: List,
  by: "ending_before" | "created[gte]"
) {
  const page = (query: string) => ask(nodes, draw, key, `/v1/${list.path}?${query}`)
  let first: Row | undefined
  while (first === undefined) first = (yield* page("limit=1")).data[0]
  let last = first
  const seen = new Set<string>()
  const take = (rows: ReadonlyArray<Row>) => {
    for (const row of rows) seen.add(row[list.key]!)
    if (rows[0] !== undefined && rows[0][list.key]! > last[list.key]!) last = rows[0]
  }
  const look =
    by === "ending_before"
      ? Effect.map(
          Effect.suspend(() => page(`limit=100&ending_before=${last[list.key]}`)),
          ({ data }) => take(data)
        )
      : Effect.gen(function* () {
          const from = last["created_at"]!
          let after = ""
          while (true) {
            const { data, has_more } = yield* page(`limit=100&created[gte]=${from}${after}`)
            take(data)
            if (!has_more) return
            after = `&starting_after=${data.at(-1)![list.key]}`
          }
        })
  const follower: Follower = {
    name: `${list.path} by ${by}`,
    list,
    seen,
    first: first[list.key]!,
    last: () => last[list.key]!,
    look
  }
  return follower
})

/** The rows between the first and the last that the follower has seen, which it has not seen. */
export const missedBy = (sql: SqlClient.SqlClient, merchantId: string, { first, last, list, seen }: Follower) =>
  Effect.map(
    sql<{ id: string }>`select ${sql(list.key)} as id from ${sql(list.table)} where merchant_id = ${merchantId}
      and mode = 'sandbox' and ${sql(list.key)} > ${first} and ${sql(list.key)} <= ${last()}
      and not (${sql.literal(list.hidden ?? "false")})`,
    (rows) => rows.map(({ id }) => id).filter((id) => !seen.has(id))
  )

/** The newest that is there. */
export const newestOf = (sql: SqlClient.SqlClient, merchantId: string, { key, table }: List) =>
  Effect.map(
    sql<{ id: string | null }>`select max(${sql(key)}) as id from ${sql(table)}
      where merchant_id = ${merchantId} and mode = 'sandbox'`,
    ([row]) => row?.id ?? ""
  )
