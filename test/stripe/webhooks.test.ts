/** Stripe's posts: checked before any cost, stored before the answer, handled in any order. */
import { assert, describe, it } from "@effect/vitest"
import { MerchantId } from "@coffer/model/Ids"
import { Context, DateTime, Effect, Layer, Logger, Option, References } from "effect"
import type { Stripe } from "stripe"
import { checks } from "../../src/channels.ts"
import * as StripeJobs from "../../src/channels/stripe/StripeJobs.ts"
import { StripeEventStore } from "../../src/channels/stripe/StripeEventStore.ts"
import { diagnose } from "../../src/door/doctor/doctor.ts"
import { type Work, Workers } from "../../src/platform/jobs/Workers.ts"
import { leasedMax } from "../../src/platform/jobs/forEachLeased.ts"
import { currentTime } from "../../src/platform/runtime/clock.ts"
import * as Faults from "../../src/platform/runtime/Faults.ts"
import { installationWith } from "../kit/program/installation.ts"
import { connected, worlds } from "./kit.ts"

type World = Effect.Success<ReturnType<typeof connected>>

const pathOf = (world: World) => new URL(world.endpoint.url).pathname

/** As Stripe would send it: signed over its bytes. */
const send = (
  world: World,
  event: unknown,
  more: { readonly secret?: string; readonly at?: number; readonly path?: string } = {}
) =>
  Effect.gen(function* () {
    const { now } = yield* world.control.state({})
    const body = JSON.stringify(event)
    const header = world.stripe.webhooks.generateTestHeaderString({
      payload: body,
      secret: more.secret ?? world.endpoint.secret!,
      timestamp: more.at ?? now
    })
    return yield* world.api.call("POST", more.path ?? pathOf(world), {
      raw: body,
      headers: { "Content-Type": "application/json", "Stripe-Signature": header }
    })
  })

const stored = ({ sql }: World) => Effect.map(sql`select 1 from stripe_events`, ({ length }) => length)

const held = Effect.gen(function* () {
  const world = yield* connected()
  yield* world.control.hold_webhooks({})
  const made = yield* world.order()
  yield* world.choose(made)
  yield* world.control.pay({ session: world.sessions(made)[0]!.id })
  const event = world.simulator.all("event").find(({ type }) => type === "checkout.session.completed")!
  return { ...world, made, event }
})

describe("a webhook of Stripe", () => {
  it.live("is stored once, however often it comes, and makes the order paid", () =>
    Effect.gen(function* () {
      const world = yield* held
      for (const answer of ["stored", "repeated", "repeated"]) {
        const taken = yield* send(world, world.event)
        assert.deepStrictEqual([taken.status, taken.text], [200, answer])
      }
      yield* world.atRest
      assert.strictEqual((yield* world.merchant.order(world.made.trade_no))["status"], "paid")
      assert.strictEqual(yield* stored(world), 1)
    })
  )

  it.live("with a wrong signature, none, or one that is too old, is refused, and nothing is stored", () =>
    Effect.gen(function* () {
      const world = yield* held
      const { now } = yield* world.control.state({})
      assert.strictEqual((yield* send(world, world.event, { secret: "whsec_other" })).status, 400)
      assert.strictEqual((yield* send(world, world.event, { at: now - 301 })).status, 400)
      const unsigned = { raw: JSON.stringify(world.event), headers: { "Content-Type": "application/json" } }
      assert.strictEqual((yield* world.api.call("POST", pathOf(world), unsigned)).status, 400)
      assert.strictEqual((yield* send(world, world.event, { path: `${pathOf(world).slice(0, -2)}00` })).status, 404)
      assert.strictEqual((yield* send(world, { ...world.event, padding: "x".repeat(600_000) })).status, 400)
      assert.strictEqual(yield* stored(world), 0)
    })
  )

  it.live("that is refused asks the database nothing", () =>
    Effect.gen(function* () {
      const world = yield* held
      const asked = Effect.map(
        world.sql<{ calls: number }>`select (xact_commit + xact_rollback)::int4 as calls from pg_stat_database
          where datname = current_database()`,
        ([row]) => row!.calls
      )
      yield* world.atRest
      yield* send(world, world.event, { secret: "whsec_other" })
      yield* world.sql`select pg_stat_force_next_flush()`
      const before = yield* asked
      for (let time = 0; time < 1_000; time++) yield* send(world, world.event, { secret: "whsec_other" })
      yield* world.sql`select pg_stat_force_next_flush()`
      // Other connections report late what they did before.
      assert.isBelow((yield* asked) - before, 500, "heartbeats and ours, and none for each request")
    })
  )

  it.live("of another account, of the other mode, or about nothing of ours is taken and not stored", () =>
    Effect.gen(function* () {
      const world = yield* held
      for (const [other, outcome] of [
        [{ ...world.event, account: "acct_other" }, "no_account"],
        [{ ...world.event, account: "acct_\0" }, "no_account"],
        [{ ...world.event, livemode: true }, "no_account"],
        [{ ...world.event, type: "customer.created" }, "ignored"]
      ] as const) {
        const taken = yield* send(world, other)
        assert.deepStrictEqual([taken.status, taken.text], [200, outcome])
      }
      assert.strictEqual(yield* stored(world), 0)
    })
  )

  it.live("about a stray session for an order of ours credits no order", () =>
    Effect.gen(function* () {
      const world = yield* held
      const other = yield* world.order()
      const foreign = yield* Effect.promise(() =>
        world.stripe.checkout.sessions.create({
          mode: "payment",
          metadata: { coffer_trade_no: other.trade_no },
          line_items: [
            { quantity: 1, price_data: { currency: "usd", unit_amount: 2_000, product_data: { name: "T" } } }
          ],
          success_url: "https://shop.example/"
        })
      )
      yield* world.control.pay({ session: foreign.id })
      // The reconciler's findings do not come from a webhook.
      yield* world.atRest
      yield* world.sql`delete from stripe_events`
      const event = world.simulator
        .all("event")
        .find(
          ({ data, type }) =>
            type === "checkout.session.completed" && (data.object as Stripe.Checkout.Session).id === foreign.id
        )
      yield* send(world, event)
      yield* world.atRest
      assert.strictEqual((yield* world.merchant.order(other.trade_no))["status"], "pending")
      assert.match(
        (yield* world.api.get("/metrics")).text,
        /^coffer_stripe_events_total\{[^}]*outcome="ignored"[^}]*\} 1$/m
      )
    })
  )

  it.live("that cannot be handled now is handled later", () =>
    Effect.gen(function* () {
      const world = yield* held
      yield* world.control.fault({ on: "GET /v1/checkout/sessions/*", kind: "error_before", times: 2 })
      assert.strictEqual((yield* send(world, world.event)).status, 200)
      yield* world.atRest
      assert.strictEqual((yield* world.merchant.order(world.made.trade_no))["status"], "pending")
      yield* world.pass("1 minute")
      assert.strictEqual((yield* world.merchant.order(world.made.trade_no))["status"], "paid")
    })
  )
})

describe("a merchant without an account at Stripe", () => {
  it.live("has an address that answers 404", () =>
    Effect.gen(function* () {
      const { api, channelPath } = yield* worlds()
      const { webhook_url } = (yield* api.operator("GET", channelPath)).body.data
      assert.strictEqual((yield* api.call("POST", new URL(webhook_url).pathname, { body: {} })).status, 404)
    })
  )
})

describe("events of Stripe in any order", () => {
  it.live("a refund's, a dispute's and the payment's, newest first, lead to the same books", () =>
    Effect.gen(function* () {
      const world = yield* connected()
      const made = yield* world.order()
      yield* world.choose(made)
      yield* world.control.hold_webhooks({})
      yield* world.control.pay({ session: world.sessions(made)[0]!.id, with: "pm_card_createDispute" })
      yield* world.control.release_webhooks({ order: "newest_first" })
      yield* world.settled
      yield* world.pass("1 minute")
      const { merchant } = world
      assert.strictEqual((yield* merchant.order(made.trade_no))["status"], "paid")
      const [dispute] = (yield* merchant.get("/v1/disputes")).body.data.data
      assert.deepStrictEqual(
        [dispute.status, dispute.amount, dispute.trade_no],
        ["needs_response", 2_000, made.trade_no]
      )
    })
  )
})

describe("a destination of thin events", () => {
  it.live("shows the problem in the answer, and its payments are found within a minute", () =>
    Effect.gen(function* () {
      const world = yield* connected()
      yield* world.control.thin_events({ endpoint: world.endpoint.id })
      const thin = { id: "evt_1", object: "v2.core.event", type: "v1.checkout.session.completed", livemode: false }
      const told = yield* send(world, thin)
      assert.strictEqual(told.status, 400)
      assert.include(told.text, "sends thin events; create one with snapshot events")
      const look = Effect.map(
        world.sql`select thin_at is not null as thin, webhook_at is null as never from stripe_polls`,
        ([row]) => row
      )
      assert.deepStrictEqual(yield* look, { thin: true, never: true })
      const made = yield* world.order()
      yield* world.choose(made)
      yield* world.control.pay({ session: world.sessions(made)[0]!.id })
      yield* world.pass("61 seconds")
      assert.strictEqual((yield* world.merchant.order(made.trade_no))["status"], "paid")
    })
  )

  it.live("has a line in the log for each refused event, with the merchant and what to do", () =>
    Effect.gen(function* () {
      const warnings: Array<readonly [string, Readonly<Record<string, unknown>>]> = []
      const logger = Logger.make(({ fiber, logLevel, message }) => {
        if (logLevel === "Warn") warnings.push([String(message), fiber.getRef(References.CurrentLogAnnotations)])
      })
      const world = yield* connected({ faults: Layer.merge(Faults.layer, Logger.layer([logger])) })
      yield* send(world, { id: "evt_1", object: "v2.core.event", type: "v1.charge.refunded", livemode: false })
      const [line, ...others] = warnings.filter(([message]) => message.includes("thin events"))
      assert.lengthOf(others, 0)
      assert.include(line![0], "create one with snapshot events")
      assert.include(line![1], { merchant_id: world.merchant.merchantId, mode: "sandbox" })
    })
  )

  it.live("is a warning of the doctor that names the merchant, until a snapshot event comes", () =>
    Effect.gen(function* () {
      const world = yield* connected()
      const said = Effect.map(diagnose(installationWith({ sql: world.sql, url: world.database }), checks), (findings) =>
        findings.find(({ name }) => name === "stripe webhooks")!
      )
      assert.strictEqual((yield* said).status, "ok")
      yield* send(world, { id: "evt_1", object: "v2.core.event", type: "v1.charge.refunded", livemode: false })
      const { observation, status } = yield* said
      assert.strictEqual(status, "warning")
      assert.include(observation, world.merchant.merchantId)
      yield* world.pass("1 second")
      yield* world.paid()
      assert.strictEqual((yield* said).status, "ok")
    })
  )

  it.live("with a wrong signature gets no details", () =>
    Effect.gen(function* () {
      const world = yield* connected()
      const told = yield* send(world, { object: "v2.core.event" }, { secret: "whsec_other" })
      assert.strictEqual(told.status, 400)
      assert.notInclude(told.text, "thin")
    })
  )
})

/** The works of Stripe's workers on this world's database. Each is done when the test says so. */
const worksOn = Effect.fnUntraced(function* ({ context }: World) {
  const works: Array<Work> = []
  const supervise: Workers["Service"]["supervise"] = (make) =>
    Effect.sync(() => void works.push(make({ wake: () => {}, hold: () => {}, release: () => {} })))
  const workers = { ...Context.get(context, Workers), supervise }
  yield* Effect.provideContext(
    Layer.build(Layer.fresh(StripeJobs.layer)),
    Context.add(context, Workers, Workers.of(workers))
  )
  return (name: string) => works.find((work) => work.name === name)!
})

describe("an event of Stripe", () => {
  it.live("that was handled is kept for a week, and one look an hour drops it; one that was not handled stays", () =>
    Effect.gen(function* () {
      const world = yield* connected()
      yield* Effect.gen(function* () {
        const account = { merchantId: MerchantId.make(world.merchant.merchantId), mode: "sandbox" } as const
        const store = yield* StripeEventStore
        const now = yield* currentTime
        const terms = {
          type: "checkout.session.expired",
          kind: "session",
          objectId: "cs_1",
          names: "",
          shows: null
        } as const
        for (const [eventId, days] of Object.entries({ evt_handled: 7.1, evt_fresh: 6.9, evt_waiting: 30 })) {
          const at = DateTime.subtract(now, { hours: days * 24 })
          yield* store.insert(account, { ...terms, eventId, createdAt: at }, at)
          if (eventId !== "evt_waiting") yield* store.done(`${account.merchantId}/sandbox/${eventId}`)
        }
        yield* world.sql`update stripe_events set due_at = '9999-12-31' where event_id = 'evt_waiting'`
        const kept = Effect.map(
          world.sql<{ event_id: string }>`select event_id from stripe_events order by event_id`,
          (rows) => rows.map(({ event_id }) => event_id)
        )
        const work = yield* worksOn(world)
        assert.strictEqual(yield* work("stripe events").run, 0)
        assert.deepStrictEqual(
          yield* kept,
          ["evt_fresh", "evt_handled", "evt_waiting"],
          "rounds of each event drop none"
        )
        const { next, run, tidies } = work("handled events of stripe")
        assert.isTrue(tidies)
        assert.deepStrictEqual(yield* next, Option.some(DateTime.add(now, { hours: 1 })))
        assert.strictEqual(yield* run, 1)
        assert.deepStrictEqual(yield* kept, ["evt_fresh", "evt_waiting"])
      }).pipe(Effect.provideContext(world.context))
      yield* world.leap("3 hours")
      assert.lengthOf(yield* world.sql`select 1 from stripe_events`, 1, "the service's own look has dropped the other")
    })
  )

  it.live("is leased when it is worked on: of many as many as are handled at once, and no other runner has those", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const world = yield* connected({ simulator: { watch: (call) => void asked.push(call) } })
      yield* Effect.gen(function* () {
        const account = { merchantId: MerchantId.make(world.merchant.merchantId), mode: "sandbox" } as const
        const store = yield* StripeEventStore
        const now = yield* currentTime
        // Events that do not name their object: Stripe is asked for each.
        const terms = {
          type: "checkout.session.completed",
          kind: "session",
          createdAt: now,
          names: null,
          shows: null
        } as const
        for (let index = 0; index < 40; index++) {
          yield* store.insert(account, { ...terms, eventId: `evt_${index}`, objectId: `cs_${index}` }, now)
        }
        const work = yield* worksOn(world)
        const before = asked.length
        assert.strictEqual(yield* work("stripe events").run, leasedMax)
        assert.strictEqual(asked.length - before, leasedMax)
        const others = yield* store.leaseDue(now, 100)
        assert.lengthOf(others, 40 - leasedMax)
        // The work on the first has ended, and they are due again after their own wait. The others' may still run.
        assert.lengthOf(yield* store.leaseDue(DateTime.add(now, { seconds: 29 }), 100), leasedMax)
      }).pipe(Effect.provideContext(world.context))
    })
  )

  it.live("about what is settled already, or none of ours, asks nothing of Stripe", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const world = yield* connected({ simulator: { watch: (call) => void asked.push(call) } })
      const { control, merchant, settled, stripe } = world
      const reads = () => asked.filter((call) => /^GET .v1.(checkout.sessions|refunds).\w/.test(call)).length
      yield* Effect.promise(() =>
        stripe.checkout.sessions
          .create({
            mode: "payment",
            line_items: [
              {
                quantity: 1,
                price_data: { currency: "usd", unit_amount: 500, product_data: { name: "Another shop's" } }
              }
            ],
            success_url: "https://other.example"
          })
          .then(({ id }) => stripe.checkout.sessions.expire(id))
      )
      yield* settled
      assert.strictEqual(reads(), 0)
      yield* world.paid({ amount: 5_000 })
      yield* control.hold_webhooks({})
      const made = yield* world.order()
      yield* world.choose(made)
      yield* control.pay({ session: world.sessions(made)[0]!.id })
      yield* world.page(made, "?returned=1")
      const seen = reads()
      yield* control.release_webhooks({})
      yield* settled
      assert.strictEqual((yield* merchant.order(made.trade_no))["status"], "paid")
      assert.strictEqual(reads(), seen, "the buyer's return has found it")
      yield* control.hold_webhooks({})
      assert.strictEqual((yield* merchant.refund({ trade_no: made.trade_no })).body.data.status, "succeeded")
      yield* control.release_webhooks({})
      yield* settled
      assert.strictEqual(reads(), seen, "the refund's own answer has said it")
    })
  )
})
