/**
 * Deliveries that are still to be made when their endpoint is disabled, deleted or moved, or cannot be signed for
 * (silences: W5, W17, W18); and the secrets that sign around a rotation (spec: Events, Rotation; silences: W10, W16).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hooksOf, signaturesIn, standardAccepts, stripeAccepts } from "../../kit/callers/Hooks.ts"
import { receiver } from "../../kit/Receiver.ts"
import { start } from "../../kit/Service.ts"

const world = Effect.gen(function* () {
  const running = yield* start({ clock: "test" })
  return { ...running, hooks: hooksOf(running, running.merchant), hook: yield* receiver }
})

const states = (rows: ReadonlyArray<{ readonly status: string; readonly attempts: number }>) =>
  rows.map(({ attempts, status }) => [status, attempts])

/** The rows as if the statement that follows a change had been lost with its process. */
const asIfLost = `update deliveries set status = 'pending', next_attempt_at = created_at + interval '1 minute'
  where status = 'skipped'`

describe("a delivery that is pending", () => {
  it.live("is skipped at once when its endpoint is deleted, and others are left alone", () =>
    Effect.gen(function* () {
      const { atRest, hook, hooks, pass } = yield* world
      hook.answer(500)
      const { id } = yield* hooks.create({ url: hook.url })
      const other = yield* hooks.create({ url: `${hook.url}/other` })
      yield* hooks.paid()
      yield* atRest
      yield* hooks.remove(id)
      const rows = yield* hooks.deliveries
      assert.deepStrictEqual(
        rows.map(({ endpoint_id, status }) => [endpoint_id, status]),
        [
          [id, "skipped"],
          [other.id, "pending"]
        ]
      )
      yield* pass("1 day")
      assert.deepStrictEqual(states(yield* hooks.deliveries), [
        ["skipped", 1],
        ["failed", 7]
      ])
    })
  )

  it.live("is skipped by its next attempt when its endpoint was deleted and the process died before it was told", () =>
    Effect.gen(function* () {
      const { atRest, hook, hooks, pass, sql } = yield* world
      hook.answer(500)
      const { id } = yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      yield* atRest
      yield* hooks.remove(id)
      yield* sql.unsafe(asIfLost)
      yield* pass("1 day")
      assert.deepStrictEqual(states(yield* hooks.deliveries), [["skipped", 1]])
      assert.strictEqual(hook.all.length, 1)
    })
  )

  it.live("stays pending when its endpoint is disabled, and comes at its time when that is enabled again", () =>
    Effect.gen(function* () {
      const { atRest, hook, hooks, pass } = yield* world
      hook.answer(500)
      const { id } = yield* hooks.create({ url: hook.url })
      // Its attempts come after 0, 30 and 150 seconds.
      yield* hooks.paid()
      yield* pass("1 minute")
      yield* hooks.update(id, { status: "disabled" })
      assert.deepStrictEqual(states(yield* hooks.deliveries), [["pending", 2]])
      yield* pass("1 minute")
      hook.answer(200)
      yield* hooks.update(id, { status: "enabled" })
      yield* pass("1 minute")
      yield* atRest
      assert.deepStrictEqual(states(yield* hooks.deliveries), [["succeeded", 3]])
    })
  )

  it.live("is skipped when it falls due while its endpoint is disabled, and does not come afterwards", () =>
    Effect.gen(function* () {
      const { atRest, hook, hooks, pass } = yield* world
      hook.answer(500)
      const { id } = yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      yield* atRest
      yield* hooks.update(id, { disabled: true })
      yield* pass("5 minutes")
      yield* hooks.update(id, { disabled: false })
      yield* pass("1 day")
      assert.deepStrictEqual(states(yield* hooks.deliveries), [["skipped", 1]])
      assert.strictEqual(hook.all.length, 1)
      hook.answer(200)
      yield* hooks.paid()
      yield* atRest
      assert.deepStrictEqual(states(yield* hooks.deliveries), [
        ["skipped", 1],
        ["succeeded", 1]
      ])
    })
  )

  it.live("goes to the endpoint's new address when it has moved, also if the row was not told", () =>
    Effect.gen(function* () {
      const { atRest, hook, hooks, leap, sql } = yield* world
      hook.answer(500)
      const moved = yield* receiver
      const { id } = yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      yield* atRest
      yield* hooks.update(id, { url: moved.url })
      assert.strictEqual((yield* hooks.deliveries)[0]!.url, moved.url)
      yield* sql`update deliveries set url = ${hook.url}, destination = ${new URL(hook.url).host}`
      yield* leap("31 seconds")
      assert.strictEqual(moved.all.length, 1)
      const [row] = yield* hooks.deliveries
      assert.deepInclude(row, { url: moved.url, status: "succeeded", attempts: 2 })
      assert.strictEqual(hook.all.length, 1)
    })
  )

  it.live("stays so by the schedule, with a named failure, while its endpoint's secret cannot be decrypted", () =>
    Effect.gen(function* () {
      const { atRest, hook, hooks, leap, pass, sql } = yield* world
      const { id } = yield* hooks.create({ url: hook.url })
      yield* sql`update webhook_settings set endpoints = jsonb_set(endpoints, '{0,secrets,current}', '"2.AAAA.AAAA.AAAA"')
        where endpoints <> '[]'`
      const good = yield* hooks.create({ url: `${hook.url}/other` })
      yield* hooks.paid()
      yield* atRest
      const failure = "secret: the signing secret cannot be decrypted"
      assert.deepStrictEqual(
        (yield* hooks.deliveries).map((row) => [row.endpoint_id, row.status, row.attempts, row.failure]),
        [
          [id, "pending", 1, failure],
          [good.id, "succeeded", 1, null]
        ]
      )
      // A rotation makes a readable secret: the next attempt is signed with it.
      const { secret } = yield* hooks.rotate(id)
      yield* leap("31 seconds")
      assert.strictEqual(hook.all.length, 2)
      assert.isTrue(stripeAccepts(hook.all[1]!, secret))
      assert.deepStrictEqual(signaturesIn(hook.all[1]!), [1, 1])
      yield* pass("1 day")
      assert.deepStrictEqual(states(yield* hooks.deliveries), [
        ["succeeded", 2],
        ["succeeded", 1]
      ])
    })
  )
})

describe("around a rotation", () => {
  for (const kind of ["an endpoint's secret", "the account's secret"] as const) {
    it.live(`${kind} signs beside the new one for 24 hours, in one header of each family`, () =>
      Effect.gen(function* () {
        const { hook, hooks, leap } = yield* world
        const isAccount = kind === "the account's secret"
        if (isAccount) yield* hooks.single(hook.url)
        const { id = "", secret: old } = yield* isAccount ? hooks.secret : hooks.create({ url: hook.url })
        const rotate = isAccount ? hooks.rotateSecret : hooks.rotate(id)
        const sent = Effect.andThen(hooks.paid(), hook.next)
        const accepted = (received: Effect.Success<typeof sent>, secrets: ReadonlyArray<string>) =>
          secrets.map((secret) => [stripeAccepts(received, secret), standardAccepts(received, secret)])
        const [yes, no] = [
          [true, true],
          [false, false]
        ]

        const before = yield* sent
        assert.deepStrictEqual(signaturesIn(before), [1, 1])
        assert.deepStrictEqual(accepted(before, [old]), [yes])
        assert.strictEqual(before.headers["webhook-id"], before.event.id)
        assert.match(String(before.headers["webhook-timestamp"]), /^\d+$/)

        const { secret: fresh } = yield* rotate
        const during = yield* sent
        assert.deepStrictEqual(signaturesIn(during), [2, 2])
        assert.deepStrictEqual(accepted(during, [fresh, old]), [yes, yes])
        yield* leap("1439 minutes")
        assert.deepStrictEqual(accepted(yield* sent, [fresh, old]), [yes, yes])
        yield* leap("1 minute")
        const after = yield* sent
        assert.deepStrictEqual(signaturesIn(after), [1, 1])
        assert.deepStrictEqual(accepted(after, [fresh, old]), [yes, no])
      })
    )
  }

  it.live("of many rotations in a day the five latest old secrets sign, each for its own 24 hours", () =>
    Effect.gen(function* () {
      const { hook, hooks, leap } = yield* world
      const secrets = [yield* hooks.create({ url: hook.url })]
      for (let count = 0; count < 7; count++) {
        yield* leap("1 hour")
        secrets.unshift(yield* hooks.rotate(secrets[0].id))
      }
      const signers = Effect.map(Effect.andThen(hooks.paid(), hook.next), (received) =>
        secrets.map(({ secret }, index) => (stripeAccepts(received, secret) ? index : -1)).filter((at) => at >= 0)
      )
      assert.deepStrictEqual(yield* signers, [0, 1, 2, 3, 4, 5])
      yield* leap("1350 minutes")
      assert.deepStrictEqual(yield* signers, [0, 1, 2])
    })
  )
})

describe("the account's signing secret", () => {
  it.live("is read and rotated with the merchant's key, and says until when the one before it signs", () =>
    Effect.gen(function* () {
      const { api, hooks, leap, merchant } = yield* world
      const first = yield* hooks.secret
      const operator = api.operator("GET", `/merchants/${merchant.merchantId}/signing_secret/sandbox`)
      assert.deepStrictEqual(first, {
        object: "webhook_signing_secret",
        mode: "sandbox",
        secret: (yield* operator).body.data.secret,
        rotated_at: null,
        previous_until: null,
        previous_ends: []
      })
      yield* leap("1 hour")
      const rotated = yield* hooks.rotateSecret
      assert.notStrictEqual(rotated.secret, first.secret)
      assert.deepInclude(rotated, {
        rotated_at: "1970-01-01T01:00:00.000Z",
        previous_until: "1970-01-02T01:00:00.000Z",
        previous_ends: ["1970-01-02T01:00:00.000Z"]
      })
      assert.deepStrictEqual(yield* hooks.secret, rotated)
      assert.strictEqual((yield* operator).body.data.secret, rotated.secret)
      yield* leap("24 hours")
      assert.deepStrictEqual(yield* hooks.secret, { ...rotated, previous_until: null, previous_ends: [] })
    })
  )

  it.live("is another in each environment", () =>
    Effect.gen(function* () {
      const { api, hooks, merchant, ...running } = yield* world
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { approved: true })
      const live = hooksOf({ ...running, api, merchant }, merchant, merchant.liveKey)
      const before = yield* live.secret
      assert.notStrictEqual(before.secret, (yield* hooks.rotateSecret).secret)
      assert.deepStrictEqual(yield* live.secret, before)
    })
  )
})
