/**
 * An order's channel is chosen when its session is made (docs/decisions/0277). The merchant has an account at
 * two channels.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Option, Scope } from "effect"
import { afterAll, beforeAll } from "vitest"
import { ChannelName } from "@coffer/model/Ids"
import { ChannelUnreachable } from "../../src/shared/channel/payments.ts"
import { said } from "../kit/Merchant.ts"
import { type Desk, deskOf, names, type World, worlds } from "./twoChannels.ts"

describe("an order's channel", () => {
  const life = Scope.makeUnsafe()
  let world: World
  beforeAll(() => Effect.runPromise(Effect.map(Scope.provide(worlds, life), (made) => void (world = made))))
  afterAll(() => Effect.runPromise(Scope.close(life, Exit.void)))
  const rule = (name: string, run: (desk: Desk) => Effect.Effect<unknown, unknown>) =>
    it.live(name, () =>
      Effect.suspend(() => Effect.provideContext(Effect.flatMap(deskOf(world), run), world.running.context))
    )

  rule("is the first by the merchant's own rank", (desk) =>
    Effect.gen(function* () {
      const before = yield* desk.order
      yield* desk.begin(before)
      assert.deepStrictEqual(desk.open(before), ["first"])
      yield* desk.sets("second", { rank: 1 })
      const after = yield* desk.order
      yield* desk.begin(after)
      assert.deepStrictEqual(desk.open(after), ["second"])
    })
  )

  rule("is one that takes the buyer's method there, and a page offers what any of them takes", (desk) =>
    Effect.gen(function* () {
      yield* desk.sets("first", { methods: ["card"] })
      yield* desk.sets("second", { methods: ["card", "alipay"] })
      const made = yield* desk.order
      assert.deepStrictEqual(yield* desk.offered(made, ["card", "alipay", "wechat_pay"]), ["card", "alipay"])
      yield* desk.begin(made, "alipay")
      assert.deepStrictEqual(desk.open(made), ["second"])
      assert.deepStrictEqual(yield* desk.begin(yield* desk.order, "wechat_pay"), {
        _tag: "NotTaken",
        because: "method"
      })
    })
  )

  rule("keeps the rank and the methods when its keys are set again", (desk) =>
    Effect.gen(function* () {
      yield* desk.sets("second", { rank: 1, methods: ["card"] })
      yield* desk.sets("second", { own: { key: "another" } })
      const made = yield* desk.order
      yield* desk.begin(made)
      assert.deepStrictEqual(desk.open(made), ["second"])
    })
  )

  rule("is the usual one again when the rank and the methods are set to null", (desk) =>
    Effect.gen(function* () {
      yield* desk.sets("first", { methods: ["alipay"] })
      yield* desk.sets("second", { rank: 1 })
      yield* desk.sets("first", { methods: null })
      yield* desk.sets("second", { rank: null })
      const made = yield* desk.order
      yield* desk.begin(made)
      assert.deepStrictEqual(desk.open(made), ["first"])
    })
  )

  for (const [why, breaks] of [
    ["is paused", (desk: Desk) => Effect.asVoid(desk.sets("first", { isActive: false }))],
    [
      "is not reached",
      ({ acquirers, merchantId }: Desk) => Effect.sync(() => void acquirers.first.unreachable.add(merchantId))
    ],
    [
      "does not take the key",
      ({ acquirers, merchantId }: Desk) => Effect.sync(() => void acquirers.first.revoked.add(merchantId))
    ],
    ["is out of its pace", (desk: Desk) => Effect.sync(() => desk.fails("first", "crowded"))]
  ] as const) {
    rule(`is the next one where the first ${why}, and stays there`, (desk) =>
      Effect.gen(function* () {
        const made = yield* desk.order
        yield* breaks(desk)
        assert.strictEqual((yield* desk.begin(made))._tag, "Redirect")
        assert.deepStrictEqual(desk.open(made), ["second"])
        desk.acquirers.first.unreachable.clear()
        desk.acquirers.first.revoked.clear()
        yield* desk.begin(made)
        assert.deepStrictEqual(desk.open(made), ["second"], "the first one is back")
        yield* desk.pays(made, "second")
        const paid = yield* desk.fresh(made)
        assert.deepInclude(paid, { status: "paid", channel: ChannelName.make(names.second) })
        assert.strictEqual(
          (yield* said(desk.shop.refund({ trade_no: made.tradeNo, amount: 100 })))["status"],
          "succeeded"
        )
        assert.strictEqual(desk.acquirers.second.refunds.size - desk.acquirers.first.refunds.size > 0, true)
      })
    )
  }

  rule("stays the first where the answer of its making is lost", (desk) =>
    Effect.gen(function* () {
      const made = yield* desk.order
      desk.fails("first", "lost after")
      const told = yield* Effect.exit(desk.begin(made))
      const failure = Option.getOrThrow(Exit.findErrorOption(told))
      assert.instanceOf(failure, ChannelUnreachable)
      desk.acquirers.first.unreachable.add(desk.merchantId)
      assert.strictEqual((yield* desk.begin(made))._tag, "Unknown", "nor is it told that nothing was done")
      assert.deepStrictEqual(
        desk.sessions(made).map(({ at }) => at),
        ["first"]
      )
      desk.acquirers.first.unreachable.clear()
      assert.strictEqual((yield* desk.begin(made))._tag, "Redirect")
      assert.deepStrictEqual(desk.open(made), ["first"])
    })
  )

  rule("stays the first where a process has died over its question", (desk) =>
    Effect.gen(function* () {
      const made = yield* desk.order
      yield* world.running.sql`insert into order_routes (trade_no, channel, attempts, unanswered, asked_at)
        values (${made.tradeNo}, ${names.first}, 1, 1, now())`
      desk.acquirers.first.unreachable.add(desk.merchantId)
      assert.strictEqual((yield* desk.begin(made))._tag, "Unknown")
      assert.deepStrictEqual(desk.sessions(made), [])
      desk.acquirers.first.unreachable.clear()
    })
  )

  rule("changes for another method only when the first session has ended", (desk) =>
    Effect.gen(function* () {
      yield* desk.sets("first", { methods: ["card"] })
      const made = yield* desk.order
      yield* desk.begin(made)
      yield* desk.begin(made, "alipay")
      assert.deepStrictEqual(desk.open(made), ["second"])
      const other = yield* desk.order
      yield* desk.begin(other)
      desk.fails("first", "lost before", "cancel")
      assert.strictEqual((yield* desk.begin(other, "alipay"))._tag, "Unknown")
      assert.deepStrictEqual(desk.open(other), ["first"])
      desk.acquirers.first.receiver.held = true
      yield* desk.pays(other, "first")
      assert.strictEqual((yield* desk.begin(other, "alipay"))._tag, "Settled")
      assert.strictEqual((yield* desk.fresh(other)).status, "paid", "the payment was found")
      desk.acquirers.first.receiver.held = false
    })
  )

  rule("is where a session of a program without routes may be", (desk) =>
    Effect.gen(function* () {
      const made = yield* desk.order
      const { amount, currency, merchantId, tradeNo } = made
      const terms = { merchantId, tradeNo, method: "card" as const, amount, currency }
      const session = yield* desk.acquirers.second.open(`${tradeNo}/0`, terms)
      session.state = "processing"
      assert.strictEqual((yield* desk.begin(made))._tag, "Settled")
      assert.deepStrictEqual(
        desk.sessions(made).map(({ at }) => at),
        ["second"]
      )
      desk.acquirers.second.unreachable.add(merchantId)
      assert.strictEqual((yield* Effect.exit(desk.begin(made)))._tag === "Success", true)
      assert.deepStrictEqual(
        desk.sessions(made).map(({ at }) => at),
        ["second"],
        "and it stays there"
      )
      desk.acquirers.second.unreachable.clear()
    })
  )
})
