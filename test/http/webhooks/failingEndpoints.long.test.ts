/** Merchants are notified of failing endpoints, which are disabled if they want it (silences: W25, W26). */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { Statement } from "effect/sql"
import { type Ended, recordAttempts } from "../../../src/webhooks/deliveries/deliveryResults.ts"
import { hooksOf } from "../../kit/callers/Hooks.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { eventually } from "../../kit/Process.ts"
import { receiver } from "../../kit/Receiver.ts"
import { start } from "../../kit/Service.ts"
import { proxying } from "../../webhooks/proxy.ts"

const worldWith = Effect.fnUntraced(function* (env: Record<string, string> = {}) {
  const smtp = yield* mailServer()
  const running = yield* start({ clock: "test", env: { SMTP_URL: smtp.url, ...env } })
  const { api, atRest, leap, merchant, settle } = running
  const hooks = hooksOf(running, merchant)
  const hook = yield* receiver
  yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { contact_email: "developers@shop.example" })
  /** Events, each of which is tried for the first time. */
  const events = Effect.fnUntraced(function* (count: number) {
    for (let index = 0; index < count; index++) {
      yield* hooks.paid()
      yield* atRest
    }
    yield* settle
  })
  /** Time passes, and workers look. */
  const later = (span: Parameters<typeof leap>[0]) => Effect.andThen(leap(span), settle)
  const mailed = (count: number) =>
    eventually(
      `${count} mails`,
      Effect.map(later("1 second"), () => smtp.mails.length >= count)
    )
  return { ...running, smtp, hooks, hook, events, later, mailed }
})
const world = worldWith()

/** Without the line breaks of its encoding. */
const textOf = (mail: string) => mail.replaceAll("=\r\n", "").replaceAll(/\s+/g, " ")

describe("a merchant's developers", () => {
  it.live("get one mail when five first attempts of an endpoint have failed, with the reason and the last answer", () =>
    Effect.gen(function* () {
      const { events, hook, hooks, later, mailed, smtp } = yield* world
      hook.answer(503)
      const { id } = yield* hooks.create({ url: hook.url })
      yield* events(4)
      yield* later("1 minute")
      assert.strictEqual(smtp.mails.length, 0)
      yield* events(1)
      yield* mailed(1)
      const mail = textOf(smtp.mails[0]!)
      assert.include(mail, "developers@shop.example")
      for (const words of [id, "it answers 503", "seen", new URL(hook.url).host]) assert.include(mail, words)
      yield* events(6)
      for (let hour = 0; hour < 30; hour++) yield* later("1 hour")
      assert.strictEqual(smtp.mails.length, 1, "one mail for one outage")
      const rows = yield* hooks.deliveries
      assert.isTrue(
        rows.every(({ attempts, status }) => status === "failed" && attempts === 7),
        "the schedule is untouched"
      )
    })
  )

  it.live("get none for five failures that a day does not hold, nor for retries", () =>
    Effect.gen(function* () {
      const { events, hook, hooks, later, smtp } = yield* world
      hook.answer(500)
      yield* hooks.create({ url: hook.url })
      yield* events(1)
      for (let count = 0; count < 5; count++) {
        yield* later("7 hours")
        yield* events(1)
      }
      yield* later("1 minute")
      assert.strictEqual(smtp.mails.length, 0)
    })
  )

  it.live("are notified when the endpoint works again, a quarter of an hour after the first success", () =>
    Effect.gen(function* () {
      const { events, hook, hooks, later, mailed, smtp, sql } = yield* world
      hook.answer(500)
      yield* hooks.create({ url: hook.url })
      yield* events(5)
      yield* mailed(1)
      hook.answer(200)
      yield* events(1)
      yield* later("5 minutes")
      hook.answer(500)
      yield* events(1)
      yield* later("1 minute")
      assert.strictEqual(smtp.mails.length, 1, "one success between failures is no health")
      hook.answer(200)
      yield* events(1)
      yield* later("16 minutes")
      yield* mailed(2)
      assert.include(textOf(smtp.mails[1]!), "has accepted every event since")
      yield* later("25 hours")
      yield* later("1 minute")
      assert.deepStrictEqual(yield* sql`select 1 from endpoint_health`, [])
      assert.strictEqual(smtp.mails.length, 2)
    })
  )

  it.live("are notified of the next outage a day after the last mail about one at the earliest", () =>
    Effect.gen(function* () {
      const { events, hook, hooks, later, mailed, smtp } = yield* world
      hook.answer(500)
      yield* hooks.create({ url: hook.url })
      yield* events(5)
      yield* mailed(1)
      hook.answer(200)
      yield* events(1)
      yield* later("20 minutes")
      yield* mailed(2)
      hook.answer(500)
      yield* later("20 hours")
      yield* events(5)
      yield* later("1 hour")
      assert.strictEqual(smtp.mails.length, 2)
      yield* later("4 hours")
      yield* mailed(3)
      assert.include(textOf(smtp.mails[2]!), "on the first attempt")
    })
  )

  it.live("get the mail later where the mail server is away", () =>
    Effect.gen(function* () {
      const { events, hook, hooks, later, mailed, smtp } = yield* world
      smtp.behave({ refuse: 451 })
      hook.answer(500)
      yield* hooks.create({ url: hook.url })
      yield* events(5)
      yield* later("10 minutes")
      smtp.behave("take")
      yield* later("2 hours")
      yield* mailed(1)
    })
  )

  it.live("hear nothing of failures that are our own", () =>
    Effect.gen(function* () {
      const { events, hook, hooks, later, merchant, smtp, sql } = yield* world
      yield* hooks.create({ url: hook.url })
      yield* sql.unsafe(
        `update webhook_settings set endpoints = jsonb_set(endpoints, '{0,secrets,current}', '"sealed by another key"')
          where merchant_id = $1`,
        [merchant.merchantId]
      )
      yield* events(6)
      yield* later("1 minute")
      assert.strictEqual(hook.all.length, 0)
      assert.deepStrictEqual(yield* sql`select 1 from endpoint_health`, [])
      assert.strictEqual(smtp.mails.length, 0)
    })
  )

  it.live("hear nothing while the operator's proxy fails", () =>
    Effect.gen(function* () {
      const proxy = yield* proxying(() => 407)
      const { hook, hooks, pass, smtp, sql } = yield* worldWith({ WEBHOOK_PROXY: Redacted.value(proxy.url) })
      yield* hooks.create({ url: hook.url })
      for (let count = 0; count < 6; count++) yield* hooks.paid()
      yield* pass("10 minutes")
      assert.isAtLeast(proxy.asked.length, 6)
      assert.deepStrictEqual(yield* sql`select distinct status, attempts from deliveries`, [
        { status: "pending", attempts: 0 }
      ])
      assert.deepStrictEqual(yield* sql`select 1 from endpoint_health`, [])
      assert.strictEqual(smtp.mails.length, 0)
    })
  )

  it.live("hear nothing of an endpoint that they have disabled or deleted meanwhile", () =>
    Effect.gen(function* () {
      const { events, hook, hooks, later, smtp, sql } = yield* world
      smtp.behave({ refuse: 451 })
      hook.answer(500)
      const { id } = yield* hooks.create({ url: hook.url })
      yield* events(5)
      yield* eventually(
        "a first try",
        Effect.map(later("1 second"), () => smtp.lines.includes("DATA"))
      )
      yield* hooks.update(id, { status: "disabled" })
      smtp.behave("take")
      yield* later("2 hours")
      yield* later("1 minute")
      assert.deepStrictEqual([smtp.mails.length, yield* sql`select 1 from endpoint_health`], [0, []])
    })
  )
})

describe("an endpoint", () => {
  it.live("that takes what it is sent leaves no row", () =>
    Effect.gen(function* () {
      const { events, hook, hooks, sql } = yield* world
      yield* hooks.create({ url: hook.url })
      yield* events(3)
      assert.strictEqual(hook.all.length, 3)
      assert.deepStrictEqual(yield* sql`select 1 from endpoint_health`, [])
    })
  )

  it.live(
    "that has taken nothing for five days is disabled where its merchant asked for it, and the mail says so",
    () =>
      Effect.gen(function* () {
        const { events, hook, hooks, later, mailed, smtp } = yield* world
        hook.answer(500)
        const asked = yield* hooks.create({ url: `${hook.url}/1`, disable_when_failing: true })
        const other = yield* hooks.create({ url: `${hook.url}/2` })
        assert.deepStrictEqual([asked.disable_when_failing, other.disable_when_failing], [true, false])
        for (let day = 0; day < 5; day++) {
          yield* events(1)
          yield* later("1 day")
          assert.strictEqual((yield* hooks.retrieve(asked.id)).status, "enabled", `day ${day}`)
        }
        yield* events(1)
        yield* eventually(
          "the endpoint to be disabled",
          Effect.flatMap(later("1 minute"), () =>
            Effect.map(hooks.retrieve(asked.id), ({ status }) => status === "disabled")
          )
        )
        assert.strictEqual((yield* hooks.retrieve(other.id)).status, "enabled")
        yield* mailed(1)
        assert.include(textOf(smtp.mails.at(-1)!), "It was disabled automatically")
        assert.strictEqual((yield* hooks.update(asked.id, { status: "enabled" })).status, "enabled")
        yield* events(2)
        yield* later("1 hour")
        assert.deepInclude(yield* hooks.retrieve(asked.id), { status: "enabled", disable_when_failing: true })
      })
  )

  it.live("that takes one event in five days is not disabled", () =>
    Effect.gen(function* () {
      const { events, hook, hooks, later } = yield* world
      const { id } = yield* hooks.create({ url: hook.url, disable_when_failing: true })
      for (let day = 0; day < 8; day++) {
        hook.answer(day === 3 ? 200 : 500)
        yield* events(1)
        hook.answer(500)
        yield* later("1 day")
      }
      assert.strictEqual((yield* hooks.retrieve(id)).status, "enabled")
    })
  )
})

describe("the health of endpoints", () => {
  it.live("costs a delivery no statement: a batch is one statement with it, and the usual one if all are healthy", () =>
    Effect.gen(function* () {
      const { sql } = yield* start()
      const now = DateTime.makeUnsafe(0)
      const endedWith = (health: Ended["health"]): Ended => ({
        delivery: {
          id: "dlv_none",
          event_id: "evt_1",
          type: "payment.succeeded",
          merchant_id: "mer_1",
          mode: "live",
          endpoint_id: "whe_none",
          url: "https://shop.example/hook",
          destination: "shop.example",
          attempts: 0,
          is_manual: false,
          body: "{}",
          packed: null
        },
        attempt: {
          at: now,
          url: "https://shop.example/hook",
          durationMillis: 5,
          statusCode: 500,
          failure: null,
          snippet: null,
          status: "pending",
          nextAttemptAt: now
        },
        health
      })
      const statementsOf = Effect.fnUntraced(function* (batch: ReadonlyArray<Ended>) {
        const sent: Array<string> = []
        yield* Effect.provideService(recordAttempts(sql, batch), Statement.CurrentTransformer, (statement) =>
          Effect.sync(() => {
            sent.push(statement.compile()[0])
            return statement
          })
        )
        return sent
      })
      const well = yield* statementsOf([endedWith(null), endedWith(null)])
      assert.lengthOf(well, 1)
      assert.notInclude(well[0], "endpoint_health")
      const failing = yield* statementsOf([endedWith(null), endedWith({ mark: "first", at: now })])
      assert.lengthOf(failing, 1)
      assert.include(failing[0], "endpoint_health")
    })
  )
})
