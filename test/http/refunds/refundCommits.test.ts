/**
 * A refund that the channel answers at once is two commits: the promise, and the end with the row of the sandbox's bank
 * (docs/decisions/0006). The bank's row is there exactly when the refund has succeeded.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { blocking } from "../../kit/faults/Faults.ts"
import { trap } from "../../kit/faults/failures.ts"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { assertRefused, merchantOf } from "../../kit/Merchant.ts"
import { eventually } from "../../kit/Process.ts"
import { type Options, start } from "../../kit/Service.ts"

const opened = (options: Options = {}) =>
  Effect.gen(function* () {
    const service = yield* start({ clock: "test", ...options })
    const shop = merchantOf(service)
    yield* shop.paid(100_000)
    const { trade_no } = yield* shop.paid(1_000)
    const moved = Effect.map(service.sql`select 1 from sandbox_refunds`, ({ length }) => length)
    return { moved, service, shop, trade_no: trade_no as string }
  })

describe("a refund that the channel answers at once", () => {
  it.live("is two commits, the second with the bank's row", () =>
    Effect.gen(function* () {
      const set = trap()
      const { service, shop, trade_no } = yield* opened({ faults: set.layer })
      yield* service.atRest
      const commits: Array<string> = []
      set.at = (point, tables) => {
        if (point === "Transactor.write" || point === "Store.write") commits.push(`${tables}`)
        return undefined
      }
      assert.strictEqual((yield* shop.refund({ trade_no, amount: 10, out_refund_no: "r" })).status, 201)
      set.at = undefined
      assert.lengthOf(commits, 2, commits.join("; "))
      const together = yield* service.sql`select 1 from refunds r join sandbox_refunds b on b.refund_key = r.refund_no
        where r.xmin = b.xmin`
      assert.lengthOf(together, 1)
      yield* assertLedgerWhole(service.sql)
    })
  )

  it.live("has nothing at the bank while its end is not committed", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("Transactor.write", "before", (tables) => tables.includes("sandbox_refunds"))
      const { moved, service, shop, trade_no } = yield* opened({ faults: fault.layer })
      const first = yield* Effect.forkChild(shop.refund({ trade_no, amount: 10, out_refund_no: "r" }))
      yield* Deferred.await(fault.reached)
      assert.strictEqual(yield* moved, 0)
      assert.deepInclude((yield* shop.get("/v1/refunds/r")).body.data, { status: "pending", funds_frozen: false })
      yield* fault.release
      assert.strictEqual((yield* Fiber.join(first)).status, 201)
      assert.strictEqual(yield* moved, 1)
      yield* assertLedgerWhole(service.sql)
    })
  )

  it.live("and that the bank has booked meanwhile is asked for again, and is paid back once", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("RefundChannel.refund", "after")
      const { moved, service, shop, trade_no } = yield* opened({ faults: fault.layer })
      const first = yield* Effect.forkChild(shop.refund({ trade_no, amount: 10, out_refund_no: "r" }))
      yield* Deferred.await(fault.reached)
      // A runner of the version before writes the bank's row itself.
      yield* service.sql`insert into sandbox_refunds (refund_key, payment_id, amount, created_at)
        select refund_no, payment_id, amount, created_at from refunds`
      yield* fault.release
      yield* eventually(
        "the caller to be answered",
        Effect.andThen(
          service.pass("1 second"),
          Effect.sync(() => first.pollUnsafe() !== undefined)
        )
      )
      assertRefused(yield* Fiber.join(first), 503, "internal_error")
      yield* service.pass("1 minute")
      assert.strictEqual((yield* shop.get("/v1/refunds/r")).body.data.status, "succeeded")
      assert.strictEqual(yield* moved, 1)
      yield* assertLedgerWhole(service.sql)
    })
  )
})
