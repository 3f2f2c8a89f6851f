/**
 * Deliveries as merchants and the operator see them, and resending one, without a database: whose it is, where it
 * goes, what is written, and the caller's answer (silences: W5, W11, W15). `test/http/webhooks/deliveries` has the
 * same over HTTP and Postgres.
 */
import type { Account } from "@coffer/model/Account"
import { destinationOf } from "@coffer/rules/delivery/route"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, DateTime, Duration, Effect, Exit, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { deliveries as table } from "../../src/webhooks/events/eventRows.ts"
import { answerCodes, answeredWith, CurrentClaim, type HeldClaim } from "../../src/shared/idempotency/Answering.ts"
import { Merchants } from "../../src/access/merchants/Merchants.ts"
import {
  AlreadyExists,
  type Change,
  type ChangeSet,
  type CommitError,
  NotCommitted,
  StaleVersion
} from "../../src/platform/commit/Change.ts"
import { Transactor } from "../../src/platform/commit/Transactor.ts"
import * as MerchantClocks from "../../src/platform/runtime/MerchantClocks.ts"
import * as NewIds from "../../src/platform/runtime/NewIds.ts"
import { Settings } from "../../src/platform/runtime/Settings.ts"
import * as Deliveries from "../../src/webhooks/deliveries/Deliveries.ts"
import { type Delivery, DeliveryHistory } from "../../src/webhooks/deliveries/DeliveryHistory.ts"
import { DeliveryStore } from "../../src/webhooks/deliveries/DeliveryStore.ts"
import { deliveryView } from "../../src/webhooks/deliveries/DeliveryView.ts"

const merchantId = "mer_01KAJ4XQ3B6W8T2EQN5VRD4J70"
const account = { merchantId, mode: "sandbox" } as Account
const at = (seconds: number) => DateTime.makeUnsafe(seconds * 1_000)

const deliveryOf = (changes: Partial<Delivery> = {}): Delivery => ({
  id: "dlv_1",
  event_id: "evt_1",
  event_type: "payment.succeeded",
  merchant_id: merchantId as Delivery["merchant_id"],
  mode: "sandbox",
  endpoint_id: null,
  url: "https://old.example/",
  status: "failed",
  next_attempt_at: null,
  resend_of: null,
  attempts: [],
  created_at: at(0),
  ...changes
})

const world = Effect.fnUntraced(function* (delivery: Delivery, kept?: Duration.Duration) {
  const commits: Array<{ readonly lane: string; readonly changes: ChangeSet }> = []
  const failing: Array<CommitError> = []
  const asked: Array<unknown> = []
  const endpoint = (id: string, status = "enabled") => ({ id, status, url: `https://${id}.example/` })
  const webhooks = { endpoints: [endpoint("other"), endpoint("on"), endpoint("off", "disabled")] }
  const merchant = { merchant_id: merchantId, modes: { live: { webhooks: { endpoints: [] } }, sandbox: { webhooks } } }
  const services = Layer.mergeAll(
    NewIds.layer,
    MerchantClocks.layer,
    Layer.succeed(Settings, { keep: { deliveries: kept } } as Settings["Service"]),
    Layer.succeed(Merchants, { find: () => Effect.succeed(merchant) } as unknown as Merchants["Service"]),
    Layer.succeed(Transactor, {
      commit: (lane: string, changes: ChangeSet) =>
        Effect.suspend(() => {
          const failure = failing.shift()
          if (failure === undefined) commits.push({ lane, changes })
          return failure === undefined ? Effect.void : Effect.fail(failure)
        })
    } as unknown as Transactor["Service"]),
    Layer.succeed(DeliveryStore, { putOff: () => Effect.succeed(true) } as unknown as DeliveryStore["Service"]),
    Layer.succeed(DeliveryHistory, {
      find: (id, account) =>
        Effect.sync(() => (asked.push(account), id === delivery.id ? Option.some(delivery) : Option.none())),
      page: (...request) => Effect.sync(() => (asked.push(request), { data: [delivery], hasMore: false }))
    } as DeliveryHistory["Service"])
  )
  const context = yield* Layer.build(Layer.provideMerge(Deliveries.layer, services))
  return {
    asked,
    clocks: Context.get(context, MerchantClocks.MerchantClocks),
    commits,
    deliveries: Context.get(context, Deliveries.Deliveries),
    failing
  }
})

const rowOf = (change: Change | undefined) =>
  Object.fromEntries(table.columns.map(({ field }, index) => [field, change?.cells[index]]))

const refusal = (effect: Effect.Effect<unknown, unknown>) =>
  Effect.map(Effect.exit(effect), (exit) =>
    Exit.isFailure(exit) ? Cause.squash(exit.cause) : "done"
  ) as Effect.Effect<{ readonly _tag: string; readonly reason?: string }>

describe("a delivery that is sent again", () => {
  it.effect("is a separate one that is due now, and the first is unchanged", () =>
    Effect.gen(function* () {
      const before = deliveryOf({ attempts: [{ delivery_id: "dlv_1" } as Delivery["attempts"][number]] })
      const { asked, commits, deliveries } = yield* world(before)
      yield* TestClock.setTime(60_000)
      const again = yield* deliveries.resend("dlv_1", account)
      assert.deepStrictEqual(again, {
        ...before,
        id: again.id,
        status: "pending",
        next_attempt_at: at(60),
        resend_of: "dlv_1",
        attempts: [],
        created_at: at(60)
      })
      assert.match(again.id, /^dlv_\w{26}$/)
      const [{ changes, lane }] = commits as [(typeof commits)[number]]
      assert.strictEqual(lane, again.id)
      assert.lengthOf(changes, 1)
      const time = "1970-01-01T00:01:00.000Z"
      assert.deepStrictEqual(rowOf(changes[0]), {
        id: again.id,
        merchantId,
        mode: "sandbox",
        createdAt: time,
        eventId: "evt_1",
        endpointId: null,
        url: "https://old.example/",
        destination: destinationOf("https://old.example/"),
        status: "pending",
        attempts: 0,
        nextAttemptAt: time,
        resendOf: "dlv_1"
      })
      assert.deepStrictEqual(asked, [account])
    })
  )

  it.effect("goes to where its endpoint is now, and not at all where that is disabled or gone", () =>
    Effect.gen(function* () {
      const { deliveries } = yield* world(deliveryOf({ endpoint_id: "on" }))
      assert.strictEqual((yield* deliveries.resend("dlv_1")).url, "https://on.example/")
      for (const [changes, reason] of [
        [{ endpoint_id: "off" }, "endpoint_disabled"],
        [{ endpoint_id: "gone" }, "endpoint_deleted"],
        [{ endpoint_id: "on", mode: "live" }, "endpoint_deleted"]
      ] as const) {
        const { commits, deliveries } = yield* world(deliveryOf(changes))
        assert.deepInclude(yield* refusal(deliveries.resend("dlv_1")), { _tag: "DeliveryConflict", reason })
        assert.isEmpty(commits)
      }
    })
  )

  it.effect("is found, and young enough by real time not to be dropped soon", () =>
    Effect.gen(function* () {
      const kept = Duration.seconds(60)
      const { clocks, deliveries } = yield* world(deliveryOf(), kept)
      assert.strictEqual((yield* refusal(deliveries.resend("dlv_2")))._tag, "DeliveryNotFound")
      // The clock of the sandbox is far ahead, and drops nothing.
      clocks.hear(merchantId, 3_600_000)
      yield* TestClock.setTime(59_999)
      assert.deepStrictEqual((yield* deliveries.resend("dlv_1")).created_at, at(3_659.999))
      yield* TestClock.setTime(60_000)
      assert.strictEqual((yield* refusal(deliveries.resend("dlv_1")))._tag, "DeliveryNotFound")
      assert.strictEqual((yield* (yield* world(deliveryOf())).deliveries.resend("dlv_1")).status, "pending")
    })
  )

  it.effect("is written in the lane of its request's key, with the answer", () =>
    Effect.gen(function* () {
      const { commits, deliveries } = yield* world(deliveryOf())
      const claim = {
        id: "key",
        version: 1,
        merchantId,
        mode: "sandbox",
        fingerprint: "f",
        createdAt: at(0),
        isNew: true
      } as const
      const held: HeldClaim = { claim, isAnswered: false }
      const sent = answeredWith(answerCodes(202), deliveries.resend("dlv_1", account))
      yield* Effect.provideService(sent, CurrentClaim, held)
      const [{ changes, lane }] = commits as [(typeof commits)[number]]
      assert.deepStrictEqual([lane, changes.map((change) => change.table)], ["key", ["deliveries", "idempotency_keys"]])
      assert.isTrue(held.isAnswered)
    })
  )

  it.effect("takes another number where lists have shown a later one, and is not sent where it may be another's", () =>
    Effect.gen(function* () {
      const { commits, deliveries, failing } = yield* world(deliveryOf())
      failing.push(new NotCommitted({ reason: "overtaken" }))
      yield* deliveries.resend("dlv_1")
      failing.push(new StaleVersion({ table: "idempotency_keys", key: "k" }))
      assert.deepInclude(yield* refusal(deliveries.resend("dlv_1")), { _tag: "NotCommitted", reason: "overloaded" })
      failing.push(new AlreadyExists({ table: "deliveries", key: "k" }))
      assert.strictEqual((yield* refusal(deliveries.resend("dlv_1")))._tag, "AlreadyExists")
      assert.lengthOf(commits, 1)
    })
  )
})

describe("deliveries", () => {
  it.effect("are listed for an account by its filters, and for the operator by merchant and mode", () =>
    Effect.gen(function* () {
      const { asked, deliveries } = yield* world(deliveryOf())
      const query = { limit: 7, status: "failed" } as const
      for (const page of [
        deliveries.page(account, query),
        deliveries.pageOf(merchantId, { ...query, mode: "sandbox" })
      ]) {
        assert.lengthOf((yield* page).data, 1)
        const [whose, request, filters] = asked.pop() as [Account, { readonly limit: number }, object]
        assert.deepStrictEqual([whose, request.limit, filters], [account, 7, query])
      }
      assert.strictEqual(
        (yield* refusal(deliveries.page(account, { starting_after: "dlv_1", ending_before: "dlv_2" })))._tag,
        "InvalidField"
      )
    })
  )
})

describe("a delivery on the wire", () => {
  const attempt = {
    delivery_id: "dlv_1",
    attempt: 1,
    at: at(1),
    duration_ms: 5,
    status_code: 200,
    failure: null,
    snippet: "ok"
  }

  it("says when its next attempt is due, and whether each was automatic or manual", () => {
    const shown = deliveryView(deliveryOf({ status: "pending", next_attempt_at: at(30), attempts: [attempt] }))
    assert.deepStrictEqual(shown, {
      object: "webhook_delivery",
      id: "dlv_1",
      mode: "sandbox",
      event_id: "evt_1",
      event_type: "payment.succeeded",
      endpoint_id: null,
      url: "https://old.example/",
      status: "pending",
      next_attempt_at: "1970-01-01T00:00:30.000Z",
      resend_of: null,
      attempts: [
        {
          attempt: 1,
          kind: "automatic",
          at: "1970-01-01T00:00:01.000Z",
          duration_ms: 5,
          status_code: 200,
          failure: null,
          response_excerpt: "ok"
        }
      ],
      created_at: "1970-01-01T00:00:00.000Z"
    })
    const manual = deliveryView(deliveryOf({ resend_of: "dlv_0", attempts: [attempt] }))
    assert.deepStrictEqual(
      [manual.next_attempt_at, manual.resend_of, manual.attempts[0]!.kind],
      [null, "dlv_0", "manual"]
    )
  })
})
