/**
 * A change that answers the request with an `Idempotency-Key` that asked for it: where it brings the claim along
 * (docs/decisions/0004), the code and form of the answer, and what it does to a claim that is there already.
 */
import * as Wire from "@coffer/contract/Errors"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Schema } from "effect"
import { addHeader, busy, refuseWith, reply } from "../../src/shared/http/replies.ts"
import {
  Answering,
  answerCodes,
  answeredWith,
  withAnswer,
  currentRequest,
  keepClaimFrom,
  laneOf,
  renewalOf,
  withRenewal,
  sealedAnswerOf
} from "../../src/shared/idempotency/Answering.ts"
import { type IdempotencyKey, idempotencyKeys } from "../../src/shared/idempotency/IdempotencyClaim.ts"
import { AlreadyExists, NotCommitted } from "../../src/platform/commit/Change.ts"
import { along, before, makeKeyed, makeRows, ownRun } from "../kit/rules/keyedCalls.ts"

const unknown = new NotCommitted({ reason: "unknown" })
const taken = { error: new AlreadyExists({ table: idempotencyKeys.name, key: "k" }) }
const refused = refuseWith((request_id) => new Wire.Conflict({ message: "No.", request_id }), "no")
const createdAt = DateTime.makeUnsafe(0)
const unrun = Effect.die("it ran")

describe("a request whose change brings its claim along", () => {
  it.effect("comes to one commit, and its repeat at the same runner to none", () =>
    Effect.gen(function* () {
      const { commits, committing, send } = yield* makeKeyed()
      yield* send(committing({ a: 1 }), {}, along)
      let hasRun = false
      yield* send(
        Effect.andThen(
          Effect.sync(() => (hasRun = true)),
          refused
        ),
        {},
        along
      )
      assert.isFalse(hasRun)
      assert.deepStrictEqual(commits, ["insert done"])
    })
  )

  it.effect("stores its answer as a separate row if no change did, unless the key was used in the meantime", () =>
    Effect.gen(function* () {
      const rows = makeRows()
      const [one, other] = [yield* makeKeyed(rows), yield* makeKeyed(rows)]
      assert.strictEqual((yield* one.send(reply({ a: 1 }), {}, along)).told, "200")
      assert.deepStrictEqual(one.commits, ["insert done"])
      const second = yield* other.send(Effect.andThen(addHeader("x", "second"), reply({ a: 2 })), {}, along)
      assert.deepStrictEqual([second.told, second.data], ["replayed 200", { a: 1 }])
      assert.isUndefined(second.record.headers, "those of an answer that may not be told")
      assert.strictEqual((yield* other.send(unrun, {}, along)).told, "replayed 200")
    })
  )

  it.effect("gets its own refusal only if it is not a repeat", () =>
    Effect.gen(function* () {
      const rows = makeRows()
      const [one, other] = [yield* makeKeyed(rows), yield* makeKeyed(rows)]
      const fresh = yield* one.send(Effect.andThen(addHeader("x", "own"), refused), {}, along)
      assert.deepStrictEqual([fresh.told, fresh.record.headers, fresh.record.reason], ["conflict", { x: "own" }, "no"])
      yield* one.send(one.committing({ a: 1 }), {}, along)
      const repeat = yield* other.send(Effect.andThen(addHeader("x", "own"), refused), {}, along)
      assert.deepStrictEqual(
        [repeat.told, repeat.record.headers, repeat.record.reason],
        ["replayed 200", undefined, undefined]
      )
      assert.strictEqual((yield* other.send(refused, { body: "[]" }, along)).told, "idempotency_error")
    })
  )

  it.effect("that has to be retried, or whose caller has left, is answered without a look at the row", () =>
    Effect.gen(function* () {
      const rows = makeRows()
      const [one, other] = [yield* makeKeyed(rows), yield* makeKeyed(rows)]
      yield* one.send(one.committing({ a: 1 }), {}, along)
      assert.strictEqual((yield* other.send(busy, {}, along)).told, "internal_error")
      assert.strictEqual((yield* other.send(Effect.interrupt, {}, along)).told, "interrupted")
    })
  )

  it.effect("runs once more, under a claim, where its key is taken by a row without an answer", () =>
    Effect.gen(function* () {
      const { commits, committing, rows, send } = yield* makeKeyed()
      yield* send(refused, {}, before)
      assert.deepStrictEqual(
        [...rows.values()].map(({ state }) => state),
        ["released"]
      )
      assert.strictEqual((yield* send(committing({ a: 1 }), {}, along)).told, "200")
      assert.deepStrictEqual(commits.slice(-3), ["insert running", "update running", "update done"])
      assert.strictEqual((yield* send(unrun, {}, along)).told, "replayed 200")
    })
  )

  it.effect("comes again where its key was taken by a row that is gone", () =>
    Effect.gen(function* () {
      const { committing, send, state } = yield* makeKeyed()
      state.failing = [taken]
      const gone = yield* send(committing({ a: 1 }), {}, along)
      assert.deepStrictEqual([gone.told, gone.record.headers], ["idempotency_in_progress", { "retry-after": "1" }])
      state.failing = [taken]
      assert.strictEqual((yield* send(reply({ a: 1 }), {}, along)).told, "idempotency_in_progress")
    })
  )

  it.effect("gets its failure if another row than its key's is taken", () =>
    Effect.gen(function* () {
      const { committing, send, state } = yield* makeKeyed()
      state.failing = [{ error: new AlreadyExists({ table: "orders", key: "k" }) }]
      assert.strictEqual((yield* send(committing({ a: 1 }), {}, along)).told, "AlreadyExists")
    })
  )

  it.effect("has its answer where it is not known whether that was kept", () =>
    Effect.gen(function* () {
      const { send, state } = yield* makeKeyed()
      state.failing = [{ error: unknown }]
      assert.strictEqual((yield* send(reply({}), {}, along)).told, "200")
    })
  )

  it.effect("is remembered by its runner as one of the latest 8,192, and not beyond 16,384", () =>
    Effect.gen(function* () {
      const { keys } = yield* makeKeyed()
      keys.remember("first")
      keys.remember("again")
      for (let id = 2; id < 8_192; id++) keys.remember(String(id))
      assert.deepStrictEqual(["first", "again"].map(keys.isRemembered), [true, true])
      for (let id = 8_192; id < 16_384; id++) keys.remember(id === 10_000 ? "again" : String(id))
      keys.remember("one more")
      assert.deepStrictEqual(["first", "again"].map(keys.isRemembered), [false, true])
    })
  )
})

describe("a change that answers its request", () => {
  it.effect("is answered with the code that its handler names, by the object's status if that makes a difference", () =>
    Effect.gen(function* () {
      const { committing, rows, send } = yield* makeKeyed()
      const codes = answerCodes(201, { pending: 202 })
      for (const [key, data, code] of [
        ["by status", { status: "pending" }, 202],
        ["another", { status: "paid" }, 201],
        ["no text", { status: ["pending"] }, 201],
        ["none", {}, 201]
      ] as const) {
        yield* send(answeredWith(codes, committing(data, code)), { key }, along)
        assert.strictEqual((yield* send(unrun, { key }, along)).told, `replayed ${code}`, key)
      }
      assert.strictEqual(rows.size, 4)
      yield* send(committing({ status: "pending" }), { key: "unnamed" }, along)
      assert.strictEqual((yield* send(unrun, { key: "unnamed" }, along)).told, "replayed 200")
      assert.strictEqual((yield* send(answeredWith(codes, committing({}, 201)), { key: "" }, along)).told, "201")
      assert.strictEqual(rows.size, 5)
    })
  )

  it.effect("that shows a secret is stored encrypted, for a repeat of the same request alone", () =>
    Effect.gen(function* () {
      const { commit, rows, send } = yield* makeKeyed()
      const encrypt = (plain: string, boundTo: string) => `sealed for ${boundTo}: ${plain}`
      const handled = withAnswer((answer) => commit("lane", sealedAnswerOf(answer, { secret: "s" }, encrypt)))
      yield* send(Effect.andThen(handled, reply({ secret: "s" })), {}, along)
      const [[id, row]] = [...rows] as [[string, IdempotencyKey]]
      assert.strictEqual(row.data, `sealed for idempotency_keys/${id}: {"secret":"s"}`)
      const again = yield* send(unrun, {}, along)
      assert.deepStrictEqual([again.told, again.data], ["replayed 200", { secret: "s" }])
      assert.strictEqual((yield* send(Effect.andThen(handled, reply({})), { key: "" }, along)).told, "200")
      assert.strictEqual(rows.size, 1)
    })
  )

  it("may be written by another runner: its claim says there, too, whether it has a row", () => {
    const claim = { id: "k", version: 1, merchantId: "mer_1", mode: "sandbox", fingerprint: "f", createdAt }
    for (const sent of [
      { claim: { ...claim, isNew: true as const }, codes: answerCodes(201) },
      { claim, codes: answerCodes(200) }
    ]) {
      assert.deepStrictEqual(Schema.decodeSync(Answering)(Schema.encodeSync(Answering)(sent)), sent)
    }
  })

  it.effect("is written in the lane of its claim where it brings that along", () =>
    Effect.gen(function* () {
      const { rows, send } = yield* makeKeyed()
      const lanes: Array<string | undefined> = []
      const handled = Effect.andThen(
        withAnswer((answer) => Effect.sync(() => void lanes.push(laneOf(answer)))),
        refused
      )
      yield* send(handled)
      yield* send(handled, { key: "" })
      yield* send(handled, {}, along)
      assert.deepStrictEqual(lanes, [undefined, undefined, ...rows.keys()])
    })
  )

  it.effect("comes after one that renews its claim, and neither is written where the claim was taken over", () =>
    Effect.gen(function* () {
      const { commit, commits, committing, rows, send } = yield* makeKeyed()
      const renewed = withRenewal(DateTime.makeUnsafe(5_000), ownRun, (renewal) => commit("lane", renewalOf(renewal)))
      const handled = Effect.andThen(renewed, committing({ a: 1 }))
      assert.strictEqual((yield* send(handled)).told, "200")
      assert.deepStrictEqual(commits, ["insert running", "update running", "update done"])
      assert.strictEqual((yield* send(handled, { key: "" })).told, "200")
      assert.lengthOf(commits, 3)
      const takeOver = Effect.sync(() => {
        for (const [id, row] of rows) rows.set(id, { ...row, version: row.version + 1 })
      })
      const late = yield* send(Effect.andThen(takeOver, handled), { key: "late" })
      assert.strictEqual(late.told, "StaleVersion")
      const lease = yield* send(Effect.andThen(renewed, Effect.never).pipe(Effect.timeout(1)), { key: "lease" }).pipe(
        Effect.forkChild
      )
      yield* Effect.yieldNow
      assert.include(
        [...rows.values()].map(({ leaseUntil }) => leaseUntil && DateTime.toEpochMillis(leaseUntil)),
        35_000
      )
      yield* Fiber.interrupt(lease)
    })
  )

  it.effect("knows its request by an id that the repeat has too, and may begin the day of its answer later", () =>
    Effect.gen(function* () {
      const { committing, rows, send } = yield* makeKeyed()
      const ids: Array<string | null> = []
      const knows = Effect.andThen(
        Effect.map(currentRequest, (id) => void ids.push(id)),
        refused
      )
      for (const key of ["k", "k", "other", ""]) yield* send(knows, { key })
      const [first, again, other, none] = ids
      assert.isString(first)
      assert.strictEqual(again, first)
      assert.notStrictEqual(other, first)
      assert.isNull(none)
      const later = keepClaimFrom(DateTime.makeUnsafe(1_000))
      assert.strictEqual((yield* send(Effect.andThen(later, committing({})), { key: "" })).told, "200")
      yield* send(Effect.andThen(later, committing({})), { key: "later" }, along)
      assert.include(
        [...rows.values()].map(({ createdAt }) => DateTime.toEpochMillis(createdAt)),
        1_000
      )
    })
  )
})
