/** Many concurrent refunds of one order: in any order of arrival, the money is paid once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeRetrying } from "../../kit/callers/retrying.ts"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { merchantOf } from "../../kit/Merchant.ts"
import { seeded } from "../../kit/Process.ts"
import { start } from "../../kit/Service.ts"
import { rounds } from "../../kit/run/soak.ts"

const races = rounds(2, 20)
const parallel = rounds(400, 1_000)
const amount = 100_000

interface Asked {
  readonly out_refund_no: string
  readonly amount: number
}

/** Mixed amounts, three times what the order has; each number twice, in an order of their own. */
const drawn = (draw: (below: number) => number): ReadonlyArray<Asked> => {
  const once = Array.from({ length: parallel / 2 }, (_, index) => ({
    out_refund_no: `r-${index}`,
    amount: 1 + draw((6 * amount) / (parallel / 2))
  }))
  return [...once, ...once]
    .map((asked) => [draw(1 << 30), asked] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, asked]) => asked)
}

describe("concurrent refunds exceed the capture", () => {
  it.live(
    `never: ${parallel} at once, half of them repeats, ${races} times; accepted once each, and no more than the order`,
    () =>
      Effect.gen(function* () {
        const service = yield* start({ clock: "test" })
        const shop = merchantOf(service)
        const retrying = yield* makeRetrying(service.pass("1 second"))
        yield* shop.paid(races * amount)
        const draw = seeded(7)
        for (let round = 1; round <= races; round++) {
          const method = round % 2 === 0 ? "card" : "alipay"
          const { trade_no } = yield* shop.paid(amount, {}, method)
          const asked = drawn(draw).map((one) => ({ ...one, out_refund_no: `${round}-${one.out_refund_no}` }))
          const replies = yield* Effect.forEach(
            asked,
            (one) => Effect.map(retrying(shop.refund({ trade_no, ...one })), (reply) => ({ one, reply })),
            { concurrency: "unbounded" }
          )

          const accepted = new Map<string, Set<string>>()
          let created = 0
          for (const { one, reply } of replies) {
            if (reply.status >= 300) {
              // One that comes after the last has succeeded finds the order refunded, and no other conflict.
              const isLate = reply.headers.get("coffer-reason") === "nothing_left"
              assert.strictEqual(reply.body.error, isLate ? "conflict" : "invalid_request", reply.text)
              continue
            }
            if (reply.status !== 200) created++
            const numbers = accepted.get(one.out_refund_no) ?? new Set()
            accepted.set(one.out_refund_no, numbers.add(reply.body.data.refund_no))
          }
          assert.isTrue(
            [...accepted.values()].every(({ size }) => size === 1),
            "one refund for each number"
          )
          assert.isAtMost(created, accepted.size)
          // On a slow machine the bank's answer to one may be late. It is asked again after 30 s.
          yield* service.pass("40 seconds")
          const [books] = yield* service.sql<{ asked: number; moved: number; rows: number }>`select
            (select coalesce(sum(amount), 0)::int4 from refunds where trade_no = ${trade_no}
              and status in ('reserved', 'pending', 'succeeded')) as asked,
            (select coalesce(sum(r.amount), 0)::int4 from sandbox_refunds r join sandbox_payments p using (payment_id)
              where p.trade_no = ${trade_no}) as moved,
            (select count(*)::int4 from refunds where trade_no = ${trade_no}
              and status in ('reserved', 'pending', 'succeeded')) as rows`
          assert.isAtMost(books!.asked, amount)
          assert.strictEqual(books!.moved, books!.asked, "the bank moved what was accepted, and nothing else")
          assert.strictEqual(books!.rows, accepted.size)
          // Only what would not have fitted was refused.
          const smallest = Math.min(...replies.filter(({ reply }) => reply.status === 400).map(({ one }) => one.amount))
          assert.isAbove(smallest, amount - books!.asked)
        }
        yield* assertLedgerWhole(service.sql)
      })
  )
})
