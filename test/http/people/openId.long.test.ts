/** OpenID Connect: which answers of a provider sign a person in, and which do not. */
import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { authenticator } from "../../kit/callers/authenticator.ts"
import { type ConsoleBrowser, consoleBrowser, enterBy, invite, register } from "../../kit/callers/console.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { openIdProvider, throughProvider } from "../../kit/servers/openIdProvider.ts"
import { entriesOf } from "../../kit/callers/operators.ts"
import { freePort, start } from "../../kit/Service.ts"
import { signInSettings } from "../../../src/access/people/signInSettings.ts"
import { settingsOf } from "../../kit/program/settings.ts"

const origin = "https://pay.example"
const email = "ada@shop.example"
const ada = { email, email_verified: true, name: "Ada" }

const begin = Effect.fnUntraced(function* (
  env: Record<string, string> = {},
  options: Omit<Parameters<typeof start>[0], "env"> = {}
) {
  const mails = yield* mailServer()
  const provider = yield* openIdProvider(`${origin}/console/sign-in`)
  const running = yield* start({
    ...options,
    env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example", PUBLIC_URL: origin, ...provider.env, ...env }
  })
  const { merchantId } = running.merchant
  const person = yield* invite(running.api, mails, { email, merchant_id: merchantId, role: "developer" })
  const { api } = running
  return { ...running, mails, provider, merchantId, person, browser: () => consoleBrowser(api, origin) }
})

const askAt = Effect.fnUntraced(function* ({ call }: ConsoleBrowser) {
  const asked = yield* call("POST", "/sign_in/openid")
  assert.strictEqual(asked.status, 200, asked.text)
  return asked.body.data.url as string
})

/** To the provider and back. */
const enter = Effect.fnUntraced(function* (browser: ConsoleBrowser, account: string) {
  const back = yield* throughProvider(yield* askAt(browser), account)
  return yield* browser.call("POST", "/sign_in/openid/use", back)
})

it.live("signs in the person whose address the provider has verified, and knows the account from then on", () =>
  Effect.gen(function* () {
    const { api, browser, person, provider } = yield* begin()
    provider.accounts.set("a1", ada)
    const first = browser()
    const entered = yield* enter(first, "a1")
    assert.strictEqual(entered.status, 201, entered.text)
    assert.deepStrictEqual(
      [entered.body.data.person.person_id, entered.body.data.session.way],
      [person.person_id, "openid"]
    )
    assert.strictEqual((yield* first.call("GET", "/session")).status, 200)
    const [entry] = yield* entriesOf(api, "&act=console:sign_in.useOpenId")
    assert.deepStrictEqual([entry!["actor"], entry!["phase"], entry!["status"]], [email, "done", 201])
    // The account identifies the person, whatever its address.
    provider.accounts.set("a1", { email: "other@shop.example", email_verified: false })
    assert.strictEqual((yield* enter(browser(), "a1")).body.data.person.person_id, person.person_id)
    // The address was reassigned to another person.
    provider.accounts.set("a2", ada)
    const heir = yield* enter(browser(), "a2")
    assert.deepStrictEqual([heir.status, heir.body.error], [403, "forbidden"])
  }).pipe(Effect.scoped)
)

it.live("refuses an unverified address, and a person without a role, with the same message", () =>
  Effect.gen(function* () {
    const { api, browser, mails, merchantId, provider } = yield* begin()
    yield* invite(api, mails, { email: "kte@shop.example", merchant_id: merchantId, role: "owner" })
    provider.accounts.set("unverified", { email, email_verified: false })
    for (const word of ["false", "TRUE", "1"]) provider.accounts.set(word, { email, email_verified: word })
    // Another letter whose small form is k is in another person's address.
    provider.accounts.set("kelvin", { email: "\u212ate@shop.example", email_verified: true })
    provider.accounts.set("silent", {})
    provider.accounts.set("nobody", { email: "nobody@shop.example", email_verified: true })
    const answers = yield* Effect.forEach([...provider.accounts.keys()], (account) => enter(browser(), account))
    assert.deepStrictEqual(
      answers.map(({ status }) => status),
      answers.map(() => 403)
    )
    assert.strictEqual(new Set(answers.map(({ body }) => body.message)).size, 1)
    // Some providers send true as a text.
    provider.accounts.set("text", { email, email_verified: "true" })
    assert.strictEqual((yield* enter(browser(), "text")).status, 201)
  }).pipe(Effect.scoped)
)

it.live("what the provider does not say takes nothing away, and an ID token that another key has signed is none", () =>
  Effect.gen(function* () {
    const { browser, provider } = yield* begin({ OPENID_ROLES: "admins=admin" })
    const op = { email: "op@pay.example", email_verified: true }
    provider.accounts.set("op", { ...op, groups: ["admins"] })
    assert.strictEqual((yield* enter(browser(), "op")).status, 201)
    provider.accounts.set("op", {})
    const silent = yield* enter(browser(), "op")
    assert.strictEqual(silent.status, 201, silent.text)
    assert.strictEqual(silent.body.data.person.roles[0].role, "admin")
    const forging = yield* begin({}, {})
    forging.provider.accounts.set("a1", ada)
    forging.provider.forge()
    assert.strictEqual((yield* enter(forging.browser(), "a1")).status, 403)
  }).pipe(Effect.scoped)
)

it.live("the way back is for the browser that went, once, within ten minutes, with the code that belongs to it", () =>
  Effect.gen(function* () {
    const { browser, leap, provider } = yield* begin({}, { clock: "test" })
    provider.accounts.set("a1", ada)
    const [mine, thief] = [browser(), browser()]
    const use = ({ call }: ConsoleBrowser, back: object) =>
      Effect.map(call("POST", "/sign_in/openid/use", back), ({ status }) => status)
    const back = yield* throughProvider(yield* askAt(mine), "a1")
    const thiefs = yield* throughProvider(yield* askAt(thief), "a1")
    assert.strictEqual(yield* use(thief, back), 403, "in another browser")
    assert.strictEqual(yield* use(mine, { ...thiefs, state: back.state }), 403, "with the code of another")
    assert.strictEqual(yield* use(mine, back), 403, "a state is worth one try")
    const again = yield* throughProvider(yield* askAt(mine), "a1")
    assert.strictEqual(yield* use(mine, { ...again, state: "made-up" }), 403)
    assert.strictEqual(yield* use(mine, again), 201)
    assert.strictEqual(yield* use(mine, again), 403, "a second time")
    const late = yield* throughProvider(yield* askAt(mine), "a1")
    yield* leap("10 minutes")
    assert.strictEqual(yield* use(mine, late), 403, "after ten minutes")
  }).pipe(Effect.scoped)
)

it.live("a claim gives and removes roles, also of a person who was never invited", () =>
  Effect.gen(function* () {
    const { api, browser, merchantId, provider } = yield* begin({
      OPENID_ROLES: "admins=admin,helpers=support,admins=viewer"
    })
    provider.accounts.set("op", { email: "op@pay.example", email_verified: true, name: "Op", groups: ["admins"] })
    const session = browser()
    const entered = yield* enter(session, "op")
    assert.strictEqual(entered.status, 201, entered.text)
    const rolesOf = (reply: typeof entered) =>
      reply.body.data.person.roles.map(({ merchant_id, role }: any) => [merchant_id, role])
    assert.deepStrictEqual([entered.body.data.person.name, rolesOf(entered)], ["Op", [[null, "admin"]]])
    const [entry] = yield* entriesOf(api, "&act=console:sign_in.useOpenId")
    assert.deepStrictEqual(entry!["details"], { changes: [{ belongs_to: "installation", role: "admin" }] })
    provider.accounts.set("op", { email: "op@pay.example", email_verified: true, groups: "helpers" })
    assert.deepStrictEqual(rolesOf(yield* enter(browser(), "op")), [[null, "support"]])
    // Without a role there the person is signed out of all sessions.
    provider.accounts.set("op", { email: "op@pay.example", email_verified: true, groups: ["others"] })
    assert.strictEqual((yield* enter(browser(), "op")).status, 403)
    assert.strictEqual((yield* session.call("GET", "/session")).status, 401)
    // Where the settings name no group, the provider does not decide.
    provider.accounts.set("a1", ada)
    assert.deepStrictEqual(rolesOf(yield* enter(browser(), "a1")), [[merchantId, "developer"]])
  }).pipe(Effect.scoped)
)

it.live("where passkeys are demanded the provider's word is not enough, and with a passkey it opens nothing", () =>
  Effect.gen(function* () {
    const { api, browser, merchantId, provider } = yield* begin({ DEMAND_PASSKEYS: "live" })
    yield* api.operator("POST", `/merchants/${merchantId}`, { approved: true })
    // The settings name no value, so this one is ignored.
    provider.accounts.set("a1", { ...ada, amr: ["hwk"] })
    const session = browser()
    const entered = yield* enter(session, "a1")
    assert.deepStrictEqual([entered.status, entered.body.data.needs_passkey], [201, true])
    const people = `/merchants/${merchantId}/people`
    assert.strictEqual((yield* session.call("GET", people)).status, 403)
    const key = authenticator(origin)
    assert.strictEqual((yield* register(session, key)).status, 201)
    assert.strictEqual((yield* session.call("GET", people)).status, 200)
    const again = yield* enter(browser(), "a1")
    assert.deepStrictEqual([again.status, again.body.error], [403, "forbidden"])
    assert.strictEqual((yield* enterBy(browser(), key)).entered.status, 201)
  }).pipe(Effect.scoped)
)

it.live("a provider that says that it saw what the settings take for a passkey is enough", () =>
  Effect.gen(function* () {
    const { api, browser, merchantId, provider } = yield* begin({
      DEMAND_PASSKEYS: "live",
      OPENID_AS_PASSKEY: "phr, hwk"
    })
    yield* api.operator("POST", `/merchants/${merchantId}`, { approved: true })
    const people = `/merchants/${merchantId}/people`
    for (const [ways, isEnough] of [
      [{ amr: ["pwd", "hwk"] }, true],
      [{ amr: ["pwd"] }, false],
      // One text, which has to match as a whole.
      [{ acr: "phr" }, true],
      [{ acr: "urn:password" }, false],
      [{ acr: "phrase" }, false],
      [{ amr: ["pwd"], acr: "phr" }, true],
      [{}, false]
    ] as const) {
      provider.accounts.set("a1", { ...ada, ...ways })
      const session = browser()
      const entered = yield* enter(session, "a1")
      assert.deepStrictEqual([entered.status, entered.body.data.needs_passkey], [201, !isEnough], entered.text)
      assert.strictEqual((yield* session.call("GET", people)).status, isEnough ? 200 : 403)
    }
  }).pipe(Effect.scoped)
)

it.live("a provider that does not answer, or with too much, signs no one in and blocks no request", () =>
  Effect.gen(function* () {
    const port = yield* freePort
    const server = createServer((_, response) => response.end(`{"issuer":"${"x".repeat(300_000)}"}`))
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(port, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
    )
    const { api } = yield* begin({ OPENID_ISSUER: `http://127.0.0.1:${port}` })
    const asked = yield* consoleBrowser(api, origin).call("POST", "/sign_in/openid")
    assert.deepStrictEqual([asked.status, asked.body.error], [503, "internal_error"])
    const { api: other } = yield* begin({ OPENID_ISSUER: `http://127.0.0.1:${yield* freePort}` })
    assert.strictEqual((yield* consoleBrowser(other, origin).call("POST", "/sign_in/openid")).status, 503)
  }).pipe(Effect.scoped)
)

describe("the settings of a provider", () => {
  const whole = {
    DATABASE_URL: "postgres://u:p@127.0.0.1/x",
    SECRET_KEY: Buffer.from("0123456789abcdefghijklmnopqrstuv").toString("base64"),
    OPERATOR_TOKEN: "operator-token-of-the-tests-long-enough",
    OPENID_ISSUER: "https://id.example/realm",
    OPENID_CLIENT_ID: "coffer",
    OPENID_CLIENT_SECRET: "secret"
  }
  const problem = (env: Record<string, string>) =>
    Effect.map(Effect.flip(settingsOf({ ...whole, ...env })), (error) => String(error.message))

  it.effect("are refused if they are incomplete, unsafe, or name an unknown role", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* settingsOf(whole)).of(signInSettings).openId?.issuer.host, "id.example")
      assert.include(yield* problem({ OPENID_ISSUER: "http://id.example" }), "OPENID_ISSUER")
      assert.include(yield* problem({ OPENID_SCOPES: "email profile" }), "OPENID_SCOPES")
      const more = yield* settingsOf({ ...whole, OPENID_SCOPES: "openid  email groups" })
      assert.strictEqual(more.of(signInSettings).openId?.scopes, "openid email groups")
      assert.include(yield* problem({ OPENID_CLIENT_SECRET: "" }), "OPENID_CLIENT_SECRET")
      for (const roles of ["admins=owner", "a=admin@mer_1", "admin", "a=finance@installation"]) {
        assert.include(yield* problem({ OPENID_ROLES: roles }), "OPENID_ROLES", roles)
      }
      assert.include(yield* problem({ DEMAND_PASSKEYS: "buyers" }), "DEMAND_PASSKEYS")
      assert.include(yield* problem({ DEMAND_PASSKEYS: "live", PUBLIC_URL: "https://192.0.2.7" }), "PUBLIC_URL")
    })
  )
})
