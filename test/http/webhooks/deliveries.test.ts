/** Deliveries as merchants and the operator see them, and resends (silences: W5, W11, W15). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hooksOf } from "../../kit/callers/Hooks.ts"
import { receiver } from "../../kit/Receiver.ts"
import { type Running, start } from "../../kit/Service.ts"

const world = Effect.gen(function* () {
  const running = yield* start({ clock: "test" })
  const hook = yield* receiver
  return { ...running, hook, hooks: hooksOf(running, running.merchant), ...callsOf(running) }
})

// oxlint-disable-next-line no-explicit-any -- a test reads what it expects
type Json = any

const callsOf = ({ api, merchant }: Running) => {
  const key = merchant.sandboxKey
  const list = (query = "", by = key) =>
    Effect.map(api.get(`/v1/webhook_deliveries${query}`, by), ({ body, status, text }): ReadonlyArray<Json> => {
      assert.strictEqual(status, 200, text)
      return body.data.data
    })
  const resend = (id: string, headers: Record<string, string> = {}) =>
    api.call("POST", `/v1/webhook_deliveries/${id}/resend`, { key, headers })
  return { list, resend }
}

describe("a delivery", () => {
  it.live("shows each attempt with its time, length, status or failure, and what the receiver answered", () =>
    Effect.gen(function* () {
      const { api, atRest, hook, hooks, leap, list, merchant } = yield* world
      hook.answer(500)
      const { id } = yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      yield* atRest
      hook.answer(204)
      yield* leap("30 seconds")
      const [event] = (yield* api.get("/v1/events", merchant.sandboxKey)).body.data.data
      const [delivery] = yield* list()
      const { attempts, id: deliveryId, ...rest } = delivery
      assert.match(deliveryId, /^dlv_/)
      assert.deepStrictEqual(rest, {
        object: "webhook_delivery",
        mode: "sandbox",
        event_id: event.id,
        event_type: "payment.succeeded",
        endpoint_id: id,
        url: hook.url,
        status: "succeeded",
        next_attempt_at: null,
        resend_of: null,
        created_at: event.created_at
      })
      const attempt = { kind: "automatic", duration_ms: 0, failure: null }
      assert.deepStrictEqual(attempts, [
        { ...attempt, attempt: 1, at: event.created_at, status_code: 500, response_excerpt: "seen" },
        { ...attempt, attempt: 2, at: "1970-01-01T00:00:30.000Z", status_code: 204, response_excerpt: "" }
      ])
      const one = yield* api.get(`/v1/webhook_deliveries/${deliveryId}`, merchant.sandboxKey)
      assert.deepStrictEqual(one.body.data, delivery)
    })
  )

  it.live("to a closed port leaves an attempt, and says when the next one is due", () =>
    Effect.gen(function* () {
      const { atRest, hooks, list } = yield* world
      yield* hooks.paid({ notify_url: "http://127.0.0.1:1/" })
      yield* atRest
      const [delivery] = yield* list("?status=pending")
      assert.deepInclude(delivery, { endpoint_id: null, next_attempt_at: "1970-01-01T00:00:30.000Z" })
      assert.match(delivery.attempts[0].failure, /^connect/)
      assert.isNull(delivery.attempts[0].status_code)
    })
  )

  it.live("is found by its event, endpoint and state, alone and together, and not by others' keys", () =>
    Effect.gen(function* () {
      const { api, atRest, hook, hooks, list, merchant } = yield* world
      const bad = yield* receiver
      bad.answer(500)
      const good = yield* hooks.create({ url: hook.url })
      const failing = yield* hooks.create({ url: bad.url })
      yield* hooks.paid()
      yield* hooks.paid()
      yield* atRest
      const all = yield* list()
      assert.strictEqual(all.length, 4)
      const [newest] = all
      const same = (found: ReadonlyArray<Json>, keep: (one: Json) => boolean) =>
        assert.deepStrictEqual(found, all.filter(keep))
      same(yield* list("?status=succeeded"), ({ endpoint_id }) => endpoint_id === good.id)
      same(yield* list(`?endpoint_id=${failing.id}`), ({ status }) => status === "pending")
      same(yield* list(`?endpoint_id=${failing.id}&status=succeeded`), () => false)
      same(yield* list(`?event_id=${newest.event_id}`), ({ event_id }) => event_id === newest.event_id)
      const query = `?event_id=${newest.event_id}&endpoint_id=${good.id}&status=succeeded`
      same(yield* list(query), (one) => one.event_id === newest.event_id && one.endpoint_id === good.id)
      const ofEvent = `?event_id=${newest.event_id}`
      for (const [wanted, keep] of [
        [`&endpoint_id=${failing.id}`, (one: Json) => one.endpoint_id === failing.id],
        ["&status=pending", (one: Json) => one.status === "pending"],
        ["&status=failed", () => false]
      ] as const) {
        same(yield* list(ofEvent + wanted), (one) => one.event_id === newest.event_id && keep(one))
      }
      for (const none of ["event_id=%00", "endpoint_id=a%00", "event_id=evt_none", "endpoint_id=whe_none"]) {
        same(yield* list(`?${none}`), () => false)
      }
      same(yield* list("?limit=2"), (one) => all.indexOf(one) < 2)
      same(yield* list(`?limit=2&starting_after=${all[1].id}`), (one) => all.indexOf(one) >= 2)
      same(yield* list(`?limit=2&ending_before=${all[3].id}`), (one) => [1, 2].includes(all.indexOf(one)))

      const other = yield* api.newMerchant()
      assert.deepStrictEqual(yield* list("", other.sandboxKey), [])
      const foreign = yield* api.get(`/v1/webhook_deliveries/${newest.id}`, other.sandboxKey)
      assert.deepStrictEqual([foreign.status, foreign.body.error], [404, "delivery_not_found"])
      const nowhere = yield* api.get("/v1/webhook_deliveries/dlv_%00", merchant.sandboxKey)
      assert.deepStrictEqual([nowhere.status, nowhere.body.error], [404, "delivery_not_found"])
      for (const [query, param] of [
        ["status=done", "status"],
        ["format=csv", "format"],
        ["endpoint=x", "endpoint"]
      ]) {
        const { body, status } = yield* api.get(`/v1/webhook_deliveries?${query}`, merchant.sandboxKey)
        assert.deepStrictEqual([status, body.error, body.param], [400, "invalid_request", param])
      }
    })
  )
})

describe("sending again", () => {
  it.live("makes one attempt at once with the same event, marked manual, and none follows it", () =>
    Effect.gen(function* () {
      const { atRest, hook, hooks, list, pass, resend } = yield* world
      hook.answer(500)
      const { id } = yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      yield* pass("1 day")
      const [failed] = yield* list()
      assert.deepInclude(failed, { status: "failed", next_attempt_at: null })
      assert.strictEqual(hook.all.length, 7)

      const reply = yield* resend(failed.id)
      assert.strictEqual(reply.status, 202)
      const asked = { event_id: failed.event_id, endpoint_id: id, resend_of: failed.id }
      assert.deepInclude(reply.body.data, { ...asked, status: "pending", attempts: [] })
      yield* atRest
      yield* pass("1 day")
      assert.strictEqual(hook.all.length, 8)
      assert.strictEqual(hook.all[7]!.raw, hook.all[0]!.raw)
      const [again, before] = yield* list()
      assert.deepInclude(again, { ...asked, id: reply.body.data.id, status: "failed" })
      assert.deepStrictEqual(
        again.attempts.map(({ attempt, kind }: Json) => [attempt, kind]),
        [[1, "manual"]]
      )
      assert.deepStrictEqual(before, failed)

      hook.answer(200)
      yield* resend(again.id)
      yield* atRest
      assert.deepInclude((yield* list())[0], { resend_of: again.id, status: "succeeded" })
    })
  )

  it.live("is done before the schedule has ended, too, and goes to where the endpoint is now", () =>
    Effect.gen(function* () {
      const { atRest, hook, hooks, list, resend } = yield* world
      hook.answer(500)
      const moved = yield* receiver
      const { id } = yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      yield* atRest
      const [pending] = yield* list()
      yield* hooks.update(id, { url: moved.url })
      assert.strictEqual((yield* resend(pending.id)).body.data.url, moved.url)
      yield* atRest
      assert.strictEqual(moved.all.length, 1)
      assert.deepStrictEqual(
        (yield* list()).map(({ status }) => status),
        ["succeeded", "pending"]
      )
    })
  )

  it.live("is 409 while its endpoint is disabled and when it was deleted, and 404 for an unknown delivery", () =>
    Effect.gen(function* () {
      const { api, atRest, hook, hooks, list, resend } = yield* world
      const { id } = yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      yield* atRest
      const [delivery] = yield* list()
      const refusal = (sending: ReturnType<typeof resend>) =>
        Effect.map(sending, ({ body, status }) => [status, body.error])
      yield* hooks.update(id, { disabled: true })
      assert.deepStrictEqual(yield* refusal(resend(delivery.id)), [409, "conflict"])
      yield* hooks.update(id, { disabled: false })
      assert.strictEqual((yield* resend(delivery.id)).status, 202)
      yield* hooks.remove(id)
      assert.deepStrictEqual(yield* refusal(resend(delivery.id)), [409, "conflict"])
      assert.deepStrictEqual(yield* refusal(resend("dlv_none")), [404, "delivery_not_found"])
      const stranger = (yield* api.newMerchant()).sandboxKey
      const foreign = api.post(`/v1/webhook_deliveries/${delivery.id}/resend`, stranger)
      assert.deepStrictEqual(yield* refusal(foreign), [404, "delivery_not_found"])
    })
  )

  it.live("with an Idempotency-Key is done once, also when it is asked for twice at once", () =>
    Effect.gen(function* () {
      const { atRest, hook, hooks, list, resend } = yield* world
      yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      yield* atRest
      const [delivery] = yield* list()
      const keyed = resend(delivery.id, { "Idempotency-Key": "again" })
      yield* Effect.all([keyed, keyed], { concurrency: "unbounded" })
      const { body, headers, status } = yield* keyed
      assert.deepStrictEqual([status, headers.get("idempotent-replayed")], [202, "true"])
      yield* atRest
      assert.strictEqual(hook.all.length, 2)
      const all = yield* list()
      assert.deepStrictEqual(
        all.map(({ id }) => id),
        [body.data.id, delivery.id]
      )
    })
  )
})

describe("the operator", () => {
  it.live("lists, reads and sends again the deliveries of every merchant, by environment", () =>
    Effect.gen(function* () {
      const { api, atRest, hook, hooks, list, merchant } = yield* world
      yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      yield* atRest
      const path = `/merchants/${merchant.merchantId}/webhook_deliveries`
      const listed = (query: string) => Effect.map(api.operator("GET", path + query), ({ body }) => body.data?.data)
      assert.deepStrictEqual(yield* listed("?mode=sandbox"), yield* list())
      assert.deepStrictEqual(yield* listed("?mode=sandbox&status=failed"), [])
      assert.deepStrictEqual(yield* listed("?mode=live"), [])
      assert.strictEqual((yield* api.operator("GET", path)).body.param, "mode")
      const [delivery] = yield* list()
      const one = yield* api.operator("GET", `/webhook_deliveries/${delivery.id}`)
      assert.deepStrictEqual(one.body.data, delivery)
      const again = yield* api.operator("POST", `/webhook_deliveries/${delivery.id}/resend`)
      assert.deepInclude(again.body.data, { resend_of: delivery.id, status: "pending" })
      assert.strictEqual(again.status, 202)
      yield* atRest
      assert.strictEqual(hook.all.length, 2)
      const none = yield* api.operator("GET", "/webhook_deliveries/dlv_none")
      assert.deepStrictEqual([none.status, none.body.error], [404, "delivery_not_found"])
    })
  )
})
