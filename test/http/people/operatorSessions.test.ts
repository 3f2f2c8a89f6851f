/** The operator's API by the session of a person who has a role of the installation, and keys by that of a merchant's. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { consoleBrowser, headersOf, invite, signIn } from "../../kit/callers/console.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { callAs, entriesOf, newOperator } from "../../kit/callers/operators.ts"
import { operatorToken, start } from "../../kit/Service.ts"

const begin = Effect.fnUntraced(function* (env: Record<string, string> = {}) {
  const mails = yield* mailServer()
  const running = yield* start({ env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example", ...env } })
  const { merchantId } = running.merchant
  const { api } = running
  const entered = Effect.fnUntraced(function* (email: string, role: string, merchant_id?: string) {
    const invited = yield* invite(api, mails, { email, role, ...(merchant_id === undefined ? {} : { merchant_id }) })
    return { ...invited, ...(yield* signIn(api, mails, email)) }
  })
  return { ...running, mails, merchantId, entered }
})

it.live("a person of the installation does by the session what the role may, and it is in the audit log", () =>
  Effect.gen(function* () {
    const { api, entered, merchantId } = yield* begin()
    const { operate, person_id } = yield* entered("op@pay.example", "support")
    assert.strictEqual((yield* operate("GET", `/merchants/${merchantId}`)).status, 200)
    assert.strictEqual((yield* operate("POST", `/merchants/${merchantId}/suspend`)).status, 200)
    const refused = yield* operate("POST", `/merchants/${merchantId}`, { name: "Mine" })
    assert.deepStrictEqual([refused.status, refused.body.error], [403, "forbidden"])
    const entries = yield* entriesOf(api)
    const mine = entries.filter(({ actor_id }) => actor_id === person_id).map(({ act, phase }) => `${act} ${phase}`)
    assert.includeMembers(mine, ["merchants.suspend done", "merchants.suspend begun", "merchants.update refused"])
  }).pipe(Effect.scoped)
)

it.live("the page of another site has no access there, nor has a person without a role of the installation", () =>
  Effect.gen(function* () {
    const { api, entered, merchantId } = yield* begin()
    const operator = yield* entered("op@pay.example", "admin")
    const suspend = (headers: Record<string, string>) =>
      Effect.map(
        operator.operate("POST", `/merchants/${merchantId}/suspend`, undefined, headers),
        ({ status }) => status
      )
    assert.strictEqual(yield* suspend({ "Coffer-Console": "" }), 403)
    assert.strictEqual(yield* suspend({ Origin: "https://evil.example" }), 403)
    assert.strictEqual(yield* suspend({ Origin: "null" }), 403)
    assert.strictEqual(yield* suspend({ "Sec-Fetch-Site": "cross-site" }), 403)
    assert.strictEqual((yield* api.operator("GET", `/merchants/${merchantId}`)).body.data.suspended_at, null)
    const owner = yield* entered("owner@shop.example", "owner", merchantId)
    assert.strictEqual((yield* owner.operate("GET", "/merchants")).status, 403)
    // A token is invalid there, and a session is invalid at the operator's API.
    const bearer = { Authorization: `Bearer ${operatorToken}` }
    assert.strictEqual((yield* owner.operate("GET", "/merchants", undefined, bearer)).status, 403)
    const guest = yield* consoleBrowser(api).operate("GET", "/merchants", undefined, bearer)
    assert.deepStrictEqual([guest.status, guest.headers.get("www-authenticate")], [401, 'Cookie realm="console"'])
    assert.strictEqual((yield* operator.operate("GET", "/merchants")).status, 200)
    const outside = yield* api.call("GET", "/operator/v1/merchants", { headers: headersOf(operator) })
    assert.deepStrictEqual([outside.status, outside.body.error], [401, "invalid_api_key"])
    yield* api.operator("POST", `/people/${operator.person_id}/remove`)
    const after = yield* operator.operate("GET", "/merchants")
    assert.deepStrictEqual([after.status, after.body.error], [401, "invalid_api_key"])
  }).pipe(Effect.scoped)
)

/** Where fees take two: two admins with sessions, and the status of a call that wants this dispute fee. */
const beginOfTwo = Effect.gen(function* () {
  const { api, mails, merchantId } = yield* begin({ TWO_OPERATORS: "fees" })
  const { token } = yield* newOperator(api, "Root", "admin")
  const both = Effect.fnUntraced(function* (email: string) {
    const body = { email, role: "admin" }
    assert.strictEqual((yield* api.operator("POST", "/people", body)).status, 202)
    const before = mails.mails.length
    const invited = yield* callAs(api, token, "POST", "/people", body)
    assert.strictEqual(invited.status, 200)
    yield* mails.mail(before + 1)
    return { ...(yield* signIn(api, mails, email)), personId: invited.body.data.person_id as string }
  })
  const [one, other] = [yield* both("one@pay.example"), yield* both("other@pay.example")]
  const path = `/merchants/${merchantId}`
  const feeOf = (fee: number) => ({ dispute_fee: { USD: fee } })
  return {
    api,
    mails,
    one,
    other,
    bySession: ({ operate }: Pick<typeof one, "operate">, fee: number) =>
      Effect.map(operate("POST", path, feeOf(fee)), ({ status }) => status),
    byToken: (by: string, fee: number) => Effect.map(callAs(api, by, "POST", path, feeOf(fee)), ({ status }) => status)
  }
})

it.live("where operators need a passkey, a session by mail does nothing of the operators' API", () =>
  Effect.gen(function* () {
    const mails = yield* mailServer()
    const site = "https://pay.example"
    const env = { DEMAND_PASSKEYS: "operators", PUBLIC_URL: site, SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" }
    const { api } = yield* start({ env })
    yield* invite(api, mails, { email: "op@pay.example", role: "admin" })
    const { operate } = yield* signIn(api, mails, "op@pay.example", site)
    const { body, status } = yield* operate("GET", "/merchants")
    assert.deepStrictEqual([status, body.error], [403, "forbidden"])
    assert.include(body.message, "passkey")
  }).pipe(Effect.scoped)
)

it.live("two operators are two persons, not two sessions", () =>
  Effect.gen(function* () {
    const { api, bySession, mails, one, other } = yield* beginOfTwo
    const twin = yield* signIn(api, mails, "one@pay.example")
    assert.strictEqual(yield* bySession(one, 7), 202)
    assert.strictEqual(yield* bySession(twin, 7), 202)
    assert.strictEqual(yield* bySession(other, 7), 200)
  }).pipe(Effect.scoped)
)

it.live("a person, and the tokens that were shown to this person or belong to it, are one operator", () =>
  Effect.gen(function* () {
    const { api, bySession, byToken, one, other } = yield* beginOfTwo
    const third = { name: "Third", role: "admin" }
    // The second of two gets the token.
    assert.strictEqual((yield* api.operator("POST", "/operators", third)).status, 202)
    const shown = (yield* one.operate("POST", "/operators", third)).body.data
    assert.deepStrictEqual(shown.person_ids, [one.personId])
    const named = { name: "Named", role: "admin", person_id: other.personId }
    assert.strictEqual((yield* api.operator("POST", "/operators", named)).status, 202)
    const both = (yield* one.operate("POST", "/operators", named)).body.data
    assert.sameMembers(both.person_ids, [one.personId, other.personId])
    // A token that such a token makes is known to the same people.
    const child = { name: "Child", role: "admin" }
    assert.strictEqual((yield* api.operator("POST", "/operators", child)).status, 202)
    const made = (yield* callAs(api, shown.token, "POST", "/operators", child)).body.data
    assert.deepStrictEqual(made.person_ids, [one.personId])

    assert.strictEqual(yield* bySession(one, 7), 202)
    assert.strictEqual(yield* byToken(shown.token, 7), 202, "the session asked first")
    assert.strictEqual(yield* byToken(made.token, 7), 202)
    assert.strictEqual(yield* bySession(one, 7), 202, "a token asked first")
    assert.strictEqual(yield* byToken(both.token, 7), 202)
    assert.strictEqual(yield* bySession(other, 7), 202, "the token is this person's, too")
    assert.strictEqual(yield* bySession(one, 7), 200)
    assert.strictEqual(yield* byToken(shown.token, 8), 202)
    assert.strictEqual(yield* bySession(other, 8), 200, "a person besides another person's token is the second")
  }).pipe(Effect.scoped)
)

it.live("a token cannot belong to a person without a role of the installation", () =>
  Effect.gen(function* () {
    const { api, entered, merchantId } = yield* begin()
    const owner = yield* entered("owner@shop.example", "owner", merchantId)
    for (const person_id of [owner.person_id, "per_00000000000000000000000000", "a\u0000b"]) {
      const refused = yield* api.operator("POST", "/operators", { name: "Eve", role: "viewer", person_id })
      assert.deepStrictEqual([refused.status, refused.body.param], [400, "person_id"], refused.text)
    }
  }).pipe(Effect.scoped)
)

it.live(
  "a developer makes, rolls and revokes keys of the merchant, and each is in the audit log without its secret",
  () =>
    Effect.gen(function* () {
      const { api, entered, merchantId } = yield* begin()
      const { call } = yield* entered("dev@shop.example", "developer", merchantId)
      const at = `/merchants/${merchantId}/api_keys`
      const made = yield* call("POST", at, { mode: "sandbox", name: "Books", scopes: ["balance:read"] })
      assert.strictEqual(made.status, 201, made.text)
      const { key, key_id } = made.body.data
      assert.strictEqual((yield* api.get("/v1/balance", key)).status, 200)
      const listed = (yield* call("GET", `${at}?mode=sandbox`)).body.data.data
      assert.deepStrictEqual(
        listed.map((each: any) => each.key_id),
        [key_id]
      )
      const rolled = yield* call("POST", `${at}/${key_id}/roll`, { overlap_minutes: 0 })
      assert.strictEqual((yield* api.get("/v1/balance", key)).status, 401)
      assert.strictEqual((yield* call("POST", `${at}/${key_id}`, { name: "Office" })).body.data.name, "Office")
      assert.strictEqual((yield* call("POST", `${at}/${key_id}/revoke`)).status, 200)
      assert.strictEqual((yield* api.get("/v1/balance", rolled.body.data.key)).status, 401)
      const foreign = yield* api.newMerchant()
      const { body } = yield* api.operator("POST", `/merchants/${foreign.merchantId}/api_keys`, {
        mode: "sandbox",
        name: "Theirs",
        scopes: ["balance:read"]
      })
      assert.strictEqual((yield* call("POST", `${at}/${body.data.key_id}/revoke`)).status, 404)
      const entries = yield* entriesOf(api)
      const acts = entries
        .filter(({ actor }) => actor === "dev@shop.example")
        .map(({ act, phase }) => `${act} ${phase}`)
      for (const act of ["create", "roll", "update", "revoke"]) {
        assert.includeMembers(acts, [`console:api_keys.${act} begun`, `console:api_keys.${act} done`])
      }
      assert.notInclude(JSON.stringify(entries), key)
      assert.notInclude(JSON.stringify(entries), rolled.body.data.key)
    }).pipe(Effect.scoped)
)

it.live("an owner resets a main key, which is refused at once, and no other role of the merchant does", () =>
  Effect.gen(function* () {
    const { api, entered, merchant, merchantId } = yield* begin()
    const { call } = yield* entered("owner@shop.example", "owner", merchantId)
    const developer = yield* entered("dev@shop.example", "developer", merchantId)
    const at = `/merchants/${merchantId}/main_keys/sandbox/reset`
    assert.strictEqual((yield* developer.call("POST", at)).status, 403)
    const { key } = (yield* call("POST", at)).body.data
    assert.strictEqual((yield* api.get("/v1/balance", merchant.sandboxKey)).status, 401)
    assert.strictEqual((yield* api.get("/v1/balance", key)).status, 200)
    const other = yield* api.newMerchant()
    assert.strictEqual((yield* call("POST", `/merchants/${other.merchantId}/main_keys/sandbox/reset`)).status, 404)
    const entries = yield* entriesOf(api, "&act=console:main_keys.reset")
    assert.deepStrictEqual(
      entries.map(({ actor, phase }) => `${actor} ${phase}`),
      ["owner@shop.example done", "owner@shop.example begun", "dev@shop.example refused"]
    )
    assert.notInclude(JSON.stringify(entries), key)
  }).pipe(Effect.scoped)
)

it.effect("a main key is not reset by a session that was opened some time ago", () =>
  Effect.gen(function* () {
    const mails = yield* mailServer()
    const env = { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" }
    const { api, leap, merchant } = yield* start({ clock: "test", env })
    yield* invite(api, mails, { email: "owner@shop.example", merchant_id: merchant.merchantId, role: "owner" })
    const { call } = yield* signIn(api, mails, "owner@shop.example")
    yield* leap("16 minutes")
    assert.strictEqual((yield* call("POST", `/merchants/${merchant.merchantId}/main_keys/sandbox/reset`)).status, 403)
    assert.strictEqual((yield* api.get("/v1/balance", merchant.sandboxKey)).status, 200)
  }).pipe(Effect.scoped)
)
