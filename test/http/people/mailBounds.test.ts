/**
 * Mails about people: whose requests count, how many are sent in a day, their content, and what a refusal delays.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ConsoleBrowser, consoleBrowser, invite, linkIn, signIn } from "../../kit/callers/console.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { type Running, start } from "../../kit/Service.ts"

const begin = Effect.fnUntraced(function* (options: Parameters<typeof start>[0] = {}) {
  const mails = yield* mailServer()
  const env = { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example", TRUSTED_PROXIES: "127.0.0.1" }
  const running = yield* start({ ...options, env: { ...env, ...options.env } })
  const { api, merchant } = running
  yield* invite(api, mails, { email: "ada@shop.example", merchant_id: merchant.merchantId, role: "owner" })
  return { ...running, mails, at: `/merchants/${merchant.merchantId}/people` }
})

type Begun = Effect.Success<ReturnType<typeof begin>>

const from = (address: string) => ({ "X-Forwarded-For": address })
const idOf = (mail: string) => /^Message-ID:\s*(<[^>]+>)/im.exec(mail)?.[1]

const email = "ada@shop.example"
const networks = ["192.0.2.1", "192.0.2.2", "192.0.2.3"]

/** Strangers of three networks ask for as many links as they get. Returns the number of mails. */
const crowd = Effect.fnUntraced(function* ({ api, mails }: Pick<Begun, "api" | "mails">) {
  let sent = mails.mails.length
  for (const network of networks) {
    for (let number = 0; number < 10; number++) {
      yield* consoleBrowser(api).call("POST", "/sign_in", { email }, from(network))
      yield* mails.mail(++sent)
    }
  }
  return sent
})

it.live("strangers cannot lock a person out: a browser in which the person has signed in gets its own links", () =>
  Effect.gen(function* () {
    const { api, mails } = yield* begin({ clock: "test" })
    const known = yield* signIn(api, mails, email)
    const sent = yield* crowd({ api, mails })
    yield* known.call("POST", "/sign_in", { email }, from("192.0.2.1"))
    const mail = yield* mails.mail(sent + 1)
    assert.notInclude(mail, "share this email")
    const token = linkIn(mail)
    assert.strictEqual((yield* known.call("POST", "/sign_in/use", { token })).status, 201)
    assert.strictEqual(mails.mails.length, sent + 1)
  }).pipe(Effect.scoped)
)

it.live(
  "strangers of many networks cannot lock a person out of a new browser: all requests share the mail that is sent",
  () =>
    Effect.gen(function* () {
      const { api, leap, mails, sql } = yield* begin({ clock: "test" })
      const sent = yield* crowd({ api, mails })
      const stranger = consoleBrowser(api)
      const ask = ({ call }: ConsoleBrowser, network: string) => call("POST", "/sign_in", { email }, from(network))
      const use = ({ call }: ConsoleBrowser, token: string) =>
        Effect.map(call("POST", "/sign_in/use", { token }), ({ status }) => status)
      const joined = sql`select from sharing_browsers`
      yield* ask(stranger, "192.0.2.4")
      const first = linkIn(yield* mails.mail(sent + 1))

      // Every later request gets the same mail, at a network that has asked ten times as well as at others.
      const person = consoleBrowser(api)
      const onlooker = consoleBrowser(api)
      const others = [...networks, "192.0.2.5", "2001:db8::1"].map((network) => ask(consoleBrowser(api), network))
      const asked = yield* Effect.all([ask(person, networks[0]!), ...others], { concurrency: "unbounded" })
      assert.deepStrictEqual(new Set(asked.map(({ status }) => status)), new Set([202]))
      yield* Effect.repeat(joined, { until: ({ length }) => length === 6 })
      // A browser that has not asked cannot use it, and it works once.
      assert.strictEqual(yield* use(onlooker, first), 400)
      assert.strictEqual(yield* use(person, first), 201)
      assert.strictEqual(yield* use(stranger, first), 400)

      // The link is used, so the next request brings another; so does one that is about to end.
      const other = consoleBrowser(api)
      yield* ask(other, "192.0.2.6")
      const second = linkIn(yield* mails.mail(sent + 2))
      yield* leap("11 minutes")
      const late = consoleBrowser(api)
      yield* ask(late, "192.0.2.7")
      const third = linkIn(yield* mails.mail(sent + 3))
      assert.strictEqual(yield* use(late, second), 400)
      assert.strictEqual(yield* use(late, third), 201)
      assert.strictEqual(mails.mails.length, sent + 3)
    }).pipe(Effect.scoped)
)

it.live("a merchant's people send three invitations to one address in a day, and no typed word goes with them", () =>
  Effect.gen(function* () {
    const { api, at, mails } = yield* begin()
    const { call } = yield* signIn(api, mails, "ada@shop.example")
    const typed = { email: "stranger@elsewhere.example", name: "locked: open http://evil.example", role: "viewer" }
    const before = mails.mails.length
    const ids = new Set<string | undefined>()
    for (let number = 1; number <= 3; number++) {
      const invited = yield* call("POST", at, typed)
      assert.strictEqual(invited.status, 201, invited.text)
      const mail = yield* mails.mail(before + number)
      ids.add(idOf(mail))
      assert.notInclude(mail, "evil")
      assert.include(mail, "ada@shop.example")
      assert.strictEqual((yield* call("POST", `${at}/${invited.body.data.person_id}/remove`)).status, 200)
    }
    assert.strictEqual(ids.size, 3, "each mail has a Message-ID of its own")
    const refused = yield* call("POST", at, typed)
    assert.deepStrictEqual([refused.status, refused.body.error], [429, "rate_limited"])
    assert.isNotNull((refused.headers as Headers).get("retry-after"))
    assert.notInclude((yield* call("GET", at)).text, "stranger@")
    assert.strictEqual((yield* call("POST", at, { ...typed, email: "other@elsewhere.example" })).status, 201)
  }).pipe(Effect.scoped)
)

it.live("a mail that the server does not take now is the same mail when it is tried again", () =>
  Effect.gen(function* () {
    const { api, leap, mails, merchant } = yield* begin({ clock: "test" })
    mails.behave({ refuse: 451 })
    const before = mails.mails.length
    const person = { email: "late@shop.example", merchant_id: merchant.merchantId, role: "viewer" }
    assert.strictEqual((yield* api.operator("POST", "/people", person)).status, 200)
    const refused = Effect.suspend(() => Effect.succeed(mails.lines.filter((line) => /^Message-ID:/i.test(line))))
    yield* Effect.repeat(Effect.andThen(Effect.yieldNow, refused), { until: (ids) => ids.length > before })
    mails.behave("take")
    yield* leap("1 minute")
    const mail = yield* mails.mail(before + 1)
    assert.include(mail, "late@shop.example")
    assert.include((yield* refused).at(-2)!, idOf(mail)!)
  }).pipe(Effect.scoped)
)

const stranger = "stranger@elsewhere.example"
const kept = "confirmed"

/** Why a sandbox's receipt to this address is kept; null: it was sent. */
const keptFor = Effect.fnUntraced(function* ({ api, atRest, merchant, sql }: Running, receipt_email: string) {
  const { body } = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 1_000, receipt_email })
  const { trade_no } = body.data
  yield* api.post(`/v1/test_helpers/orders/${trade_no}/pay`, merchant.sandboxKey, {})
  yield* atRest
  const [mail] = yield* sql<{ readonly error: string | null }>`select error from mails where trade_no = ${trade_no}`
  return mail!.error
})

it.live("an address that a merchant's person has typed counts once its owner signs in, or an operator sets it", () =>
  Effect.gen(function* () {
    const running = yield* begin({ clock: "test" })
    const { api, mails, merchant } = running
    const { call } = yield* signIn(api, mails, "ada@shop.example")
    const settings = `/merchants/${merchant.merchantId}/settings`
    const type = (body: object) => Effect.map(call("POST", settings, body), ({ status }) => status)
    const setByOperator = (body: object) => api.operator("POST", `/merchants/${merchant.merchantId}`, body)

    assert.strictEqual(yield* type({ support_email: stranger }), 200)
    assert.include(yield* keptFor(running, stranger), kept)
    // Another spelling is the same address, and so is the same address in another field.
    assert.strictEqual(yield* type({ contact_email: "Stranger@elsewhere.example" }), 200)
    assert.include(yield* keptFor(running, "Stranger@elsewhere.example"), kept)

    yield* setByOperator({ support_email: stranger })
    assert.isNull(yield* keptFor(running, stranger))

    assert.strictEqual(yield* type({ support_email: "grace@shop.example" }), 200)
    assert.include(yield* keptFor(running, "grace@shop.example"), kept)
    yield* invite(api, mails, { email: "grace@shop.example", merchant_id: merchant.merchantId, role: "viewer" })
    assert.include(yield* keptFor(running, "grace@shop.example"), kept)
    yield* signIn(api, mails, "grace@shop.example")
    assert.isNull(yield* keptFor(running, "grace@shop.example"))

    // The operator confirmed the address that was set then.
    assert.strictEqual(yield* type({ support_email: stranger }), 200)
    assert.isNull(yield* keptFor(running, stranger), "it was set all the time, as the contact")
  }).pipe(Effect.scoped)
)

it.live(
  "a merchant's people type twenty new addresses in a day, and an hour later only those that are set are kept",
  () =>
    Effect.gen(function* () {
      const running = yield* begin({ clock: "test" })
      const { api, leap, mails, merchant, sql } = running
      const { call } = yield* signIn(api, mails, "ada@shop.example")
      const settings = `/merchants/${merchant.merchantId}/settings`
      const type = (number: number) => call("POST", settings, { support_email: `typed${number}@elsewhere.example` })
      const rows = sql<{ readonly email: string }>`select email from unconfirmed_addresses order by email`
      for (let number = 1; number <= 20; number++) assert.strictEqual((yield* type(number)).status, 200)
      const refused = yield* type(21)
      assert.deepStrictEqual([refused.status, refused.body.error], [429, "rate_limited"])
      assert.isNotNull((refused.headers as Headers).get("retry-after"))
      assert.strictEqual((yield* call("GET", settings)).body.data.support_email, "typed20@elsewhere.example")
      // A known address is not counted.
      assert.strictEqual((yield* type(20)).status, 200)

      yield* leap("30 minutes")
      assert.lengthOf(yield* rows, 20)
      yield* leap("2 hours")
      assert.deepStrictEqual(yield* rows, [{ email: "typed20@elsewhere.example" }])
      assert.include(yield* keptFor(running, "typed20@elsewhere.example"), kept)
    }).pipe(Effect.scoped)
)
