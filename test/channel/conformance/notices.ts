/** The laws of notices: they come once, twice, late, backwards, forged, to strangers or never, and count once. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { heldOf } from "@coffer/rules/order/Hold"
import { type Ability, amount, type Case, type Desk, law, type World } from "./Harness.ts"

/** Something that the acquirer tells of. */
interface Told {
  readonly cause: Effect.Effect<void, unknown>
  /** Whether our side knows. */
  readonly seen: Effect.Effect<boolean, unknown>
}

const kinds: Readonly<Record<string, (desk: Desk) => Effect.Effect<Told, unknown>>> = {
  "a payment": Effect.fnUntraced(function* (desk) {
    const made = yield* desk.order()
    yield* desk.leads(made)
    const seen = Effect.map(desk.status(made), (status) => status === "paid")
    return { cause: desk.own.acts(made, "pays", "card"), seen }
  }),
  "a declined attempt": Effect.fnUntraced(function* (desk) {
    const made = yield* desk.order()
    yield* desk.leads(made)
    const seen = Effect.map(desk.fresh(made), ({ attempts }) => (attempts?.length ?? 0) > 0)
    return { cause: desk.own.acts(made, "declines", "card"), seen }
  }),
  "a refund that has settled": Effect.fnUntraced(function* (desk) {
    yield* desk.sold({ amount: 100_000 })
    const method = yield* desk.own.pends
    const paid = yield* desk.sold({}, method)
    const { refund_no, status } = yield* desk.refunded(paid)
    assert.strictEqual(status, "pending", "it takes time")
    const seen = Effect.map(desk.refund(refund_no), (now) => now["status"] === "succeeded")
    return { cause: desk.own.settles(refund_no, "succeeded"), seen }
  }),
  "a refund that came back": Effect.fnUntraced(function* (desk) {
    const paid = yield* desk.rich
    const { refund_no } = yield* desk.refunded(paid)
    yield* desk.own.rest
    const seen = Effect.map(desk.refund(refund_no), (now) => now["status"] === "failed")
    return { cause: desk.own.sendsBack(refund_no), seen }
  }),
  "a dispute": Effect.fnUntraced(function* (desk) {
    const paid = yield* desk.rich
    const seen = Effect.map(desk.dispute(paid), (found) => found !== undefined)
    return { cause: desk.own.disputes(paid), seen }
  }),
  "an authorisation": Effect.fnUntraced(function* (desk) {
    const made = yield* desk.order({ capture: "manual" })
    yield* desk.leads(made)
    const seen = Effect.map(desk.fresh(made), (now) => heldOf(now) !== undefined)
    return { cause: desk.own.acts(made, "pays", "card"), seen }
  }),
  "a capture by hand": Effect.fnUntraced(function* (desk) {
    const held = yield* desk.held()
    const seen = Effect.map(desk.status(held), (status) => status === "paid")
    return { cause: desk.own.holds!.captures(held), seen }
  }),
  "a hold that has ended": Effect.fnUntraced(function* (desk) {
    const held = yield* desk.held()
    const seen = Effect.map(desk.status(held), (status) => status === "expired")
    return { cause: desk.own.holds!.ends(held), seen }
  }),
  "a dispute that is lost": (desk) => decided(desk, "lost"),
  "a dispute that is won": (desk) => decided(desk, "won")
}

const decided = Effect.fnUntraced(function* (desk: Desk, outcome: "won" | "lost") {
  const { paid, read } = yield* desk.disputed()
  const seen = Effect.map(read, ({ status }) => status === outcome)
  return { cause: desk.own.decides(paid, outcome), seen }
})

const isSeen = (told: Told, expected: boolean, when: string) =>
  Effect.map(told.seen, (seen) => assert.strictEqual(seen, expected, `it is known ${when}`))

const columns: Readonly<Record<string, (desk: Desk, told: Told, world: World) => Effect.Effect<unknown, unknown>>> = {
  "is known when its notice has come": ({ own }, told) =>
    Effect.gen(function* () {
      yield* Effect.andThen(told.cause, own.rest)
      yield* isSeen(told, true, "when it was told")
    }),
  "that is told twice counts once": (desk, told) =>
    Effect.gen(function* () {
      yield* Effect.andThen(told.cause, desk.own.rest)
      yield* isSeen(told, true, "when it was told")
      const before = yield* desk.picture
      yield* Effect.andThen(desk.own.notices!.again(), desk.own.rest)
      assert.deepStrictEqual(yield* desk.picture, before, "after the second time")
    }),
  "that is told again a day later counts once": (desk, told) =>
    Effect.gen(function* () {
      yield* Effect.andThen(told.cause, desk.own.rest)
      yield* Effect.andThen(desk.running.leap("1 day"), desk.own.rest)
      const before = yield* desk.picture
      yield* Effect.andThen(desk.own.notices!.again(), desk.own.rest)
      assert.deepStrictEqual(yield* desk.picture, before, "after a day")
      yield* isSeen(told, true, "a day later")
    }),
  "whose notices come late and backwards is what it is": ({ own }, told) =>
    Effect.gen(function* () {
      yield* own.notices!.hold
      yield* told.cause
      yield* isSeen(told, false, "while nobody tells")
      yield* Effect.andThen(own.notices!.release("newest first"), own.rest)
      yield* isSeen(told, true, "when it was told")
    }),
  "that somebody forges is not believed": ({ own }, told) =>
    Effect.gen(function* () {
      yield* own.notices!.hold
      yield* told.cause
      yield* Effect.andThen(own.notices!.again("forged"), own.rest)
      yield* isSeen(told, false, "by a forged notice")
      yield* Effect.andThen(own.notices!.release("oldest first"), own.rest)
      yield* isSeen(told, true, "when it was told")
    }),
  "that is told to a stranger's address changes nothing for either": (desk, told, { account, running }) =>
    Effect.gen(function* () {
      const stranger = yield* running.api.newMerchant()
      const theirs = yield* account(stranger)
      yield* desk.own.notices!.hold
      yield* told.cause
      yield* Effect.andThen(desk.own.notices!.astray(theirs), desk.own.rest)
      yield* isSeen(told, false, "by a stranger's notice")
      const events = yield* running.api.get("/v1/events", stranger.sandboxKey)
      assert.deepStrictEqual(events.body.data.data, [], "the stranger's own events")
      yield* Effect.andThen(desk.own.notices!.release("oldest first"), desk.own.rest)
      yield* isSeen(told, true, "when it was told")
    }),
  "whose notice is lost is found": ({ own }, told) =>
    Effect.gen(function* () {
      yield* own.notices!.lose
      yield* Effect.andThen(told.cause, own.rest)
      yield* Effect.andThen(own.notices!.find, own.rest)
      yield* isSeen(told, true, "without a notice")
    })
}

const ofHolds = ["an authorisation", "a capture by hand", "a hold that has ended"]
const needsOf = (kind: string): ReadonlyArray<Ability> => (ofHolds.includes(kind) ? ["notices", "holds"] : ["notices"])

export const noticeLaws: ReadonlyArray<Case> = Object.entries(kinds).flatMap(([kind, given]) =>
  Object.entries(columns).map(([title, run]) =>
    law(`${kind} ${title}`, needsOf(kind), (desk, world) =>
      Effect.flatMap(given(desk), (told) =>
        Effect.gen(function* () {
          yield* run(desk, told, world)
          if (kind === "a payment" || kind === "a capture by hand") {
            assert.strictEqual(yield* desk.events("payment.succeeded"), 1, "credited once")
            assert.strictEqual((yield* desk.shop.balance()).revenue, amount, "the order's amount")
          }
        })
      )
    )
  )
)
