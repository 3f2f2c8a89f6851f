/** An endpoint that its owner pauses: deliveries wait, and are sent when it is enabled again (silences: W5, W24). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hooksOf } from "../../kit/callers/Hooks.ts"
import { receiver } from "../../kit/Receiver.ts"
import { start } from "../../kit/Service.ts"

const world = Effect.gen(function* () {
  const running = yield* start({ clock: "test" })
  return { ...running, hooks: hooksOf(running, running.merchant), hook: yield* receiver }
})

const states = (rows: ReadonlyArray<{ readonly status: string; readonly attempts: number }>) =>
  rows.map(({ attempts, status }) => [status, attempts])

const waiting = "select id from deliveries where status = 'pending' and next_attempt_at is null"

describe("a paused endpoint", () => {
  it.live("is sent nothing, and everything when it is enabled again: what was pending, and what came meanwhile", () =>
    Effect.gen(function* () {
      const { api, atRest, hook, hooks, merchant, pass, sql } = yield* world
      hook.answer(500)
      const { id } = yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      yield* atRest
      assert.strictEqual((yield* hooks.update(id, { status: "paused" })).status, "paused")
      assert.strictEqual((yield* hooks.retrieve(id)).status, "paused")
      yield* hooks.paid()
      yield* pass("30 days")
      assert.strictEqual(hook.all.length, 1)
      assert.deepStrictEqual(states(yield* hooks.deliveries), [
        ["pending", 1],
        ["pending", 0]
      ])
      const { body } = yield* api.get("/v1/webhook_deliveries?status=pending", merchant.sandboxKey)
      assert.deepStrictEqual(
        body.data.data.map(({ next_attempt_at: next }: { next_attempt_at: unknown }) => next),
        [null, null]
      )
      hook.answer(200)
      assert.strictEqual((yield* hooks.update(id, { status: "enabled" })).status, "enabled")
      yield* atRest
      assert.deepStrictEqual(states(yield* hooks.deliveries), [
        ["succeeded", 2],
        ["succeeded", 1]
      ])
      assert.deepStrictEqual(yield* sql.unsafe(waiting), [])
    })
  )

  it.live("goes on with the schedule where it was: an attempt that fails after the pause is the next one", () =>
    Effect.gen(function* () {
      const { hook, hooks, pass } = yield* world
      hook.answer(500)
      const { id } = yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      yield* pass("10 seconds")
      yield* hooks.update(id, { status: "paused" })
      yield* pass("3 days")
      yield* hooks.update(id, { status: "enabled" })
      yield* pass("1 day")
      assert.deepStrictEqual(states(yield* hooks.deliveries), [["failed", 7]])
    })
  )

  it.live("delays no other endpoint, of the same merchant or of another", () =>
    Effect.gen(function* () {
      const { api, hook, hooks, pass, ...running } = yield* world
      const { id } = yield* hooks.create({ url: `${hook.url}/paused` })
      yield* hooks.create({ url: `${hook.url}/other` })
      yield* hooks.update(id, { status: "paused" })
      yield* hooks.paid()
      yield* pass("1 minute")
      const second = yield* api.newMerchant()
      const others = hooksOf({ ...running, api, pass }, second)
      yield* others.create({ url: `${hook.url}/second` })
      yield* others.paid()
      yield* pass("1 minute")
      assert.deepStrictEqual(
        hook.all.map(({ event }) => event.type),
        ["payment.succeeded", "payment.succeeded"]
      )
      assert.deepStrictEqual(states(yield* others.deliveries), [["succeeded", 1]])
    })
  )

  it.live("that goes on is sent what waited, although the process died before the deliveries were told", () =>
    Effect.gen(function* () {
      const { hook, hooks, pass, settle, sql } = yield* world
      const { id } = yield* hooks.create({ url: hook.url })
      yield* hooks.update(id, { status: "paused" })
      yield* hooks.paid()
      yield* pass("1 minute")
      yield* hooks.update(id, { status: "enabled" })
      // As if the statement after the change had been lost, and the delivery with it.
      yield* sql`update deliveries set status = 'pending', attempts = 0, next_attempt_at = null`
      yield* sql`delete from delivery_attempts`
      const before = hook.all.length
      yield* pass("2 minutes")
      yield* settle
      assert.strictEqual(hook.all.length, before + 1)
      assert.deepStrictEqual(states(yield* hooks.deliveries), [["succeeded", 1]])
    })
  )

  for (const [how, end] of [
    ["disabled", (hooks: ReturnType<typeof hooksOf>, id: string) => hooks.update(id, { status: "disabled" })],
    ["deleted", (hooks: ReturnType<typeof hooksOf>, id: string) => hooks.remove(id)]
  ] as const) {
    it.live(`that is ${how} skips what waited`, () =>
      Effect.gen(function* () {
        const { hook, hooks, pass } = yield* world
        const { id } = yield* hooks.create({ url: hook.url })
        yield* hooks.update(id, { status: "paused" })
        yield* hooks.paid()
        yield* pass("1 minute")
        yield* end(hooks, id)
        yield* pass("1 hour")
        assert.deepStrictEqual(states(yield* hooks.deliveries), [["skipped", 0]])
        assert.strictEqual(hook.all.length, 0)
      })
    )
  }

  it.live("takes a resend by hand, which waits as well", () =>
    Effect.gen(function* () {
      const { api, atRest, hook, hooks, merchant, pass } = yield* world
      const { id } = yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      yield* atRest
      yield* hooks.update(id, { status: "paused" })
      const { body } = yield* api.get("/v1/webhook_deliveries", merchant.sandboxKey)
      const path = `/v1/webhook_deliveries/${body.data.data[0].id}/resend`
      assert.isBelow((yield* api.post(path, merchant.sandboxKey)).status, 300)
      yield* pass("1 hour")
      assert.strictEqual(hook.all.length, 1)
      yield* hooks.update(id, { disabled: false })
      yield* atRest
      assert.strictEqual(hook.all.length, 2)
    })
  )
})
