/**
 * The connection breaks when the sandbox's bank has written a step, before its answer is read. It is unknown then what
 * the bank has done, and no caller may be answered that it did nothing (silences: R8, D16).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { cable } from "../../kit/servers/Cable.ts"
import { disputed } from "../../kit/stories/disputed.ts"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { merchantOf } from "../../kit/Merchant.ts"
import { freshDatabase, start } from "../../kit/Service.ts"

const opened = Effect.gen(function* () {
  const wire = yield* cable(yield* freshDatabase)
  return { wire, service: yield* start({ clock: "test", database: wire.url }) }
})

describe("a step that the bank has taken, and whose answer is lost", () => {
  it.live("is a pending refund, which succeeds when the bank is asked again, and is paid back once", () =>
    Effect.gen(function* () {
      const { service, wire } = yield* opened
      const shop = merchantOf(service)
      yield* shop.paid(100_000)
      const { trade_no } = yield* shop.paid(1_000, {}, "alipay")
      wire.loseAnswer("insert into sandbox_refunds", "INSERT 0 1")
      const refund = yield* shop.refund({ trade_no, amount: 400, out_refund_no: "r" })
      assert.deepStrictEqual([refund.status, refund.body.data.status], [202, "pending"])
      yield* service.pass("5 minutes")
      assert.strictEqual((yield* shop.get("/v1/refunds/r")).body.data.status, "succeeded")
      assert.strictEqual((yield* service.sql`select 1 from sandbox_refunds`).length, 1)
      yield* assertLedgerWhole(service.sql)
    })
  )

  for (const [what, text, ask, after] of [
    ["submitted evidence", "submitted_at = case", "respond", "under_review"],
    ["an acceptance", "lost_at = case", "accept", "lost"]
  ] as const) {
    it.live(`is ${what}, which the merchant may not change, and the bank is asked again`, () =>
      Effect.gen(function* () {
        const { service, wire } = yield* opened
        const dispute = yield* disputed(service)
        wire.loseAnswer(text, "UPDATE 1")
        const sent = yield* ask === "respond"
          ? dispute.respond({ evidence: { customer_name: "A" }, submit: true })
          : dispute.accept()
        assert.strictEqual(sent.status, 200, sent.text)
        const other = yield* dispute.respond({ evidence: { customer_name: "B" } })
        assert.strictEqual(other.status, 409, other.text)
        yield* service.pass("5 minutes")
        assert.strictEqual((yield* dispute.read).status, after)
        yield* dispute.whole
      })
    )
  }
})
