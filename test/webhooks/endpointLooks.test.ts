/**
 * A look at a failing endpoint, without a database or a mail server: who gets a mail, when it is disabled, and when the
 * next look is (silences: W24 to W26). `test/http/webhooks/failingEndpoints` has the same with all of them.
 */
import { nextLookAt, wellAfter } from "@coffer/rules/webhooks/health"
import type { Endpoint } from "@coffer/rules/webhooks/Settings"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { ConfirmedAddresses } from "../../src/shared/mail/ConfirmedAddresses.ts"
import { Mailer, MailNotTaken, MailUncertain, type Message } from "../../src/shared/mail/Mailer.ts"
import { type Merchant, Merchants } from "../../src/access/merchants/Merchants.ts"
import { Wakeups } from "../../src/platform/commit/Wakeups.ts"
import { type Work, Workers } from "../../src/platform/jobs/Workers.ts"
import { Settings } from "../../src/platform/runtime/Settings.ts"
import { DeliveryStore } from "../../src/webhooks/deliveries/DeliveryStore.ts"
import { EndpointHealth, healthIn, type HealthRow, type Looked } from "../../src/webhooks/deliveries/EndpointHealth.ts"
import { type About, endpointMail } from "../../src/webhooks/deliveries/endpointMail.ts"
import * as EndpointJobs from "../../src/webhooks/deliveries/EndpointJobs.ts"
import { WebhookEndpoints } from "../../src/webhooks/deliveries/WebhookEndpoints.ts"

/** Hours since the beginning. */
const at = (hours: number) => DateTime.makeUnsafe(hours * 3_600_000)
const now = at(24 * 40)

const row = (changes: Partial<HealthRow> = {}): HealthRow => ({
  endpoint_id: "whe_1",
  merchant_id: "mer_1",
  mode: "sandbox",
  fifth_at: null,
  last_failed_at: now,
  failing_since: at(24 * 39),
  well_since: null,
  is_told: false,
  told_at: null,
  reason: "it answers 503",
  answer: null,
  attempts: 0,
  ...changes
})
const outage = row({ fifth_at: at(24 * 39.5) })
const well = row({ is_told: true, told_at: at(24 * 39), well_since: DateTime.subtractDuration(now, wellAfter) })
const lasting = row({ failing_since: at(24 * 30), is_told: true, told_at: at(24 * 31) })

interface Options {
  readonly due?: ReadonlyArray<HealthRow>
  /** Undefined: it was deleted. */
  readonly endpoint?: object | undefined
  readonly merchant?: object
  readonly mail?: MailNotTaken | MailUncertain
  readonly hasTaken?: boolean
  readonly smtpUrl?: string
}

const world = Effect.fnUntraced(function* (options: Options = {}) {
  const { due = [], hasTaken = false, mail, merchant = { contact_email: "dev@shop.example" }, smtpUrl } = options
  const endpoint = "endpoint" in options ? options.endpoint : {}
  const whole = { id: "whe_1", url: "https://shop.example/", status: "enabled", updatedAt: at(0), ...endpoint }
  const webhooks = { endpoints: endpoint === undefined ? [] : [whole] }
  const found = {
    merchant_id: "mer_1",
    name: "Shop",
    modes: { live: { webhooks: { endpoints: [] } }, sandbox: { webhooks } }
  }
  const mails: Array<string> = []
  const done: Array<string> = []
  const looks: Array<Looked> = []
  const releasing: Array<number> = []
  let work: Work | undefined
  const services = Layer.mergeAll(
    Layer.succeed(Workers, {
      supervise: (make: (worker: never) => Work) => Effect.sync(() => void (work = make(undefined as never)))
    } as unknown as Workers["Service"]),
    Layer.succeed(Wakeups, {
      raise: (name: string) => void done.push(`wake ${name}`)
    } as unknown as Wakeups["Service"]),
    Layer.succeed(EndpointHealth, {
      hear: () => Effect.void,
      leaseDue: () => Effect.succeed(due),
      nextDue: Effect.succeed(Option.none()),
      hasTaken: () => Effect.succeed(hasTaken),
      looked: (_: HealthRow, looked: Looked) => Effect.sync(() => void looks.push(looked)),
      forget: () => Effect.sync(() => void done.push("forget"))
    } as unknown as EndpointHealth["Service"]),
    Layer.succeed(DeliveryStore, {
      release: () => Effect.sync(() => (done.push("release"), releasing.shift() ?? 0))
    } as unknown as DeliveryStore["Service"]),
    Layer.succeed(Merchants, {
      find: () => Effect.succeed({ ...found, contact_email: null, support_email: null, ...merchant })
    } as unknown as Merchants["Service"]),
    Layer.succeed(ConfirmedAddresses, {
      of: ({ contact_email, support_email }: Merchant) => Effect.succeed(contact_email ?? support_email)
    } as unknown as ConfirmedAddresses["Service"]),
    Layer.succeed(Mailer, {
      send: ({ subject, to }: Message) =>
        mail === undefined ? Effect.sync(() => void mails.push(`${to} ${subject}`)) : mail
    } as unknown as Mailer["Service"]),
    Layer.succeed(WebhookEndpoints, {
      disableFailing: (_: unknown, id: string) => Effect.sync(() => void done.push(`disable ${id}`))
    } as unknown as WebhookEndpoints["Service"]),
    Layer.succeed(Settings, { of: () => ({ smtpUrl }) } as unknown as Settings["Service"])
  )
  yield* Layer.build(Layer.provide(EndpointJobs.layer, services))
  yield* TestClock.setTime(DateTime.toEpochMillis(now))
  const { callsOutside, run } = work!
  return { callsOutside, done, looks, mails, releasing, run }
})

/** One look, and its outcome. */
const look = Effect.fnUntraced(function* (of: HealthRow, options: Options = {}) {
  const { done, looks, mails, run } = yield* world({ ...options, due: [of] })
  assert.strictEqual(yield* run, 1)
  return { done: done.filter((act) => act !== "release"), looks, mails }
})

const untold = { isTold: false, toldAt: null }

describe("a check of a failing endpoint", () => {
  it.effect("tells of an outage, and remembers when", () =>
    Effect.gen(function* () {
      const dueAt = nextLookAt({ ...healthIn(outage), isTold: true, toldAt: now }, now)
      assert.deepStrictEqual(yield* look(outage), {
        done: [],
        looks: [{ isTold: true, toldAt: now, isOver: false, dueAt }],
        mails: ["dev@shop.example Your webhook endpoint is failing: Shop"]
      })
    })
  )

  it.effect("tells that it is well again, and counts the failures before no more", () =>
    Effect.gen(function* () {
      const dueAt = nextLookAt({ ...healthIn(well), isTold: false, fifthFailedAt: null }, now)
      assert.deepStrictEqual(yield* look(well), {
        done: [],
        looks: [{ isTold: false, toldAt: well.told_at, isOver: true, dueAt }],
        mails: ["dev@shop.example Your webhook endpoint works again: Shop"]
      })
    })
  )

  it.effect("changes only its time if there is nothing to report, and forgets old outages", () =>
    Effect.gen(function* () {
      const dueAt = nextLookAt(healthIn(row()), now)
      assert.deepStrictEqual(yield* look(row()), { done: [], looks: [{ ...untold, dueAt }], mails: [] })
      const over = row({ last_failed_at: at(0), failing_since: at(0) })
      assert.deepStrictEqual(yield* look(over), { done: ["forget"], looks: [], mails: [] })
    })
  )

  it.effect("disables it after five days where its merchant wants that, and has not changed it within them", () =>
    Effect.gen(function* () {
      const disables = { disablesWhenFailing: true }
      assert.deepStrictEqual(yield* look(lasting, { endpoint: disables }), {
        done: ["disable whe_1"],
        looks: [{ isTold: true, toldAt: lasting.told_at, dueAt: now }],
        mails: []
      })
      assert.deepStrictEqual((yield* look(lasting, { endpoint: disables, hasTaken: true })).done, ["forget"])
      const until = (hours: number) => ({ ...disables, updatedAt: at(24 * 35 + hours) })
      assert.deepStrictEqual((yield* look(lasting, { endpoint: until(0) })).done, ["disable whe_1"])
      for (const endpoint of [until(1), {}, { disablesWhenFailing: false }]) {
        assert.isEmpty((yield* look(lasting, { endpoint })).done)
      }
    })
  )

  it.effect("forgets one that is gone or disabled, and tells of it only where it was disabled for failing", () =>
    Effect.gen(function* () {
      const forgotten = { done: ["forget"], looks: [], mails: [] }
      assert.deepStrictEqual(yield* look(outage, { endpoint: undefined }), forgotten)
      assert.deepStrictEqual(yield* look(outage, { endpoint: { id: "whe_2" } }), forgotten)
      assert.deepStrictEqual(yield* look(outage, { endpoint: { status: "disabled" } }), forgotten)
      assert.deepStrictEqual(yield* look(outage, { endpoint: { status: "disabled", isDisabledForFailing: true } }), {
        ...forgotten,
        mails: ["dev@shop.example A webhook endpoint was disabled: Shop"]
      })
    })
  )

  it.effect("tells the developers, else the support; a merchant without an address counts as told", () =>
    Effect.gen(function* () {
      for (const [merchant, to] of [
        [{ contact_email: "dev@a.example", support_email: "help@a.example" }, "dev@a.example"],
        [{ support_email: "help@a.example" }, "help@a.example"],
        [{}, undefined]
      ] as const) {
        const { looks, mails } = yield* look(outage, { merchant })
        assert.deepStrictEqual([looks[0]!.isTold, mails[0]?.split(" ")[0]], [true, to])
      }
    })
  )

  it.effect("comes again where the mail was not taken, until that is for good, uncertain, or tried 75 times", () =>
    Effect.gen(function* () {
      const notTaken = (forGood: boolean) => new MailNotTaken({ reason: "greylisted", forGood })
      for (const [mail, attempts, isOver] of [
        [notTaken(false), 74, false],
        [notTaken(false), 75, true],
        [notTaken(true), 0, true],
        [new MailUncertain({ reason: "reset" }), 0, true]
      ] as const) {
        const { looks } = yield* look({ ...outage, attempts }, { mail })
        assert.lengthOf(looks, isOver ? 1 : 0)
      }
    })
  )

  it.effect("is a call outside only where there is a mail server", () =>
    Effect.gen(function* () {
      assert.isFalse((yield* world()).callsOutside)
      assert.isTrue((yield* world({ smtpUrl: "smtp://mail.example" })).callsOutside)
    })
  )
})

describe("what waits for an endpoint that is paused no more", () => {
  it.effect("is released by a check once a minute, and immediately again if there may be more", () =>
    Effect.gen(function* () {
      const { done, releasing, run } = yield* world()
      releasing.push(10, 3)
      assert.deepStrictEqual([yield* run, yield* run, yield* run], [10, 3, 0])
      assert.deepStrictEqual(done, ["release", "wake deliveries", "release", "wake deliveries", "release"])
      yield* TestClock.adjust(59_999)
      yield* run
      assert.lengthOf(done, 5)
      yield* TestClock.adjust(1)
      yield* run
      assert.strictEqual(done.at(-1), "release")
      assert.lengthOf(done, 6)
    })
  )
})

describe("the mail about an endpoint", () => {
  const endpoint = { id: "whe_1", url: "https://shop.example/" } as Endpoint
  const merchant = { name: "Shop" } as Merchant
  const mailOf = (about: About, of: HealthRow) =>
    endpointMail(about, of, { endpoint, merchant, to: "dev@shop.example" })

  it("shows the endpoint's last answer where it gave one", () => {
    assert.include(mailOf("outage", row({ answer: "try later" })).text, "Response: try later")
    for (const answer of [null, ""]) assert.notInclude(mailOf("outage", row({ answer })).text, "Response:")
  })

  it("is the same at each attempt, and another one about another outage", () => {
    const idOf = (about: About, of: HealthRow) => mailOf(about, of).id
    const [began, told] = [DateTime.toEpochMillis(at(24 * 39)), DateTime.toEpochMillis(at(24 * 39.5))]
    assert.strictEqual(idOf("outage", outage), `outage_whe_1_${told}`)
    assert.strictEqual(idOf("outage", row()), `outage_whe_1_${began}`)
    assert.strictEqual(idOf("well", { ...row(), told_at: at(24 * 39.5) }), `well_whe_1_${told}`)
    assert.strictEqual(idOf("well", row()), `well_whe_1_${began}`)
    assert.strictEqual(idOf("disabled", outage), `disabled_whe_1_${began}`)
  })

  it("says since when it takes everything", () => {
    assert.include(mailOf("well", row({ well_since: at(24 * 41) })).text, `since ${DateTime.formatIso(at(24 * 41))}.`)
    assert.include(mailOf("well", row()).text, `since ${DateTime.formatIso(now)}.`)
  })
})
