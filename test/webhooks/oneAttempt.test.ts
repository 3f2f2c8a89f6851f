/**
 * One attempt to deliver an event, without a database or a socket: its destination, its signatures, and what follows
 * from its end (`src/webhooks/deliveries/postDelivery.ts`).
 */
import { webhookRedeliveryDelays } from "@coffer/model/Limits"
import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Events } from "../../src/webhooks/events/Events.ts"
import { Merchants } from "../../src/access/merchants/Merchants.ts"
import { MovedClock } from "../../src/platform/runtime/MerchantClocks.ts"
import { Secrets } from "../../src/platform/runtime/Secrets.ts"
import { Settings } from "../../src/platform/runtime/Settings.ts"
import type { LeasedDelivery } from "../../src/webhooks/deliveries/deliveryResults.ts"
import { Outbound, type OutboundRequest, type Outcome } from "../../src/webhooks/deliveries/Outbound.ts"
import { attemptOf, healthOf, makePost, type Posted } from "../../src/webhooks/deliveries/postDelivery.ts"

const answered = (status: number, snippet = ""): Outcome => ({ _tag: "Answered", status, snippet })
const missed = (reason: Extract<Outcome, { _tag: "NotDelivered" }>["reason"], detail: string): Outcome => ({
  _tag: "NotDelivered",
  reason,
  detail
})
const unsigned = { _tag: "Unsigned" } as const

const secretsOf = (current: string) => ({ current, rotatedAt: null, old: [] })
const endpoint = (id: string, more: object = {}) => ({
  id,
  url: `https://${id}.example/`,
  status: "enabled",
  secrets: secretsOf(`sealed ${id}`),
  ...more
})
const leased = (endpoint_id: string | null, more: Partial<LeasedDelivery> = {}): LeasedDelivery => ({
  id: "dlv_1",
  event_id: "evt_1",
  type: "order.paid",
  merchant_id: "mer_1",
  mode: "sandbox",
  endpoint_id,
  url: "https://old.example/",
  destination: "old.example",
  attempts: 0,
  is_manual: false,
  body: "{}",
  packed: null,
  ...more
})

/** A merchant with one endpoint of each kind. `takes`: the milliseconds until the answer. */
const world = Effect.fnUntraced(function* ({ allowPrivateWebhooks = false, outcome = answered(200), takes = 0 } = {}) {
  const requests: Array<OutboundRequest> = []
  const opened: Array<string> = []
  const endpoints = [
    endpoint("on"),
    endpoint("off", { status: "disabled" }),
    endpoint("waits", { isPaused: true }),
    endpoint("strict", { disablesWhenFailing: true, isPaused: false }),
    endpoint("broken")
  ]
  const webhooks = { endpoints, signing: secretsOf("sealed account") }
  const merchant = { merchant_id: "mer_1", modes: { live: { webhooks }, sandbox: { webhooks } } }
  const decrypt = (sealed: string) => {
    opened.push(sealed)
    if (sealed === "sealed broken") throw new Error("another key")
    return `whsec_${Buffer.from(sealed).toString("base64")}`
  }
  const post = (request: OutboundRequest) => {
    requests.push(request)
    return takes === 0 ? Effect.succeed(outcome) : Effect.as(TestClock.adjust(takes), outcome)
  }
  const attempt = yield* makePost.pipe(
    Effect.provideService(Merchants, { find: () => Effect.succeed(merchant) } as unknown as Merchants["Service"]),
    Effect.provideService(Secrets, { decrypt } as unknown as Secrets["Service"]),
    Effect.provideService(Events, { deliverable: () => "{}" } as unknown as Events["Service"]),
    Effect.provideService(Outbound, { post }),
    Effect.provideService(Settings, { allowPrivateWebhooks } as Settings["Service"])
  )
  return { attempt, opened, requests }
})

describe("an attempt", () => {
  it.effect("goes to the endpoint as it is now; to one that is gone or disabled nothing goes, a paused one waits", () =>
    Effect.gen(function* () {
      const { attempt, requests } = yield* world()
      for (const [id, result] of [
        ["gone", "skipped"],
        ["off", "skipped"],
        ["waits", "paused"]
      ] as const) {
        assert.strictEqual(yield* attempt(leased(id), 0), result)
      }
      assert.isEmpty(requests)
      for (const [id, url, disables] of [
        ["on", "https://on.example/", false],
        ["strict", "https://strict.example/", true],
        [null, "https://old.example/", false]
      ] as const) {
        assert.deepInclude(yield* attempt(leased(id), 0), { url, disables })
        assert.strictEqual(requests.at(-1)!.url, url)
        assert.strictEqual(requests.at(-1)!.headers["X-Service-Endpoint-Id"], id ?? undefined)
      }
    })
  )

  it.effect("begins until the time that leaves room in its lease, by real time, and not a millisecond later", () =>
    Effect.gen(function* () {
      const { attempt, requests } = yield* world()
      yield* TestClock.adjust(1_000)
      assert.strictEqual(yield* attempt(leased("on"), 999), "late")
      assert.isEmpty(requests)
      assert.isObject(yield* attempt(leased("on"), 1_000))
      const ahead = new MovedClock("mer_1", yield* Clock.Clock)
      ahead.offset = 5_000
      const posted = yield* Effect.provideService(attempt(leased("on"), 1_000), Clock.Clock, ahead)
      assert.deepInclude(posted, { at: DateTime.makeUnsafe(6_000), millis: 0 })
    })
  )

  it.effect("says when it began and ended, and how long it took", () =>
    Effect.gen(function* () {
      const { attempt } = yield* world({ takes: 250 })
      yield* TestClock.adjust(1_000)
      assert.deepInclude(yield* attempt(leased("on"), 1_000), {
        at: DateTime.makeUnsafe(1_000),
        ended: DateTime.makeUnsafe(1_250),
        millis: 250
      })
    })
  )

  it.effect("of a live delivery goes to public https alone; in a sandbox the operator may allow more", () =>
    Effect.gen(function* () {
      for (const allowPrivateWebhooks of [false, true]) {
        const { attempt, requests } = yield* world({ allowPrivateWebhooks })
        yield* attempt(leased("on", { mode: "live" }), 0)
        yield* attempt(leased("on"), 0)
        assert.deepStrictEqual(
          requests.map(({ httpAllowed, privateAllowed }) => [httpAllowed, privateAllowed]),
          [
            [false, false],
            [true, allowPrivateWebhooks]
          ]
        )
      }
    })
  )

  it.effect("is not sent where its secret does not open, and not counted where the operator's proxy failed", () =>
    Effect.gen(function* () {
      const { attempt, requests } = yield* world()
      assert.deepInclude(yield* attempt(leased("broken"), 0), { outcome: unsigned, millis: 0 })
      assert.isEmpty(requests)
      const proxied = yield* world({ outcome: missed("proxy", "ECONNREFUSED") })
      assert.strictEqual(yield* proxied.attempt(leased("on"), 0), "proxy")
      const timedOut = yield* world({ outcome: missed("timeout", "no response within 10s") })
      assert.isObject(yield* timedOut.attempt(leased("on"), 0))
    })
  )

  it.effect("opens each secret once while the settings are the same", () =>
    Effect.gen(function* () {
      const { attempt, opened } = yield* world()
      for (const id of ["on", "strict", "on", "strict", null, null]) yield* attempt(leased(id), 0)
      assert.deepStrictEqual(opened, ["sealed on", "sealed strict", "sealed account"])
    })
  )
})

const at = DateTime.makeUnsafe(1_000)
const posted = (outcome: Posted["outcome"], disables = false): Posted => ({
  at: DateTime.makeUnsafe(0),
  ended: at,
  millis: 1_000,
  url: "https://on.example/",
  outcome,
  disables
})

describe("what an attempt says of its endpoint", () => {
  const mark = (outcome: Posted["outcome"], more: Partial<LeasedDelivery> = {}, disables = false) =>
    healthOf(leased("on", more), posted(outcome, disables), at)?.mark ?? null

  it("a 2xx is a success, and another answer or none a failure: the first of its delivery, or a later one", () => {
    for (const [status, expected] of [
      [199, "first"],
      [200, "success"],
      [299, "success"],
      [300, "first"]
    ] as const) {
      assert.strictEqual(mark(answered(status)), expected, String(status))
    }
    assert.strictEqual(mark(missed("timeout", "no response within 10s")), "first")
    assert.strictEqual(mark(answered(500), { attempts: 1 }), "failure")
    assert.strictEqual(mark(answered(500), { is_manual: true }), "failure")
    assert.strictEqual(mark(answered(500), {}, true), "first_disables")
    assert.strictEqual(mark(answered(500), { attempts: 1 }, true), "failure")
    assert.deepStrictEqual(healthOf(leased("on"), posted(answered(200)), at), { mark: "success", at })
    assert.isNull(healthOf(leased(null), posted(answered(500)), at), "no endpoint")
  })
})

describe("the row of an attempt", () => {
  it("says that it succeeded and none follows, or when the next one is due after its end", () => {
    assert.deepInclude(attemptOf(leased("on"), posted(answered(204, "thanks"))), {
      status: "succeeded",
      nextAttemptAt: undefined,
      statusCode: 204,
      failure: null,
      snippet: "thanks",
      durationMillis: 1_000
    })
    webhookRedeliveryDelays.forEach((delay, attempts) =>
      assert.deepInclude(attemptOf(leased("on", { attempts }), posted(answered(500))), {
        status: "pending",
        nextAttemptAt: DateTime.addDuration(at, delay)
      })
    )
  })

  it("says that it failed for good after the last of the schedule, and where a merchant asked for this one", () => {
    for (const more of [{ attempts: webhookRedeliveryDelays.length }, { is_manual: true }]) {
      assert.deepInclude(attemptOf(leased("on", more), posted(answered(500))), {
        status: "failed",
        nextAttemptAt: undefined
      })
    }
  })

  it("names the reason where there was no answer", () => {
    for (const [outcome, failure] of [
      [missed("connect", "ECONNREFUSED"), "connect: ECONNREFUSED"],
      [unsigned, "secret: the signing secret cannot be decrypted"]
    ] as const) {
      assert.deepInclude(attemptOf(leased("on"), posted(outcome)), { statusCode: null, failure, snippet: null })
    }
  })
})
