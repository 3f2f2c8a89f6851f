/** The acts of the chaos test's merchants all the time, and what must be so when all has ended. */
import { request as requestOf, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { assertLedgerWhole } from "../ledger.ts"
import { eventually } from "../Process.ts"
import { type Act, assertAllThere, type Node, type SteadyLoad } from "./SteadyLoad.ts"

/** A merchant's server, which notes which events arrived. */
export const receiver = Effect.gen(function* () {
  const events = new Set<string>()
  const server = createServer((request, response) => {
    events.add(String(request.headers["x-service-event-id"]))
    request.resume().on("end", () => response.end())
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  return { events, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
})

/** A buyer opens a link. Without a key a lost answer is an order without a known caller. */
const visit = (port: number, path: string, ip: string) =>
  new Promise<void>((resolve) => {
    const asked = requestOf(
      { host: "127.0.0.1", port, path, agent: false, timeout: 12_000, headers: { "X-Forwarded-For": ip } },
      (response) => response.resume().on("close", () => resolve())
    )
    asked.on("timeout", () => asked.destroy())
    asked.on("error", () => resolve())
    asked.end()
  })

export const chaosActs = (
  nodes: () => ReadonlyArray<Node>,
  draw: (limit: number) => number,
  notifyUrl: string
): Act => {
  const paid = async (write: Parameters<Act>[0], own: string) => {
    const order = await write("create", "/v1/orders", { amount: 1_000, out_trade_no: `o${own}`, notify_url: notifyUrl })
    if (order === undefined) return undefined
    const settled = await write("pay", `/v1/test_helpers/orders/${order.trade_no}/pay`, {})
    return settled?.trade_no as string | undefined
  }
  const acts: ReadonlyArray<Act> = [
    async (write, own) => void (await paid(write, own)),
    async (write, own) => {
      const tradeNo = await paid(write, own)
      if (tradeNo !== undefined) await write("refund", "/v1/refunds", { trade_no: tradeNo, amount: 300 })
    },
    async (write, own) => {
      const tradeNo = await paid(write, own)
      if (tradeNo === undefined) return
      const opened = await write("dispute", `/v1/test_helpers/orders/${tradeNo}/dispute`, { amount: 300 })
      if (opened === undefined) return
      await write("resolve", `/v1/test_helpers/disputes/${opened.dispute_no}/resolve`, { outcome: "won" })
    },
    async (write) => {
      const link = await write("link", "/v1/payment_links", { amount: 100, max_uses: 2 })
      if (link === undefined) return
      for (let buyer = 0; buyer < 3; buyer++) {
        const node = nodes()[draw(nodes().length)]!
        await visit(node.port, new URL(link.url).pathname, `198.51.${draw(256)}.${draw(256)}`)
      }
    }
  ]
  return (write, own) => acts[Math.max(0, draw(6) - 2)]!(write, own)
}

const none = (sql: SqlClient.SqlClient, what: string, from: string) =>
  eventually(
    what,
    Effect.map(sql.unsafe(`select 1 from ${from} limit 1`), ({ length }) => length === 0),
    "4 minutes"
  )

/** Nothing is lost, doubled or stuck. */
export const assertAllWell = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  load: SteadyLoad,
  arrived: ReadonlySet<string>
) {
  yield* assertAllThere(sql, load)
  yield* none(sql, "every delivery to be made", "deliveries where status = 'pending'")
  yield* none(sql, "every refund to be settled", "refunds where status in ('reserved', 'pending')")
  yield* none(sql, "no key to be held any more", "idempotency_keys where state = 'running' and lease_until > now()")
  const failed = yield* sql`select event_id, status from deliveries where status <> 'succeeded'`
  assert.deepStrictEqual(failed, [])
  const sent = yield* sql<{ id: string }>`select event_id as id from deliveries`
  assert.deepStrictEqual(
    sent.filter(({ id }) => !arrived.has(id)),
    [],
    "events that never arrived"
  )
  const silent = yield* sql`select e.id from events e join orders o on o.trade_no = e.object_id
    where e.type = 'payment.succeeded' and o.notify_url is not null
      and not exists (select from deliveries d where d.event_id = e.id)`
  assert.deepStrictEqual(silent, [], "payments without a delivery")
  for (const [kind, table, number] of [
    // A void refund is one that the bank did not take, as when it could not be asked: the answer was 502.
    ["refund", "refunds where status <> 'void'", "refund_no"],
    ["dispute", "disputes", "dispute_no"],
    ["link", "payment_links", "link_id"]
  ] as const) {
    const rows = yield* sql.unsafe<{ no: string }>(`select ${number} as no from ${table}`)
    const there = rows.map(({ no }) => no).toSorted()
    const told = load.acknowledged.filter((each) => each.kind === kind).map(({ no }) => no)
    assert.deepStrictEqual(told.toSorted(), there, `each ${kind} that was acknowledged is there once`)
  }
  const twice = yield* sql`select trade_no from refunds where status <> 'void' group by 1 having count(*) > 1`
  assert.deepStrictEqual(twice, [], "orders that were refunded twice")
  const over = yield* sql`select l.link_id from payment_links l where l.used_count <>
    (select count(*) from orders o where o.out_trade_no like l.link_id || '\\_%') or l.used_count > l.max_uses`
  assert.deepStrictEqual(over, [], "links that were used too often, or miss an order")
  yield* assertLedgerWhole(sql)
})
