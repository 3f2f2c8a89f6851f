/** How people sign in: links by mail, and sessions (docs/security.md). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { consoleBrowser, invite, linkIn, signIn } from "../../kit/callers/console.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { entriesOf } from "../../kit/callers/operators.ts"
import { ownersConnection, start } from "../../kit/Service.ts"

const begin = Effect.fnUntraced(function* (options: Parameters<typeof start>[0] = {}) {
  const mails = yield* mailServer()
  const running = yield* start({
    ...options,
    env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example", ...options.env }
  })
  const { merchantId } = running.merchant
  const ada = yield* invite(running.api, mails, { email: "Ada@Shop.example", merchant_id: merchantId, role: "owner" })
  return { ...running, mails, merchantId, ada }
})

it.live("a person signs in by a link that comes by mail, and the session says who it is and as what", () =>
  Effect.gen(function* () {
    const { ada, api, mails, merchantId } = yield* begin()
    const { call, signedIn } = yield* signIn(api, mails, "ada@shop.example")
    const who = yield* call("GET", "/session")
    assert.strictEqual(who.status, 200, who.text)
    assert.deepStrictEqual(who.body.data.session, signedIn.session)
    assert.strictEqual(who.body.data.person.person_id, ada.person_id)
    assert.strictEqual(who.body.data.person.email, "ada@shop.example")
    const [{ created_at: _, ...role }] = who.body.data.person.roles
    assert.deepStrictEqual(role, { merchant_id: merchantId, role: "owner" })
    const [entry] = yield* entriesOf(api, "&act=console:sign_in.use")
    assert.deepStrictEqual([entry!["actor"], entry!["status"]], ["ada@shop.example", 201])
  }).pipe(Effect.scoped)
)

it.live("a link works once, of two at once for one of them", () =>
  Effect.gen(function* () {
    const { api, mails } = yield* begin()
    const browser = consoleBrowser(api)
    yield* browser.call("POST", "/sign_in", { email: "ada@shop.example" })
    const token = linkIn(yield* mails.mail(2))
    const used = yield* Effect.all(
      [1, 2, 3].map(() => browser.call("POST", "/sign_in/use", { token })),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(used.map(({ status }) => status).toSorted(), [201, 400, 400])
    const late = yield* browser.call("POST", "/sign_in/use", { token })
    assert.deepStrictEqual([late.status, late.body.param], [400, "token"])
  }).pipe(Effect.scoped)
)

it.live("a link of another browser does not sign in, and still works in its own browser", () =>
  Effect.gen(function* () {
    const { api, mails } = yield* begin()
    const browser = consoleBrowser(api)
    yield* browser.call("POST", "/sign_in", { email: "ada@shop.example" })
    const token = linkIn(yield* mails.mail(2))
    const thief = consoleBrowser(api)
    assert.strictEqual((yield* thief.call("POST", "/sign_in/use", { token })).status, 400)
    yield* thief.call("POST", "/sign_in", { email: "thief@example.com" })
    assert.strictEqual((yield* thief.call("POST", "/sign_in/use", { token })).status, 400)
    assert.strictEqual((yield* browser.call("POST", "/sign_in/use", { token })).status, 201)
  }).pipe(Effect.scoped)
)

it.live("a link works for 15 minutes and no longer", () =>
  Effect.gen(function* () {
    const { api, leap, mails } = yield* begin({ clock: "test" })
    const browser = consoleBrowser(api)
    yield* browser.call("POST", "/sign_in", { email: "ada@shop.example" })
    const early = linkIn(yield* mails.mail(2))
    yield* leap("14 minutes")
    assert.strictEqual((yield* browser.call("POST", "/sign_in/use", { token: early })).status, 201)
    yield* browser.call("POST", "/sign_in", { email: "ada@shop.example" })
    const late = linkIn(yield* mails.mail(3))
    yield* leap("15 minutes")
    assert.strictEqual((yield* browser.call("POST", "/sign_in/use", { token: late })).status, 400)
  }).pipe(Effect.scoped)
)

it.live("an unknown address gets the same answer, and no mail", () =>
  Effect.gen(function* () {
    const { api, mails } = yield* begin({ clock: "test" })
    const known = yield* consoleBrowser(api).call("POST", "/sign_in", { email: "ada@shop.example" })
    const unknown = yield* consoleBrowser(api).call("POST", "/sign_in", { email: "nobody@shop.example" })
    const { request_id: _, ...one } = known.body
    const { request_id: __, ...other } = unknown.body
    assert.deepStrictEqual(other, one)
    // A later mail would be the second.
    yield* mails.mail(2)
    yield* consoleBrowser(api).call("POST", "/sign_in", { email: "ada@shop.example" })
    assert.include(yield* mails.mail(3), "ada@shop.example")
    assert.isFalse(mails.mails.some((mail) => mail.includes("nobody@")))
  }).pipe(Effect.scoped)
)

it.live("a person gets five links in an hour, and an address tries thirty times a minute", () =>
  Effect.gen(function* () {
    const { api, database, mails } = yield* begin({ clock: "test" })
    const sql = yield* ownersConnection(database)
    const browser = consoleBrowser(api)
    for (let number = 1; number <= 5; number++) {
      yield* browser.call("POST", "/sign_in", { email: "ada@shop.example" })
      yield* mails.mail(number + 1)
    }
    const statuses: Array<number> = []
    for (let number = 6; number <= 31; number++) {
      const { status } = yield* browser.call("POST", "/sign_in", { email: "ada@shop.example" })
      statuses.push(status)
    }
    assert.deepStrictEqual(statuses, [...Array.from({ length: 25 }, () => 202), 429])
    assert.strictEqual((yield* sql`select from sign_in_links`).length, 5)
  }).pipe(Effect.scoped)
)

it.live("a request without the console's header is refused, with whatever cookie it comes", () =>
  Effect.gen(function* () {
    const { api, mails } = yield* begin()
    const { call } = yield* signIn(api, mails, "ada@shop.example")
    const forged = yield* call("POST", "/session/end", undefined, { "Coffer-Console": "" })
    assert.strictEqual(forged.status, 403)
    assert.strictEqual((yield* call("GET", "/session")).status, 200)
    assert.strictEqual(
      (yield* call("POST", "/sign_in", { email: "a@b.example" }, { "Coffer-Console": "0" })).status,
      403
    )
    for (const Origin of ["https://evil.example", "null", ""]) {
      assert.strictEqual((yield* call("POST", "/session/end", undefined, { Origin })).status, 403, Origin)
    }
    const foreign = { Origin: "https://evil.example" }
    assert.strictEqual((yield* call("GET", "/session", undefined, foreign)).status, 403)
    assert.strictEqual((yield* call("GET", "/session", undefined, { "Sec-Fetch-Site": "same-site" })).status, 403)
    assert.strictEqual((yield* call("GET", "/session")).status, 200)
  }).pipe(Effect.scoped)
)

it.live("the cookies are out of reach of scripts and of other sites, and over https of other hosts of the domain", () =>
  Effect.gen(function* () {
    const { api } = yield* begin({ env: { PUBLIC_URL: "https://pay.example" } })
    const asked = yield* consoleBrowser(api, "https://pay.example").call("POST", "/sign_in", {
      email: "ada@shop.example"
    })
    const [cookie] = (asked.headers as Headers).getSetCookie()
    assert.match(cookie!, /^__Host-coffer_browser=[\w-]{43}; /)
    for (const word of ["HttpOnly", "Secure", "SameSite=Strict", "Path=/"]) assert.include(cookie!, word)
    assert.notInclude(cookie!, "Domain")
  }).pipe(Effect.scoped)
)

it.live("signing out ends the session, and signing in gives a new one, whatever cookie the browser brought", () =>
  Effect.gen(function* () {
    const { api, mails } = yield* begin()
    const first = yield* signIn(api, mails, "ada@shop.example")
    const secret = first.cookies.get("coffer_session")!
    assert.strictEqual((yield* first.call("POST", "/session/end")).status, 200)
    assert.isFalse(first.cookies.has("coffer_session"))
    first.cookies.set("coffer_session", secret)
    const ended = yield* first.call("GET", "/session")
    assert.strictEqual(ended.status, 401)
    assert.notInclude((ended.headers as Headers).get("www-authenticate"), "X-Api-Key")
    // A planted secret is not taken over.
    yield* first.call("POST", "/sign_in", { email: "ada@shop.example" })
    const token = linkIn(yield* mails.mail(3))
    yield* first.call("POST", "/sign_in/use", { token })
    assert.notStrictEqual(first.cookies.get("coffer_session"), secret)
    assert.strictEqual((yield* first.call("GET", "/session")).status, 200)
  }).pipe(Effect.scoped)
)

it.live("a session ends after twelve hours without a request, and after seven days whatever comes", () =>
  Effect.gen(function* () {
    const { api, leap, mails } = yield* begin({ clock: "test" })
    const idle = yield* signIn(api, mails, "ada@shop.example")
    const busy = yield* signIn(api, mails, "ada@shop.example")
    for (let hours = 0; hours < 7 * 24 - 11; hours += 11) {
      yield* leap("11 hours")
      assert.strictEqual((yield* busy.call("GET", "/session")).status, 200, `after ${hours} hours`)
    }
    assert.strictEqual((yield* idle.call("GET", "/session")).status, 401)
    yield* leap("11 hours")
    assert.strictEqual((yield* busy.call("GET", "/session")).status, 401)
  }).pipe(Effect.scoped)
)

it.live("an operator's session ends after one hour without a request", () =>
  Effect.gen(function* () {
    const { api, leap, mails } = yield* begin({ clock: "test" })
    yield* invite(api, mails, { email: "op@pay.example", role: "support" })
    const session = yield* signIn(api, mails, "op@pay.example")
    yield* leap("59 minutes")
    assert.strictEqual((yield* session.call("GET", "/session")).status, 200)
    yield* leap("61 minutes")
    assert.strictEqual((yield* session.call("GET", "/session")).status, 401)
  }).pipe(Effect.scoped)
)

it.live("a person sees the open sessions, ends one, and ends all", () =>
  Effect.gen(function* () {
    const { api, mails } = yield* begin()
    const one = yield* signIn(api, mails, "ada@shop.example")
    const other = yield* signIn(api, mails, "ada@shop.example")
    const listed = (yield* one.call("GET", "/sessions")).body.data.data as ReadonlyArray<any>
    assert.deepStrictEqual(
      listed.map(({ is_current, session_id }) => [session_id, is_current]),
      [
        [other.signedIn.session.session_id, false],
        [one.signedIn.session.session_id, true]
      ]
    )
    assert.strictEqual((yield* one.call("POST", `/sessions/${other.signedIn.session.session_id}/end`)).status, 200)
    assert.strictEqual((yield* other.call("GET", "/session")).status, 401)
    const unknown = yield* one.call("POST", "/sessions/ses_unknown/end")
    assert.deepStrictEqual([unknown.status, unknown.body.error], [404, "session_not_found"])
    const third = yield* signIn(api, mails, "ada@shop.example")
    assert.strictEqual((yield* one.call("POST", "/sessions/end")).body.data.data.length, 2)
    assert.strictEqual((yield* third.call("GET", "/session")).status, 401)
  }).pipe(Effect.scoped)
)
