/**
 * Changes during a post: the receiver holds its answer until the test has made the change (spec: Events,
 * Delivery and Rotation; silences: W5, W7, W8, W11, W18). The service's clock is stopped meanwhile.
 */
import { createServer, type ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { hooksOf, signaturesIn, stripeAccepts } from "../kit/callers/Hooks.ts"
import { type Received, receiver } from "../kit/Receiver.ts"
import { start } from "../kit/Service.ts"
import { run } from "./receiver.ts"

interface Held {
  readonly received: Received
  readonly response: ServerResponse
}

/** Leaves each answer to the test. */
const holding = Effect.gen(function* () {
  const arrived = yield* Queue.unbounded<Held>()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const raw = Buffer.concat(chunks).toString("utf8")
      Queue.offerUnsafe(arrived, { received: { headers: request.headers, raw, event: JSON.parse(raw) }, response })
    })
  })
  const { port } = yield* run(server)
  return { url: `http://127.0.0.1:${port}/hook`, next: Queue.take(arrived), size: Queue.size(arrived) }
})

const world = Effect.gen(function* () {
  const running = yield* start({ clock: "test" })
  const { api, context, merchant } = running
  const key = merchant.sandboxKey
  const list = Effect.map(api.get("/v1/webhook_deliveries", key), ({ body }) => body.data.data)
  return {
    ...running,
    hooks: hooksOf(running, merchant),
    hook: yield* holding,
    list,
    resend: (id: string) => api.post(`/v1/webhook_deliveries/${id}/resend`, key),
    wait: (duration: Duration.Input) => Effect.provideContext(TestClock.adjust(duration), context)
  }
})

// oxlint-disable-next-line no-explicit-any -- a test reads what it expects
const attemptsOf = (delivery: any) =>
  // oxlint-disable-next-line no-explicit-any -- a test reads what it expects
  delivery.attempts.map((attempt: any) => [Date.parse(attempt.at), attempt.status_code, attempt.failure])

const timedOut = "timeout: no response within 10 seconds"

describe("a receiver that answers", () => {
  it.live("after 9.9 seconds is in time", () =>
    Effect.gen(function* () {
      const { atRest, hook, hooks, list, pass, wait } = yield* world
      yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      const { response } = yield* hook.next
      yield* wait("9900 millis")
      response.writeHead(200).end()
      yield* atRest
      yield* pass("1 day")
      const [delivery] = yield* list
      assert.deepInclude(delivery, { status: "succeeded", next_attempt_at: null })
      assert.deepStrictEqual(attemptsOf(delivery), [[0, 200, null]])
      assert.strictEqual(yield* hook.size, 0)
    })
  )

  it.live(
    "after 10.1 seconds is too late: its answer is not heard, and the event comes 30 seconds after the tenth",
    () =>
      Effect.gen(function* () {
        const { atRest, hook, hooks, list, wait } = yield* world
        yield* hooks.create({ url: hook.url })
        yield* hooks.paid()
        const { received, response } = yield* hook.next
        yield* wait("10 seconds")
        yield* atRest
        yield* wait("100 millis")
        response.writeHead(200).end()
        const [late] = yield* list
        assert.deepInclude(late, { status: "pending", next_attempt_at: "1970-01-01T00:00:40.000Z" })
        assert.deepStrictEqual(attemptsOf(late), [[0, null, timedOut]])

        yield* wait("29900 millis")
        const again = yield* hook.next
        assert.strictEqual(again.received.raw, received.raw)
        again.response.writeHead(200).end()
        yield* atRest
        const [delivery] = yield* list
        assert.strictEqual(delivery.status, "succeeded")
        assert.deepStrictEqual(attemptsOf(delivery), [
          [0, null, timedOut],
          [40_000, 200, null]
        ])
      })
  )
})

describe("a delivery whose request is in flight", () => {
  for (const how of ["deleted", "disabled"] as const) {
    const change = (hooks: ReturnType<typeof hooksOf>, id: string) =>
      how === "deleted" ? hooks.remove(id) : hooks.update(id, { disabled: true })

    it.live(`is skipped when its endpoint is ${how}, unless the receiver takes it`, () =>
      Effect.gen(function* () {
        const { atRest, hook, hooks, list, pass } = yield* world
        const { id } = yield* hooks.create({ url: hook.url })
        // The first is answered at once, so that two may be under way together.
        yield* hooks.paid()
        ;(yield* hook.next).response.end()
        yield* atRest
        yield* Effect.all([hooks.paid(), hooks.paid()])
        const [taken, refused] = [yield* hook.next, yield* hook.next]
        yield* change(hooks, id)
        taken.response.writeHead(200).end()
        refused.response.writeHead(500).end()
        yield* atRest
        yield* pass("1 day")
        const found = new Map(
          (yield* list).map((delivery: { readonly event_id: string }) => [delivery.event_id, delivery])
        )
        const ofTaken = found.get(taken.received.event.id)
        const ofRefused = found.get(refused.received.event.id)
        assert.deepInclude(ofTaken, { status: "succeeded", next_attempt_at: null })
        assert.deepInclude(ofRefused, { status: "skipped", next_attempt_at: null })
        assert.deepStrictEqual(attemptsOf(ofRefused), [[0, 500, null]])
        assert.strictEqual(yield* hook.size, 0)
      })
    )
  }

  it.live("goes to the endpoint's new address from the next attempt on, when it has moved", () =>
    Effect.gen(function* () {
      const { atRest, hook, hooks, leap, list } = yield* world
      const { id } = yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      const { response } = yield* hook.next
      const moved = yield* receiver
      yield* hooks.update(id, { url: moved.url })
      response.writeHead(500).end()
      yield* atRest
      assert.deepInclude((yield* list)[0], { status: "pending", url: moved.url })
      yield* leap("31 seconds")
      assert.strictEqual(moved.all.length, 1)
      assert.deepInclude((yield* list)[0], { status: "succeeded", url: moved.url })
      assert.strictEqual(yield* hook.size, 0)
    })
  )

  it.live("is signed by the old secret; after two rotations its next attempt is signed by all three", () =>
    Effect.gen(function* () {
      const { atRest, hook, hooks, wait } = yield* world
      const first = yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      const before = yield* hook.next
      const second = yield* hooks.rotate(first.id)
      const third = yield* hooks.rotate(first.id)
      before.response.writeHead(500).end()
      yield* atRest
      yield* wait("30 seconds")
      const after = yield* hook.next
      after.response.end()
      assert.deepStrictEqual(signaturesIn(before.received), [1, 1])
      assert.isTrue(stripeAccepts(before.received, first.secret))
      assert.deepStrictEqual(signaturesIn(after.received), [3, 3])
      for (const { secret } of [first, second, third]) assert.isTrue(stripeAccepts(after.received, secret))
    })
  )

  it.live("is not sent again meanwhile: the caller is told, and one post is made", () =>
    Effect.gen(function* () {
      const { api, atRest, hook, hooks, list, resend } = yield* world
      yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      const first = yield* hook.next
      const [original] = yield* list
      for (const again of [resend(original.id), api.operator("POST", `/webhook_deliveries/${original.id}/resend`)]) {
        const { body, status } = yield* again
        assert.deepStrictEqual([status, body.error], [409, "conflict"])
        assert.include(body.message, "under way")
      }
      first.response.writeHead(500).end()
      yield* atRest
      assert.deepStrictEqual([yield* hook.size, (yield* list).length], [0, 1])

      const { body, status } = yield* resend(original.id)
      assert.deepInclude({ status, ...body.data }, { status: "pending", resend_of: original.id })
      ;(yield* hook.next).response.end()
      yield* atRest
    })
  )
})

describe("a delivery that waits for its next attempt", () => {
  it.live("and is sent again by hand waits until that post must have ended", () =>
    Effect.gen(function* () {
      const { atRest, hook, hooks, list, resend, wait } = yield* world
      yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      ;(yield* hook.next).response.writeHead(500).end()
      yield* atRest
      const [original] = yield* list
      yield* wait("25 seconds")
      const { status } = yield* resend(original.id)
      assert.strictEqual(status, 202)
      const byHand = yield* hook.next
      // Its next attempt was due after 30 seconds.
      yield* wait("9 seconds")
      assert.strictEqual(yield* hook.size, 0)
      byHand.response.writeHead(500).end()
      yield* atRest
      assert.strictEqual(yield* hook.size, 0)
      const [manual, automatic] = yield* list
      assert.deepInclude(manual, { resend_of: original.id, status: "failed" })
      assert.deepInclude(automatic, { status: "pending", next_attempt_at: "1970-01-01T00:00:40.000Z" })
      yield* wait("6 seconds")
      const next = yield* hook.next
      next.response.end()
      yield* atRest
      assert.deepInclude((yield* list)[1], { id: original.id, status: "succeeded" })
      assert.strictEqual(yield* hook.size, 0)
    })
  )

  it.live("keeps its time where that post ends before", () =>
    Effect.gen(function* () {
      const { atRest, hook, hooks, list, resend } = yield* world
      yield* hooks.create({ url: hook.url })
      yield* hooks.paid()
      ;(yield* hook.next).response.writeHead(500).end()
      yield* atRest
      const [original] = yield* list
      yield* resend(original.id)
      ;(yield* hook.next).response.end()
      yield* atRest
      assert.strictEqual((yield* list)[1].next_attempt_at, original.next_attempt_at)
    })
  )
})

describe("an endpoint that stays", () => {
  it.live("gets every event once while others come and go, and those get none after they are gone", () =>
    Effect.gen(function* () {
      const { atRest, hooks, list } = yield* world
      const [stays, comes] = [yield* receiver, yield* receiver]
      const { id } = yield* hooks.create({ url: stays.url })
      const comeAndGo = Effect.gen(function* () {
        const other = yield* hooks.create({ url: comes.url })
        yield* hooks.update(id, { description: other.id })
        yield* hooks.update(other.id, { disabled: true })
        yield* hooks.update(other.id, { disabled: false })
        yield* hooks.remove(other.id)
      })
      const sell = Effect.forEach(Array.from({ length: 8 }), () => hooks.paid(), { discard: true })
      const changes = Effect.forEach(Array.from({ length: 4 }), () => comeAndGo, { discard: true })
      yield* Effect.all([sell, sell, sell, changes, changes], { concurrency: "unbounded" })
      yield* atRest
      const events = stays.all.map(({ event }) => event.id)
      assert.deepStrictEqual([events.length, new Set(events).size], [24, 24])
      const gone = comes.all.length
      yield* hooks.paid()
      yield* atRest
      assert.deepStrictEqual([stays.all.length, comes.all.length], [25, gone])
      const states = (yield* list).map((each: { readonly status: string }) => each.status)
      assert.isEmpty(states.filter((status: string) => status !== "succeeded" && status !== "skipped"))
    })
  )
})
