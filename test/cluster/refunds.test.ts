/** Refunds at two services on one database, like two runners of a cluster (silences: R4, R7, R15). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { makeRetrying } from "../kit/callers/retrying.ts"
import { blocking } from "../kit/faults/Faults.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { assertRefused, merchantOf } from "../kit/Merchant.ts"
import { asRunner, freshDatabase, type Options, start } from "../kit/Service.ts"

const twoDoors = (first: Options = {}, poll = "5 seconds") =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const a = yield* start({ clock: "test", database, env: yield* asRunner, ...first })
    // Polling finds rows of another runner.
    const b = yield* start({ clock: "test", database, env: { ...(yield* asRunner), WORKER_POLL: poll } })
    const here = merchantOf(a)
    const there = merchantOf(b, a.merchant.sandboxKey)
    yield* here.paid(100_000)
    const { trade_no } = yield* here.paid(1_000)
    const moved = Effect.map(a.sql`select 1 from sandbox_refunds`, ({ length }) => length)
    return { a, b, here, there, trade_no: trade_no as string, moved }
  })

describe("refunds on two runners", () => {
  it.live("100 at once, each number at both doors: no more than the order, each number once", () =>
    Effect.gen(function* () {
      const { a, here, there, trade_no, moved } = yield* twoDoors()
      const numbers = Array.from({ length: 50 }, (_, index) => `r-${index}`)
      const refused = new Set<string>()
      const retrying = yield* makeRetrying(a.pass("1 second"))
      const replies = yield* Effect.forEach(
        numbers.flatMap((out_refund_no) => [here, there].map((door) => ({ door, out_refund_no }))),
        ({ door, out_refund_no }) =>
          retrying(
            Effect.tap(door.refund({ trade_no, amount: 30, out_refund_no }), ({ status }) =>
              Effect.sync(() => void (status === 503 && refused.add(out_refund_no)))
            )
          ),
        { concurrency: "unbounded" }
      )
      const kinds = new Set(replies.map(({ body, status }) => `${status} ${body.error ?? ""}`.trim()))
      const allowed = ["200", "201", "400 invalid_request", "409 idempotency_in_progress"]
      assert.deepStrictEqual(
        [...kinds].filter((kind) => !allowed.includes(kind)),
        []
      )
      const accepted = replies.filter(({ status }) => status < 300).map(({ body }) => body.data.refund_no)
      assert.strictEqual(new Set(accepted).size, 33, "33 times 30 is 990")
      const numbersOf = (wanted: number) =>
        replies.filter(({ status }) => status === wanted).map(({ body }) => body.data.out_refund_no as string)
      const created = numbersOf(201)
      assert.lengthOf(created, new Set(created).size, "each is created once")
      // A refund that was made before its caller was refused for the load is answered as 200 alone.
      const madeUnseen = numbersOf(200).filter((number) => refused.has(number))
      assert.strictEqual(new Set([...created, ...madeUnseen]).size, 33)
      assert.strictEqual(yield* moved, 33)
      assert.strictEqual((yield* there.order(trade_no))["refunded_amount"], 990)
      yield* assertLedgerWhole(a.sql)
    })
  )

  it.live("a note under a key that the other runner has answered gets that answer", () =>
    Effect.gen(function* () {
      const { here, there, trade_no } = yield* twoDoors()
      yield* here.refund({ trade_no, amount: 10, out_refund_no: "r" })
      const note = (door: typeof here) =>
        door.post("/v1/refunds/r", { metadata: { a: "1" } }, { "Idempotency-Key": "note" })
      const [first, again] = [yield* note(here), yield* note(there)]
      assert.deepStrictEqual([first.status, again.status], [200, 200], again.text)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    })
  )

  it.live(
    "a number that another runner is asking the channel about is 409 idempotency_in_progress until it knows",
    () =>
      Effect.gen(function* () {
        const fault = yield* blocking("RefundChannel.refund", "before")
        const { a, here, moved, there, trade_no } = yield* twoDoors({ faults: fault.layer })
        const body = { trade_no, amount: 10, out_refund_no: "r" }
        const first = yield* Effect.forkChild(here.refund(body))
        yield* Deferred.await(fault.reached)
        const refused = yield* there.refund(body)
        assertRefused(refused, 409, "idempotency_in_progress")
        assert.strictEqual(refused.headers.get("retry-after"), "30")
        yield* fault.release
        const made = yield* Fiber.join(first)
        const again = yield* there.refund(body)
        assert.deepStrictEqual([made.status, again.status], [201, 200])
        assert.strictEqual(again.body.data.refund_no, made.body.data.refund_no)
        assert.strictEqual(yield* moved, 1)
        yield* assertLedgerWhole(a.sql)
      })
  )

  it.live("a runner that stands still is waited for no longer than 30 s: then the repeat itself gets the answer", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("RefundChannel.refund", "before")
      // No worker of the other runner finds it.
      const { b, here, moved, there, trade_no } = yield* twoDoors({ faults: fault.layer }, "1 hour")
      const ask = (door: typeof here) => door.refund({ trade_no, amount: 10 }, { "Idempotency-Key": "k" })
      const first = yield* Effect.forkChild(ask(here))
      yield* Deferred.await(fault.reached)
      yield* b.leap("29 seconds")
      const told = yield* ask(there)
      assertRefused(told, 409, "idempotency_in_progress")
      assert.strictEqual(told.headers.get("retry-after"), "1")
      yield* b.leap("1 second")
      const again = yield* ask(there)
      assert.deepStrictEqual([again.status, again.body.data.status], [200, "succeeded"], again.text)
      // It was only slow: the answer that it gets now changes nothing.
      yield* fault.release
      assert.deepStrictEqual((yield* Fiber.join(first)).body.data.refund_no, again.body.data.refund_no)
      assert.strictEqual(yield* moved, 1)
      yield* assertLedgerWhole(b.sql)
    })
  )

  for (const where of ["before", "after"] as const) {
    it.live(`a runner that stands still ${where} the channel is asked is not waited for: the other settles, once`, () =>
      Effect.gen(function* () {
        const fault = yield* blocking("RefundChannel.refund", where)
        const { a, b, here, moved, there, trade_no } = yield* twoDoors({ faults: fault.layer })
        const first = yield* Effect.forkChild(here.refund({ trade_no, amount: 10, out_refund_no: "r" }))
        yield* Deferred.await(fault.reached)
        yield* b.pass("30 seconds")
        const settled = yield* there.get("/v1/refunds/r")
        assert.deepInclude(settled.body.data, { status: "succeeded", funds_frozen: false })
        // It was only slow: the answer that it gets now changes nothing.
        yield* fault.release
        const late = yield* Fiber.join(first)
        assert.deepStrictEqual([late.status, late.body.data.status], [201, "succeeded"])
        assert.strictEqual(yield* moved, 1)
        assert.deepStrictEqual(yield* there.events(settled.body.data.refund_no), ["refund.succeeded"])
        const types = (yield* there.ledger(settled.body.data.refund_no)).map(([type]) => type)
        assert.deepStrictEqual(types, ["refund_freeze", "refund_debit"])
        yield* assertLedgerWhole(a.sql)
      })
    )
  }
})
