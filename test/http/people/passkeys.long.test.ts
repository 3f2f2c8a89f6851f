/** Passkeys: how one is registered and signs in, what is refused, and how an installation demands them. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { authenticator, type Changes } from "../../kit/callers/authenticator.ts"
import { untilOneWaits } from "../../kit/faults/waitingForLock.ts"
import {
  type ConsoleBrowser,
  consoleBrowser,
  enterBy,
  invite,
  linkIn,
  register,
  signIn
} from "../../kit/callers/console.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { entriesOf } from "../../kit/callers/operators.ts"
import { ownersConnection, start } from "../../kit/Service.ts"

const origin = "https://pay.example"
const email = "ada@shop.example"

const begin = Effect.fnUntraced(function* (options: Parameters<typeof start>[0] = {}) {
  const mails = yield* mailServer()
  const running = yield* start({
    ...options,
    env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example", PUBLIC_URL: origin, ...options.env }
  })
  const { merchantId } = running.merchant
  const ada = yield* invite(running.api, mails, { email, merchant_id: merchantId, role: "owner" })
  const { api } = running
  const enter = (of = email) => signIn(api, mails, of, origin)
  return { ...running, mails, merchantId, ada, enter, browser: () => consoleBrowser(api, origin) }
})

/** With a new authenticator by default. */
const newPasskey = Effect.fnUntraced(function* (
  session: ConsoleBrowser,
  changes: Changes = {},
  key = authenticator(origin)
) {
  return { key, registered: yield* register(session, key, changes) }
})

it.live("a person registers a passkey and signs in with it without a name, and gets a mail about it", () =>
  Effect.gen(function* () {
    const { ada, api, browser, enter, mails } = yield* begin()
    const session = yield* enter()
    const { key, registered } = yield* newPasskey(session)
    assert.strictEqual(registered.status, 201, registered.text)
    assert.include(yield* mails.mail(3), "A passkey was added")
    const listed = (yield* session.call("GET", "/passkeys")).body.data.data
    assert.deepStrictEqual(listed, [registered.body.data])
    const elsewhere = browser()
    const { entered } = yield* enterBy(elsewhere, key)
    assert.strictEqual(entered.status, 201, entered.text)
    assert.deepStrictEqual(
      [entered.body.data.person.person_id, entered.body.data.session.way, entered.body.data.needs_passkey],
      [ada.person_id, "passkey", false]
    )
    assert.strictEqual((yield* elsewhere.call("GET", "/session")).status, 200)
    const entries = yield* entriesOf(api)
    const acts = entries.map(({ act, actor, phase }) => `${act} ${phase} ${actor}`)
    assert.include(acts, `console:sign_in.usePasskey done ${email}`)
    assert.include(acts, `console:passkeys.register done ${email}`)
  }).pipe(Effect.scoped)
)

it.live("an answer of a passkey works once, of three at once for one of them", () =>
  Effect.gen(function* () {
    const { browser, enter } = yield* begin()
    const { key } = yield* newPasskey(yield* enter())
    const { call } = browser()
    const asked = yield* call("POST", "/sign_in/passkey/options")
    // An authenticator without a count says 0 each time, so that the count refuses nothing.
    const credential = key.get(asked.body.data.options)
    const answers = yield* Effect.all(
      [1, 2, 3].map(() => call("POST", "/sign_in/passkey", { credential })),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [201, 400, 400])
    const late = yield* call("POST", "/sign_in/passkey", { credential })
    assert.deepStrictEqual([late.status, late.body.param], [400, "credential"])
  }).pipe(Effect.scoped)
)

it.live("a passkey that keeps no count works again and again, and each of its answers once", () =>
  Effect.gen(function* () {
    const { browser, enter } = yield* begin()
    const { key } = yield* newPasskey(yield* enter(), { counter: 0 })
    for (const _ of [1, 2]) {
      const one = browser()
      const { credential, entered } = yield* enterBy(one, key, { counter: 0 })
      assert.strictEqual(entered.status, 201, entered.text)
      assert.strictEqual((yield* one.call("POST", "/sign_in/passkey", { credential })).status, 400)
    }
  }).pipe(Effect.scoped)
)

it.live("the challenge of one browser is worthless in another, after five minutes, and for anything else", () =>
  Effect.gen(function* () {
    const { browser, enter, leap } = yield* begin({ clock: "test" })
    const session = yield* enter()
    const { key } = yield* newPasskey(session)
    const [mine, thief] = [browser(), browser()]
    const { options } = (yield* mine.call("POST", "/sign_in/passkey/options")).body.data
    yield* thief.call("POST", "/sign_in/passkey/options")
    const use = ({ call }: ConsoleBrowser, credential: object) =>
      Effect.map(call("POST", "/sign_in/passkey", { credential }), ({ status }) => status)
    assert.strictEqual(yield* use(thief, key.get(options)), 400)
    const forRegistering = (yield* session.call("POST", "/passkeys/options")).body.data.options
    assert.strictEqual(yield* use(session, key.get({ ...forRegistering, rpId: "pay.example" })), 400)
    const planted = key.get({ ...options, challenge: Buffer.from("made up").toString("base64url") })
    assert.strictEqual(yield* use(mine, planted), 400)
    yield* leap("299 seconds")
    assert.strictEqual(yield* use(mine, key.get(options)), 201)
    const other = (yield* mine.call("POST", "/sign_in/passkey/options")).body.data.options
    yield* leap("5 minutes")
    assert.strictEqual(yield* use(mine, key.get(other)), 400)
  }).pipe(Effect.scoped)
)

it.live("a passkey signs in for this origin alone, after it has known the person, and while it counts up", () =>
  Effect.gen(function* () {
    const { ada, api, browser, enter } = yield* begin()
    const session = yield* enter()
    const notTaken = [
      { origin: "https://evil.example" },
      { host: "evil.example" },
      { isVerified: false },
      // An attestation with certificates, whose addresses would be called.
      { format: "tpmX" }
    ]
    for (const changes of notTaken) {
      assert.strictEqual((yield* newPasskey(session, changes)).registered.status, 400, JSON.stringify(changes))
    }
    const { key, registered } = yield* newPasskey(session, { counter: 7 })
    assert.strictEqual(registered.status, 201, registered.text)
    const wrong = [{ origin: "https://evil.example" }, { host: "evil.example" }, { isVerified: false }, { counter: 7 }]
    for (const changes of wrong) {
      const { entered } = yield* enterBy(browser(), key, { counter: 8, ...changes })
      assert.deepStrictEqual([entered.status, entered.body.param], [400, "credential"], JSON.stringify(changes))
    }
    assert.strictEqual((yield* enterBy(browser(), authenticator(origin))).entered.status, 400)
    const [entry] = yield* entriesOf(api, "&act=console:sign_in.usePasskey")
    assert.deepStrictEqual(
      [entry!["phase"], entry!["actor_id"], entry!["target"]],
      ["refused", ada.person_id, registered.body.data.passkey_id]
    )
    assert.strictEqual((yield* enterBy(browser(), key, { counter: 8 })).entered.status, 201)
  }).pipe(Effect.scoped)
)

it.live("a person renames and removes a passkey, the sessions that it opened end, and it signs in no more", () =>
  Effect.gen(function* () {
    const { api, browser, enter, mails, merchantId } = yield* begin()
    const session = yield* enter()
    const { key, registered } = yield* newPasskey(session)
    const { passkey_id } = registered.body.data
    yield* mails.mail(3)
    yield* invite(api, mails, { email: "eve@shop.example", merchant_id: merchantId, role: "owner" })
    const other = yield* enter("eve@shop.example")
    for (const [path, body] of [
      [`/passkeys/${passkey_id}`, { name: "Mine" }],
      [`/passkeys/${passkey_id}/remove`, undefined]
    ] as const) {
      const foreign = yield* other.call("POST", path, body)
      assert.deepStrictEqual([foreign.status, foreign.body.error], [404, "passkey_not_found"])
    }
    assert.strictEqual((yield* newPasskey(other, {}, key)).registered.status, 409, "a passkey has one owner")
    const renamed = yield* session.call("POST", `/passkeys/${passkey_id}`, { name: "Office" })
    assert.strictEqual(renamed.body.data.name, "Office")
    const opened = browser()
    assert.strictEqual((yield* enterBy(opened, key)).entered.status, 201)
    assert.strictEqual((yield* session.call("POST", `/passkeys/${passkey_id}/remove`)).status, 200)
    assert.strictEqual((yield* opened.call("GET", "/session")).status, 401)
    assert.strictEqual((yield* session.call("GET", "/session")).status, 200)
    assert.strictEqual((yield* enterBy(browser(), key)).entered.status, 400)
  }).pipe(Effect.scoped)
)

it.live("a session that a reset of access ends while a passkey is registered in it registers none", () =>
  Effect.gen(function* () {
    const { ada, enter, sql } = yield* begin()
    const session = yield* enter()
    const resetting = Effect.gen(function* () {
      yield* sql`select from people where person_id = ${ada.person_id} for update`
      yield* sql`delete from person_sessions where person_id = ${ada.person_id}`
      const registering = yield* Effect.forkScoped(newPasskey(session))
      yield* untilOneWaits(sql)
      return registering
    })
    const { registered } = yield* Fiber.join(yield* sql.withTransaction(resetting))
    assert.deepStrictEqual([registered.status, registered.body.param], [400, "credential"])
    assert.lengthOf(yield* sql`select from passkeys`, 0)
  }).pipe(Effect.scoped)
)

it.live("a session that is older than 15 minutes changes no passkeys", () =>
  Effect.gen(function* () {
    const { enter, leap } = yield* begin({ clock: "test" })
    const session = yield* enter()
    const { registered } = yield* newPasskey(session)
    yield* leap("16 minutes")
    const { passkey_id } = registered.body.data
    for (const path of ["/passkeys/options", `/passkeys/${passkey_id}/remove`]) {
      assert.strictEqual((yield* session.call("POST", path)).status, 403, path)
    }
    assert.strictEqual((yield* session.call("GET", "/passkeys")).status, 200)
  }).pipe(Effect.scoped)
)

it.live("a person who is removed and invited once more begins without passkeys", () =>
  Effect.gen(function* () {
    const { ada, api, browser, database, enter, mails, merchantId } = yield* begin()
    const sql = yield* ownersConnection(database)
    const { key } = yield* newPasskey(yield* enter())
    yield* mails.mail(3)
    yield* api.operator("POST", `/people/${ada.person_id}/remove`, { merchant_id: merchantId })
    assert.strictEqual((yield* enterBy(browser(), key)).entered.status, 400)
    yield* invite(api, mails, { email, merchant_id: merchantId, role: "viewer" })
    assert.strictEqual((yield* enterBy(browser(), key)).entered.status, 400)
    assert.deepStrictEqual(yield* sql`select from passkeys`, [])
  }).pipe(Effect.scoped)
)

it.live("where passkeys are demanded, a link opens a session that registers the first one and does nothing else", () =>
  Effect.gen(function* () {
    const { api, browser, mails, merchantId } = yield* begin({ env: { DEMAND_PASSKEYS: "operators" } })
    // Merchants' people need none.
    const owner = yield* signIn(api, mails, email, origin)
    assert.isFalse(owner.signedIn.needs_passkey)
    yield* invite(api, mails, { email: "op@pay.example", role: "admin" })
    const session = yield* signIn(api, mails, "op@pay.example", origin)
    const twin = yield* signIn(api, mails, "op@pay.example", origin)
    assert.isTrue(session.signedIn.needs_passkey)
    const offered = yield* invite(api, mails, { email: "op@pay.example", merchant_id: merchantId, role: "owner" })
    const accept = () =>
      Effect.map(session.call("POST", `/invitations/${offered.person_id}/accept`), ({ status }) => status)
    assert.strictEqual(yield* accept(), 403)
    assert.strictEqual((yield* session.operate("GET", "/merchants")).status, 403)
    assert.strictEqual((yield* session.call("GET", "/sessions")).status, 403)
    const secret = session.cookies.get("__Host-coffer_session")!
    const { key, registered } = yield* newPasskey(session)
    assert.strictEqual(registered.status, 201, registered.text)
    // The session has a new secret, and all rights of the person.
    assert.notStrictEqual(session.cookies.get("__Host-coffer_session"), secret)
    assert.strictEqual(yield* accept(), 200)
    assert.strictEqual((yield* session.call("GET", `/merchants/${merchantId}/people`)).status, 200)
    // Another session that a mail opened adds none.
    assert.strictEqual((yield* newPasskey(twin)).registered.status, 409)
    assert.include(yield* mails.mail(7), "A passkey was added")
    // From now on a mail does not sign in.
    const again = browser()
    const before = mails.mails.length
    yield* again.call("POST", "/sign_in", { email: "op@pay.example" })
    const used = yield* again.call("POST", "/sign_in/use", { token: linkIn(yield* mails.mail(before + 1)) })
    assert.deepStrictEqual([used.status, used.body.error], [403, "forbidden"])
    assert.strictEqual((yield* enterBy(again, key)).entered.status, 201)
    const last = yield* session.call("POST", `/passkeys/${registered.body.data.passkey_id}/remove`)
    assert.deepStrictEqual([last.status, last.body.error], [409, "conflict"])
  }).pipe(Effect.scoped)
)

it.live("where they are demanded of live merchants, it is those that an operator has approved", () =>
  Effect.gen(function* () {
    const { api, enter, merchantId } = yield* begin({ env: { DEMAND_PASSKEYS: "live" } })
    const session = yield* enter()
    assert.isFalse(session.signedIn.needs_passkey)
    assert.strictEqual((yield* api.operator("POST", `/merchants/${merchantId}`, { approved: true })).status, 200)
    assert.strictEqual((yield* session.call("GET", `/merchants/${merchantId}/people`)).status, 403)
    assert.isTrue((yield* session.call("GET", "/session")).body.data.needs_passkey)
  }).pipe(Effect.scoped)
)

it.live("at an address that browsers take no passkeys at, none is asked for", () =>
  Effect.gen(function* () {
    const { api } = yield* begin({ env: { PUBLIC_URL: "https://192.0.2.7" } })
    const asked = yield* consoleBrowser(api, "https://192.0.2.7").call("POST", "/sign_in/passkey/options")
    assert.deepStrictEqual([asked.status, asked.body.error], [409, "conflict"])
  }).pipe(Effect.scoped)
)
