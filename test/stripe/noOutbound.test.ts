/**
 * A restored copy that runs beside the original installation makes no outside calls, and what is due there
 * stays as it was (silences: O53; docs/decisions/0067).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { assertRefused, type Json, merchantOf } from "../kit/Merchant.ts"
import { mailServer } from "../kit/servers/MailServer.ts"
import { eventually } from "../kit/Process.ts"
import { receiver } from "../kit/Receiver.ts"
import { freshDatabase, start } from "../kit/Service.ts"
import { answering } from "../webhooks/receiver.ts"
import { begins, chooses, connected, secretKey } from "./kit.ts"

const day = 86_400_000

/** The due work, of which rows, and their state. */
const dueTables = ["orders", "refunds", "disputes", "deliveries", "mails", "stripe_events", "stripe_polls"] as const

/** A merchant whose orders, refund, dispute, webhook and receipt wait for others. Then it all stops. */
const original = (database: string) =>
  Effect.gen(function* () {
    const world = yield* connected({ database })
    const { control, merchant, order, paid, choose, settled, simulator } = world
    // It answers nothing, so the webhook is due again.
    const hook = yield* receiver
    hook.answer(500)
    yield* merchant.post("/v1/webhook_endpoints", { url: hook.url, enabled_events: ["payment.succeeded"] })
    const sold = yield* paid({ amount: 5_000 })
    const disputed = yield* paid()
    const charge = simulator.all("charge").find(({ payment_intent }) => payment_intent === disputed["payment_id"])!
    yield* control.open_dispute({ charge: charge.id })
    yield* settled
    yield* control.refund_fates({ fates: ["pends"] })
    assert.strictEqual((yield* merchant.refund({ trade_no: sold["trade_no"], amount: 100 })).status, 202)
    const open = yield* order()
    yield* choose(open)
    yield* order()
    const dispute = (yield* merchant.get("/v1/disputes")).body.data.data[0].dispute_no as string
    return { merchant: world.merchant, sold, open, dispute }
  }).pipe(Effect.scoped)

/** The copy, days later, and a counting server in Stripe's place. */
const copied = Effect.fnUntraced(function* (days: number) {
  const database = yield* freshDatabase
  const before = yield* original(database)
  let calls = 0
  const stripe = yield* answering((_, response) => {
    calls++
    response.end("{}")
  })
  const mails = yield* mailServer()
  const copy = yield* start({
    database,
    clock: "test",
    begins: begins + days * day,
    env: { NO_OUTBOUND: "true", STRIPE_API: `http://127.0.0.1:${stripe.port}`, SMTP_URL: mails.url }
  })
  const quiet = Effect.sync(() => assert.deepStrictEqual([calls, mails.lines.length], [0, 0]))
  return { before, copy, mails, quiet, merchant: merchantOf({ api: copy.api, merchant: before.merchant }) }
})

const closed = /NO_OUTBOUND/

const certificate = Metric.gauge("coffer_public_certificate_expires_seconds", {
  description: "Time until the certificate of PUBLIC_URL expires; +Inf without one"
})

describe("a copy without outside calls", () => {
  it.live("leaves each row that is due as it was, for days, and calls neither the acquirer nor a mail server", () =>
    Effect.gen(function* () {
      const { before, copy, merchant, quiet } = yield* copied(30)
      const path = `/merchants/${before.merchant.merchantId}`
      yield* copy.api.operator("POST", path, { sandbox: { mail_recipients: ["ann@shop.example"] } })
      const receipt = { email: "ann@shop.example" }
      const asked = yield* merchant.post(`/v1/orders/${before.sold["trade_no"]}/send_receipt`, receipt)
      assert.strictEqual(asked.status, 200, asked.text)
      const rows = Effect.forEach(dueTables, (table) =>
        copy.sql.unsafe(`select to_jsonb(t) as row from ${table} t order by 1`)
      )
      const asItWas = yield* rows
      yield* copy.pass("2 days")
      assert.deepStrictEqual(yield* rows, asItWas)
      yield* quiet
      // They are still counted as due.
      const { body } = yield* copy.api.operator("GET", "/cluster")
      const due = Object.fromEntries(body.data.backlogs.map((one: Json) => [one["worker"], one["due"]]))
      for (const worker of ["deliveries", "expiry", "refunds", "dispute checks", "mails"])
        assert.isAbove(due[worker], 0, worker)
    })
  )

  it.live("refuses what needs the acquirer, says why, and changes nothing by it", () =>
    Effect.gen(function* () {
      const { before, copy, merchant, quiet } = yield* copied(0.5)
      const { dispute, open, sold } = before
      const channel = { channel: "stripe", secret_key: secretKey, webhook_secret: "whsec_ofNobody" }
      for (const refused of [
        yield* merchant.refund({ trade_no: sold["trade_no"], amount: 100, out_refund_no: "again" }),
        yield* merchant.post(`/v1/orders/${open.trade_no}/expire`),
        yield* merchant.accept(dispute),
        yield* merchant.respond(dispute, { evidence: { product_description: "Tea" }, submit: true }),
        yield* copy.api.operator("POST", `/merchants/${copy.merchant.merchantId}/channels/sandbox`, channel)
      ]) {
        assertRefused(refused, 409, "conflict")
        assert.match(refused.body.message, closed)
      }
      const page = yield* chooses(copy.api, open, "card")
      assert.strictEqual(page.status, 503)
      assert.strictEqual((yield* merchant.get(`/v1/disputes/${dispute}`)).body.data.status, "needs_response")
      yield* copy.atRest
      yield* quiet
    })
  )

  it.live("says so at /readyz and by a metric", () =>
    Effect.gen(function* () {
      const { copy } = yield* copied(1)
      const ready = yield* copy.api.call("GET", "/readyz")
      assert.strictEqual(ready.status, 200)
      assert.match(ready.body.outbound, closed)
      assert.match((yield* copy.api.get("/metrics")).text, /^coffer_outbound_closed 1$/m)
    })
  )

  it.live("does not look at the certificate of PUBLIC_URL, and says that it has seen none", () =>
    Effect.gen(function* () {
      const place = yield* answering((_, response) => void response.end())
      const before = -1
      yield* Metric.update(certificate, before)
      yield* start({ env: { NO_OUTBOUND: "true", PUBLIC_URL: `https://127.0.0.1:${place.port}` } })
      const value = Effect.map(Metric.value(certificate), ({ value }) => Number(value))
      yield* eventually(
        "a look at the certificate",
        Effect.map(value, (now) => now !== before)
      )
      assert.deepStrictEqual([yield* value, place.connections()], [Infinity, 0])
    })
  )
})
