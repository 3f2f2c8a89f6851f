/** How a change answers the request that asked for it, and what of the answer is stored (silences: I1 to I6, O11). */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Exit } from "effect"
import {
  answerCodes,
  answeredWith,
  withAnswer,
  type Answering,
  answerOf,
  codeOf,
  CurrentClaim,
  currentClaim,
  currentRequest,
  type HeldClaim,
  keepClaimFrom,
  laneOf,
  openedAnswer,
  type Renewal,
  renewalOf,
  withRenewal,
  sealedAnswerOf,
  sealedFor,
  storeAnswer
} from "../../src/shared/idempotency/Answering.ts"
import { idempotencyKeys, isKeyTaken, releaseChange, runChange } from "../../src/shared/idempotency/IdempotencyClaim.ts"
import { AlreadyExists, type Change, StaleVersion } from "../../src/platform/commit/Change.ts"
import { createdAt } from "../kit/rules/fixtures.ts"

const claim = { id: "claim", version: 7, merchantId: "m", mode: "live", fingerprint: "f", createdAt }
const later = DateTime.add(createdAt, { seconds: 30 })
const codes = answerCodes(201, { pending: 202 })

/** The row that a change writes, by its columns, and the version that it replaces. */
const written = (change: Change): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(idempotencyKeys.columns.map(({ field }, index) => [field, change.cells[index]])),
  replaces: change.op === "update" ? change.replaces : undefined
})
const claimed = { ...claim, createdAt: DateTime.formatIso(createdAt) }
const free = { leaseUntil: null, run: null, status: null, data: null }

describe("the row of a claim", () => {
  it("has a lease of 30 seconds while its run is at work, and is new unless it replaces one", () => {
    const row = { ...claimed, ...free, state: "running", leaseUntil: DateTime.formatIso(later), run: 3 }
    assert.deepStrictEqual(written(runChange(claim, createdAt, 3)), { ...row, replaces: undefined })
    assert.strictEqual(runChange(claim, createdAt, 3).op, "insert")
    assert.deepStrictEqual(written(runChange(claim, createdAt, 3, 6)), { ...row, replaces: 6 })
  })

  it("is free at the next version when the request has ended without an answer", () =>
    assert.deepStrictEqual(written(releaseChange(claim)), {
      ...claimed,
      ...free,
      version: 8,
      state: "released",
      replaces: 7
    }))

  it("has the answer at the next version, without the signatures of addresses", () => {
    const data = { checkout_url: "https://pay.example/checkout/T.1.signature", n: 1 }
    assert.deepStrictEqual(written(storeAnswer(claim, 200, data)), {
      ...claimed,
      ...free,
      version: 8,
      state: "done",
      status: 200,
      data: '{"checkout_url":"https://pay.example/checkout/T.1","n":1}',
      replaces: 7
    })
  })
})

describe("the row of a claim that the answer brings along", () => {
  const fresh = { ...claim, isNew: true } as const

  it("is a new one that has ended, and replaces none", () => {
    const [change] = answerOf({ claim: fresh, codes }, () => ({ status: "pending" }))
    assert.deepStrictEqual(written(change!), {
      ...claimed,
      ...free,
      version: 8,
      state: "done",
      status: 202,
      data: '{"status":"pending"}',
      replaces: undefined
    })
    assert.strictEqual(change!.op, "insert")
  })

  it("gives its lane to a new object; a claim that has its row gives none", () => {
    assert.strictEqual(laneOf({ claim: fresh, codes }), "claim")
    assert.isUndefined(laneOf({ claim, codes }))
    assert.isUndefined(laneOf(undefined))
  })

  it("is what a change failed for when its own key is taken, and no other row's", () => {
    assert.isTrue(isKeyTaken(new AlreadyExists({ table: "idempotency_keys", key: "claim" })))
    assert.isFalse(isKeyTaken(new AlreadyExists({ table: "orders", key: "claim" })))
    assert.isFalse(isKeyTaken(new StaleVersion({ table: "idempotency_keys", key: "claim" })))
  })
})

describe("an answer", () => {
  it("has the code of the object's status where that has one, and else the usual one", () => {
    const all = [{ status: "pending" }, { status: "paid" }, { status: 5 }, {}]
    assert.deepStrictEqual(
      all.map((data) => codeOf(codes, data)),
      [202, 201, 201, 201]
    )
    assert.strictEqual(codeOf(answerCodes(200), { status: "pending" }), 200)
  })

  it("is one more row of the change, and none for a request without a key", () => {
    const data = { status: "pending" }
    assert.deepStrictEqual(
      answerOf({ claim, codes }, () => data),
      [storeAnswer(claim, 202, data)]
    )
    assert.deepStrictEqual(
      answerOf(undefined, () => data),
      []
    )
  })

  it("that shows a secret is stored encrypted for its own claim, and only that opens it", () => {
    const encrypt = (plain: string, boundTo: string) => `<${boundTo}|${plain}>`
    const [change] = sealedAnswerOf({ claim, codes }, { secret: "s" }, encrypt)
    const row = written(change!)
    assert.deepInclude(row, {
      state: "done",
      status: 201,
      data: '<idempotency_keys/claim|{"secret":"s"}>',
      replaces: 7
    })
    assert.deepStrictEqual(sealedAnswerOf(undefined, { secret: "s" }, encrypt), [])
    const opened = (data: string) => openedAnswer("claim", data, (sealed, boundTo) => `${boundTo}|${sealed}`)
    assert.strictEqual(opened("<sealed>"), `${sealedFor("claim")}|<sealed>`)
    assert.strictEqual(opened('{"n":1}'), '{"n":1}')
  })
})

describe("a request with a key", () => {
  const withKey = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const own: HeldClaim = { claim, isAnswered: false }
      const exit = yield* Effect.exit(Effect.provideService(effect, CurrentClaim, own))
      return { exit, state: { claim: own.claim, isAnswered: own.isAnswered } }
    })
  const echoed = withAnswer((answer: Answering | undefined) => Effect.succeed(answer))

  it.effect("is answered by its change, with the codes that its handler names, and 200 where it names none", () =>
    Effect.gen(function* () {
      const named = yield* withKey(answeredWith(codes, echoed))
      assert.deepStrictEqual(named, { exit: Exit.succeed({ claim, codes }), state: { claim, isAnswered: true } })
      const { exit } = yield* withKey(echoed)
      assert.deepStrictEqual(exit, Exit.succeed({ claim, codes: answerCodes(200) }))
    })
  )

  it.effect("is not answered by a change that fails", () =>
    Effect.gen(function* () {
      const { state } = yield* withKey(withAnswer(() => Effect.fail("no")))
      assert.isFalse(state.isAnswered)
    })
  )

  it.effect("is known by its claim, whose day may begin at another moment", () =>
    Effect.gen(function* () {
      const { exit, state } = yield* withKey(Effect.andThen(keepClaimFrom(later), currentClaim))
      assert.deepStrictEqual(exit, Exit.succeed({ ...claim, createdAt: later }))
      assert.deepStrictEqual(state, { claim: { ...claim, createdAt: later }, isAnswered: false })
      assert.deepStrictEqual((yield* withKey(currentRequest)).exit, Exit.succeed("claim"))
    })
  )

  it.effect("continues with a renewed claim once a change has committed it, and not if it failed", () =>
    Effect.gen(function* () {
      const renewed = { ...claim, version: 8 }
      const echo = withRenewal(later, 3, (renewal: Renewal | undefined) => Effect.succeed(renewal))
      const { exit, state } = yield* withKey(echo)
      assert.deepStrictEqual(exit, Exit.succeed({ claim: renewed, at: later, run: 3 }))
      assert.deepStrictEqual(state, { claim: renewed, isAnswered: false })
      const failed = yield* withKey(withRenewal(later, 3, () => Effect.fail("no")))
      assert.deepStrictEqual(failed.state.claim, claim)
      assert.deepStrictEqual(renewalOf({ claim: renewed, at: later, run: 3 }), [runChange(renewed, later, 3, 7)])
    })
  )

  it.effect("without one, nothing is claimed, renewed or answered", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* answeredWith(codes, echoed))
      assert.isUndefined(yield* withRenewal(later, 3, (renewal) => Effect.succeed(renewal)))
      yield* keepClaimFrom(later)
      assert.isUndefined(yield* currentClaim)
      assert.isNull(yield* currentRequest)
      assert.deepStrictEqual(renewalOf(undefined), [])
    })
  )
})
