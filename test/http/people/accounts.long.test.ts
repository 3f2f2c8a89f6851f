/**
 * A person of a merchant calls the operations of `/v1` from the console, under `/console/api/accounts`: the table of
 * roles and scopes (`packages/rules/src/people/roleScopes.ts`), tried through HTTP on all routes of `/v1`.
 */
import { Api } from "@coffer/contract/Api"
import { merchantActs, type Operation } from "@coffer/contract/acts"
import { Mode } from "@coffer/model/Ids"
import { PersonRole } from "@coffer/model/PersonRole"
import { covers, isOfSandbox, type Scope } from "@coffer/model/Scopes"
import { scopesOfRole } from "@coffer/rules/people/roleScopes"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpApiGroup } from "effect/http-api"
import { type ConsoleBrowser, consoleBrowser, invite, signIn } from "../../kit/callers/console.ts"
import { entriesOf } from "../../kit/callers/operators.ts"
import { fileOf, filePart, formOf, headersOfForm } from "../../kit/callers/uploads.ts"
import { merchantOf } from "../../kit/Merchant.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { start } from "../../kit/Service.ts"

const routes = (Object.values(Api.groups) as unknown as ReadonlyArray<HttpApiGroup.Top>).flatMap((group) =>
  Object.values(group.endpoints).map(({ identifier, method, path }) => ({
    operation: `${group.identifier}.${identifier}` as Operation,
    method,
    // With unknown parameters: a permitted call is refused for another reason, or answered.
    path: path.replace("/v1", "").replace(":currency", "USD").replace(/:\w+/g, "nothing")
  }))
)

const begin = Effect.fnUntraced(function* (env: Record<string, string> = {}) {
  const mails = yield* mailServer()
  const running = yield* start({ env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example", ...env } })
  const { api } = running
  const { merchantId } = running.merchant
  const enter = Effect.fnUntraced(function* (role: PersonRole) {
    const email = `${role}@shop.example`
    yield* invite(api, mails, { email, merchant_id: merchantId, role })
    return yield* signIn(api, mails, email, env["PUBLIC_URL"])
  })
  const approve = api.operator("POST", `/merchants/${merchantId}`, { approved: true })
  const at = (mode: Mode) => `/accounts/${merchantId}/${mode}`
  return { ...running, ...merchantOf(running), merchantId, approve, enter, at }
})

const send = ({ call }: ConsoleBrowser, at: string, { method, operation, path }: (typeof routes)[number]) =>
  operation === "files.upload"
    ? call(method, at + path, undefined, { "Content-Type": "text/plain" })
    : call(method, at + path, method === "POST" ? {} : undefined)

const mayDo = (role: PersonRole, mode: Mode, scope: Scope) => covers(scopesOfRole(role, mode), scope)

describe("the roles of a merchant's people", () => {
  it("an owner may do everything, and a viewer changes nothing and sees no secret", () => {
    for (const mode of Mode.literals) {
      for (const { scope } of Object.values(merchantActs)) {
        assert.isTrue(mayDo("owner", mode, scope))
        assert.strictEqual(mayDo("viewer", mode, scope), scope.endsWith(":read") && scope !== "exports:read")
      }
    }
  })

  it("live money is moved by owners, support and finance, and erasures are an owner's", () => {
    const whoMay = (scope: Scope) => PersonRole.literals.filter((role) => mayDo(role, "live", scope))
    assert.deepStrictEqual(whoMay("refunds:write"), ["owner", "support", "finance"])
    assert.deepStrictEqual(whoMay("disputes:write"), ["owner", "support", "finance"])
    assert.deepStrictEqual(whoMay("webhooks:write"), ["owner", "developer"])
    assert.deepStrictEqual(whoMay("erasures:write"), ["owner"])
  })

  it("a developer tries the whole integration in the sandbox", () => {
    for (const { scope } of Object.values(merchantActs)) assert.isTrue(mayDo("developer", "sandbox", scope), scope)
  })
})

it.live("each role is let through to the operations of its scopes, and to no other, in both environments", () =>
  Effect.gen(function* () {
    const { approve, at, enter } = yield* begin()
    yield* approve
    for (const role of PersonRole.literals) {
      const browser = yield* enter(role)
      for (const mode of Mode.literals) {
        for (const route of routes) {
          const { body, status, text } = yield* send(browser, at(mode), route)
          const scope = merchantActs[route.operation].scope
          const what = `${role} in ${mode}: ${route.operation} was answered ${status} ${text}`
          if (mode === "live" && isOfSandbox(scope)) assert.strictEqual(status, 404, what)
          else if (mayDo(role, mode, scope)) assert.notInclude([401, 403, 500], status, what)
          else {
            assert.deepStrictEqual([status, body.error], [403, "forbidden"], what)
            assert.include(body.message, scope)
          }
        }
      }
    }
  }).pipe(Effect.scoped)
)

it.live("a refund is support's to make and not a viewer's, and the audit log has both", () =>
  Effect.gen(function* () {
    const { api, at, enter, get, merchantId, paid } = yield* begin()
    const { trade_no } = yield* paid(1_000)
    const refund = (browser: ConsoleBrowser) =>
      browser.call("POST", `${at("sandbox")}/refunds`, { trade_no, amount: 400 }, { "Idempotency-Key": "one" })

    const viewer = yield* enter("viewer")
    assert.strictEqual((yield* refund(viewer)).status, 403)
    const support = yield* enter("support")
    const first = yield* refund(support)
    assert.strictEqual(first.status, 201, first.text)
    // The answer was lost, and the page sends it again.
    const again = yield* refund(support)
    assert.deepStrictEqual(again.body.data, first.body.data)
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")

    const seen = yield* viewer.call("GET", `${at("sandbox")}/refunds`)
    const byKey = yield* get("/v1/refunds")
    assert.deepStrictEqual([seen.status, seen.body.data], [200, byKey.body.data])

    const entries = yield* entriesOf(api, "&act=console:refunds.create")
    assert.deepStrictEqual(
      entries.map(({ actor, phase, role, status }) => [actor, role, phase, status]),
      [
        ["support@shop.example", "support", "done", 201],
        ["support@shop.example", "support", "begun", null],
        ["support@shop.example", "support", "done", 201],
        ["support@shop.example", "support", "begun", null],
        ["viewer@shop.example", "viewer", "refused", 403]
      ]
    )
    assert.strictEqual(entries[0]!["target"], `/console/api/accounts/${merchantId}/sandbox/refunds`)
  }).pipe(Effect.scoped)
)

it.live("an evidence file is uploaded, and a list is exported as CSV", () =>
  Effect.gen(function* () {
    const { api, at, enter, paid } = yield* begin()
    yield* paid(1_000)
    const { call, cookies } = yield* enter("finance")
    const file = yield* api.call("POST", `/console/api${at("sandbox")}/files`, {
      raw: formOf(filePart(fileOf("png"))),
      headers: {
        ...headersOfForm,
        "Coffer-Console": "1",
        Origin: api.url,
        Cookie: Array.from(cookies, (pair) => pair.join("=")).join("; ")
      }
    })
    assert.strictEqual(file.status, 201, file.text)
    const exported = yield* call("GET", `${at("sandbox")}/orders?format=csv`)
    assert.strictEqual(exported.status, 200, exported.text)
    assert.strictEqual(exported.text.trim().split("\n").length, 2)
  }).pipe(Effect.scoped)
)

it.live("a caller without a session, a role there or such a page has no access", () =>
  Effect.gen(function* () {
    const { api, approve, at, enter, merchant, merchantId } = yield* begin()
    const orders = `${at("sandbox")}/orders`
    const guest = yield* consoleBrowser(api).call("GET", orders)
    assert.deepStrictEqual([guest.status, guest.headers.get("www-authenticate")], [401, 'Cookie realm="console"'])
    // A key is not accepted here, nor a session at `/v1`.
    const keyed = yield* consoleBrowser(api).call("GET", orders, undefined, { "X-Api-Key": merchant.sandboxKey })
    assert.strictEqual(keyed.status, 401)
    const owner = yield* enter("owner")
    const cookie = { Cookie: Array.from(owner.cookies, (pair) => pair.join("=")).join("; "), "Coffer-Console": "1" }
    assert.strictEqual((yield* api.call("GET", "/v1/orders", { headers: cookie })).status, 401)

    for (const headers of [{ "Coffer-Console": "0" }, { Origin: "https://evil.example" }]) {
      const { body, status } = yield* owner.call("POST", orders, { amount: 100 }, headers)
      assert.deepStrictEqual([status, body.error], [403, "forbidden"])
    }
    const { merchantId: other } = yield* api.newMerchant("Another shop")
    for (const foreign of [other, `mer_${"0".repeat(26)}`]) {
      const { body, status } = yield* owner.call("GET", `/accounts/${foreign}/sandbox/orders`)
      assert.deepStrictEqual([status, body.error], [403, "forbidden"], foreign)
    }
    for (const account of ["mer_none", "installation", `${merchantId}%00`, `${merchantId}/other`]) {
      assert.strictEqual((yield* owner.call("GET", `/accounts/${account}/sandbox/orders`)).status, 404, account)
    }
    for (const nowhere of [`/accounts/${merchantId}/other/orders`, `${at("sandbox")}/nothing`, at("sandbox")]) {
      assert.strictEqual((yield* owner.call("GET", nowhere)).status, 404, nowhere)
    }

    const early = yield* owner.call("GET", `${at("live")}/orders`)
    assert.deepStrictEqual([early.status, early.body.error], [403, "merchant_not_approved"])
    yield* approve
    assert.strictEqual((yield* owner.call("GET", `${at("live")}/orders`)).status, 200)
    yield* api.operator("POST", `/merchants/${merchantId}/suspend`)
    assert.strictEqual((yield* owner.call("GET", orders)).status, 403)
  }).pipe(Effect.scoped)
)

it.live("the calls of people take nothing from the quota of the merchant's servers", () =>
  Effect.gen(function* () {
    const { api, at, enter, get, merchantId } = yield* begin()
    yield* api.operator("POST", `/merchants/${merchantId}`, { quotas: { reads: 3 } })
    const viewer = yield* enter("viewer")
    const look = viewer.call("GET", `${at("sandbox")}/orders`)
    for (let times = 0; times < 3; times++) assert.strictEqual((yield* look).status, 200)
    assert.strictEqual((yield* look).status, 429)
    assert.strictEqual((yield* get("/v1/orders")).status, 200)
  }).pipe(Effect.scoped)
)

it.live("where a passkey is demanded, a session by mail reads nothing of a live merchant's", () =>
  Effect.gen(function* () {
    const { approve, at, enter } = yield* begin({ DEMAND_PASSKEYS: "live", PUBLIC_URL: "https://pay.example" })
    yield* approve
    const owner = yield* enter("owner")
    const { body, status } = yield* owner.call("GET", `${at("live")}/orders`)
    assert.deepStrictEqual([status, body.error], [403, "forbidden"])
    assert.include(body.message, "passkey")
  }).pipe(Effect.scoped)
)
