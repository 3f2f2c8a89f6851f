/** No grant exceeds the grantor's rights: what each role makes, rolls and invites, and their rights (silences: U40). */
import { Api } from "@coffer/contract/Api"
import {
  consoleAct,
  type ConsoleActName,
  consoleActs,
  merchantActs,
  type Operation,
  operatorAct,
  type OperatorActName,
  operatorActs
} from "@coffer/contract/acts"
import { Mode } from "@coffer/model/Ids"
import { PersonRole } from "@coffer/model/PersonRole"
import { covers, isOfSandbox, Scope } from "@coffer/model/Scopes"
import { personMayDo } from "@coffer/rules/people/mayDo"
import { scopesOfRole } from "@coffer/rules/people/roleScopes"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpApiGroup } from "effect/http-api"
import { type ConsoleBrowser, invite, signIn } from "../../kit/callers/console.ts"
import { callAs, newOperator } from "../../kit/callers/operators.ts"
import { begin, make } from "../../kit/stories/rights.ts"

const routes = (Object.values(Api.groups) as unknown as ReadonlyArray<HttpApiGroup.Top>).flatMap((group) =>
  Object.values(group.endpoints).map(({ identifier, method, path }) => ({
    operation: `${group.identifier}.${identifier}`,
    scope: merchantActs[`${group.identifier}.${identifier}` as Operation].scope,
    method,
    path: path.replace(":currency", "USD").replace(/:\w+/g, "nothing")
  }))
)

/** Acts with a merchant's or an operator's rights that need a fresh session, by their door. */
const acts = {
  console: Object.keys(consoleActs) as ReadonlyArray<ConsoleActName>,
  operator: Object.keys(operatorActs) as ReadonlyArray<OperatorActName>
}
const isAsked = (fresh: string | undefined) => fresh === "always" || fresh === "live"
const ofFresh = [
  ...acts.console
    .filter((act) => isAsked(consoleAct(act).fresh) && typeof consoleAct(act).by !== "string")
    .map((act) => `console ${act}`),
  ...acts.operator.filter((act) => isAsked(operatorAct(act).fresh)).map((act) => `operator ${act}`)
]

type Begun = Effect.Success<ReturnType<typeof begin>>

/** The scopes by which this key may do some operation. */
const scopesOfKey = Effect.fnUntraced(function* ({ api }: Begun, key: string) {
  const through = yield* Effect.forEach(routes, ({ method, path, scope }) =>
    Effect.map(api.call(method, path, { key, ...(method === "POST" ? { body: {} } : {}) }), ({ status }) =>
      [401, 403].includes(status) || (status === 404 && isOfSandbox(scope)) ? [] : [scope]
    )
  )
  return new Set(through.flat())
})

it.live(
  "a person makes, rolls and changes the keys whose scopes the role has, and a refusal names what is missing",
  () =>
    Effect.gen(function* () {
      const begun = yield* begin({}, "test")
      const { api, at, enter, leap } = begun
      const owner = yield* enter("owner")
      const few = ["orders:read", "refunds:write"] as const
      const ofLive = Scope.literals.filter((scope) => !isOfSandbox(scope))
      for (const role of PersonRole.literals) {
        const person = role === "owner" ? owner : yield* enter(role)
        for (const mode of ["sandbox", "live"] as const) {
          const own = scopesOfRole(role, mode)
          // A developer has some scopes of live, others have all or none.
          for (const scope of role === "developer" ? (mode === "live" ? ofLive : Scope.literals) : few) {
            const may = personMayDo(role, "api_keys.create") && covers(own, scope)
            // A person's writes are counted by the minute.
            yield* leap("3 seconds")
            const made = yield* make(person, at, mode, [scope])
            const told = `${role} makes ${mode} ${scope}: ${made.text}`
            assert.strictEqual(made.status, may ? 201 : 403, told)
            if (made.status === 403 && personMayDo(role, "api_keys.create")) {
              assert.include(made.body.message, `${mode} ${scope}`)
            }
            const theirs = may ? made.body.data : (yield* make(owner, at, mode, [scope])).body.data
            const one = `${at}/api_keys/${theirs.key_id}`
            const statuses = [
              yield* person.call("POST", one, { ip_allowlist: "" }),
              yield* person.call("POST", one, { name: "Renamed" }),
              yield* person.call("POST", `${one}/roll`, { overlap_minutes: 0 })
            ].map(({ status }) => status)
            assert.deepStrictEqual(statuses, may ? [200, 200, 200] : [403, 403, 403], told)
            yield* owner.call("POST", `${one}/revoke`)
          }
        }
        if (!personMayDo(role, "api_keys.create")) continue
        // The new key does what its maker may, and nothing else.
        const widest = scopesOfRole(role, "live").filter((scope) => !isOfSandbox(scope))
        const { key } = (yield* make(person, at, "live", widest)).body.data
        assert.sameMembers(
          [...(yield* scopesOfKey(begun, key))],
          ofLive.filter((scope) => covers(widest, scope))
        )
      }
      assert.strictEqual((yield* api.get("/v1/balance", begun.merchant.sandboxKey)).status, 200)
    }).pipe(Effect.scoped)
)

it.live("a new person may do what the role says that an owner gave, and only owners can give roles", () =>
  Effect.gen(function* () {
    const { api, at, enter, mails, merchantId } = yield* begin()
    const people = new Map<PersonRole, ConsoleBrowser>()
    for (const role of PersonRole.literals) people.set(role, yield* enter(role))
    for (const role of PersonRole.literals) {
      for (const [by, { call }] of people) {
        const email = `${role}-by-${by}@shop.example`
        const before = mails.mails.length
        const invited = yield* call("POST", `${at}/people`, { email, role })
        assert.strictEqual(invited.status, by === "owner" ? 201 : 403, `${by} invites ${role}: ${invited.text}`)
        if (by !== "owner") continue
        yield* mails.mail(before + 1)
        const { call: tryIt, signedIn } = yield* signIn(api, mails, email)
        assert.deepStrictEqual(
          signedIn.person.roles.map((each: { readonly role: string }) => each.role),
          [role]
        )
        for (const mode of Mode.literals) {
          const may = scopesOfRole(role, mode)
          for (const { method, operation, path, scope } of routes) {
            if (mode === "live" && isOfSandbox(scope)) continue
            const target = `/accounts/${merchantId}/${mode}${path.slice("/v1".length)}`
            const { status } = yield* tryIt(method, target, method === "POST" ? {} : undefined)
            assert.strictEqual(status === 403, !covers(may, scope), `${role} in ${mode}: ${operation}: ${status}`)
          }
        }
      }
    }
  }).pipe(Effect.scoped)
)

it.live("where live keys take two operators, one alone gets none by way of a person, an address or another role", () =>
  Effect.gen(function* () {
    const { api, at, merchantId, mails } = yield* begin({ TWO_OPERATORS: "live_keys" })
    const { token } = yield* newOperator(api, "Root", "admin")
    const one = (path: string, body: object) => api.operator("POST", path, body)
    // The maker of a merchant is not shown its live key. A key that was made before this was set may be known to one.
    assert.isNull((yield* one("/merchants", { name: "Tea", seed: false })).body.data.live_key)
    const merchants = (yield* api.operator("GET", "/merchants?limit=1")).body.data.data
    const tea = `/merchants/${merchants[0].merchant_id}`
    assert.strictEqual((yield* one(tea, { approved: true })).status, 202)
    for (const path of [at, tea]) {
      assert.strictEqual((yield* callAs(api, token, "POST", path, { approved: true })).status, 200)
    }
    // A viewer reads what operators read.
    const me = { email: "me@pay.example", merchant_id: merchantId }
    yield* invite(api, mails, { ...me, role: "viewer" })
    for (const role of PersonRole.literals.filter((role) => role !== "viewer")) {
      const asked = yield* one("/people", { ...me, role })
      assert.strictEqual(asked.status, 202, `${role}: ${asked.text}`)
    }
    assert.strictEqual((yield* one(at, { live: { ip_allowlist: "" } })).status, 202)
    const live = { mode: "live", name: "Ours", scopes: ["orders:read"], ip_allowlist: "203.0.113.7" }
    assert.strictEqual((yield* one(`${at}/api_keys`, live)).status, 202)
    const { key_id } = (yield* callAs(api, token, "POST", `${at}/api_keys`, live)).body.data
    assert.strictEqual((yield* one(`${at}/api_keys/${key_id}`, { ip_allowlist: "" })).status, 202)
    assert.strictEqual((yield* one(`${at}/api_keys/${key_id}`, { name: "Theirs" })).status, 200)
    const viewer = yield* signIn(api, mails, me.email)
    assert.strictEqual((yield* make(viewer, at, "live", ["orders:read"])).status, 403)
    assert.strictEqual((yield* callAs(api, token, "POST", "/people", { ...me, role: "owner" })).status, 200)
    assert.strictEqual((yield* make(viewer, at, "live", ["orders:read"])).status, 201)
  }).pipe(Effect.scoped)
)

it.effect("an older session makes or opens no live key, invites no person, and makes no operator", () =>
  Effect.gen(function* () {
    const { api, at, enter, leap, mails } = yield* begin({}, "test")
    const owner = yield* enter("owner")
    const admin = yield* enter("admin", "")
    const made = yield* make(owner, at, "live", ["orders:read"])
    assert.strictEqual(made.status, 201, made.text)
    const one = `${at}/api_keys/${made.body.data.key_id}`
    const noPerson = `per_${"0".repeat(26)}`
    const live = { mode: "live", name: "x", scopes: ["orders:read"] }
    const tried = (
      tag: string
    ): Readonly<Record<string, Effect.Effect<{ readonly status: number; readonly text: string }>>> => ({
      "console people.invite": owner.call("POST", `${at}/people`, { email: `${tag}1@shop.example`, role: "viewer" }),
      "console people.sendAgain": owner.call("POST", `${at}/people/${noPerson}/send_again`),
      "console people.setRole": owner.call("POST", `${at}/people/${noPerson}`, { role: "viewer" }),
      "console people.recover": owner.call("POST", `${at}/people/${noPerson}/recover`),
      "console api_keys.create": make(owner, at, "live", ["orders:read"]),
      "console api_keys.roll": owner.call("POST", `${one}/roll`, { overlap_minutes: 0 }),
      "console api_keys.update": owner.call("POST", one, { ip_allowlist: "" }),
      "console main_keys.reset": owner.call("POST", `${at}/main_keys/live/reset`),
      "console settings.update": owner.call("POST", `${at}/settings`, { live: { ip_allowlist: "" } }),
      "operator merchants.create": admin.operate("POST", "/merchants", { name: "Another", seed: false }),
      "operator merchants.update": admin.operate("POST", at, { live: { ip_allowlist: "" } }),
      "operator merchants.resetKey": admin.operate("POST", `${at}/keys/live/reset`),
      "operator merchants.signingSecret": admin.operate("GET", `${at}/signing_secret/live`),
      "operator api_keys.create": admin.operate("POST", `${at}/api_keys`, live),
      "operator api_keys.roll": admin.operate("POST", `${one}/roll`, { overlap_minutes: 0 }),
      "operator api_keys.update": admin.operate("POST", one, { ip_allowlist: "" }),
      "operator operators.create": admin.operate("POST", "/operators", { name: tag, role: "viewer" }),
      "operator people.invite": admin.operate("POST", "/people", { email: `${tag}2@pay.example`, role: "viewer" }),
      "operator people.recover": admin.operate("POST", `/people/${noPerson}/recover`)
    })
    assert.sameMembers(Object.keys(tried("all")), ofFresh)
    for (const [what, done] of Object.entries(tried("fresh"))) assert.notInclude([401, 403], (yield* done).status, what)
    yield* leap("16 minutes")
    for (const [what, done] of Object.entries(tried("old"))) {
      const { status, text } = yield* done
      assert.deepStrictEqual([status, text.includes("15 minutes")], [403, true], `${what}: ${text}`)
    }
    assert.strictEqual((yield* admin.operate("POST", at, { approved: true })).status, 403)
    // An act that takes a right away, a sandbox key, and settings that give no access need no new sign-in.
    assert.strictEqual((yield* admin.operate("POST", at, { approved: false, note: "Asked" })).status, 200)
    assert.strictEqual((yield* make(owner, at, "sandbox", ["orders:read"])).status, 201)
    assert.strictEqual((yield* owner.call("POST", `${one}/revoke`)).status, 200)
    assert.strictEqual(
      (yield* (yield* signIn(api, mails, "owner@shop.example")).call("POST", `${at}/people`, {
        email: "a@b.example",
        role: "viewer"
      })).status,
      201
    )
  }).pipe(Effect.scoped)
)

it.live("a token ends with each of its people, does no more than their role now, and is no second operator then", () =>
  Effect.gen(function* () {
    const { api, at, mails } = yield* begin({ TWO_OPERATORS: "fees" })
    const root = yield* newOperator(api, "Root", "admin")
    const both = Effect.fnUntraced(function* (path: string, body: object) {
      assert.strictEqual((yield* callAs(api, root.token, "POST", path, body)).status, 202)
      return yield* api.operator("POST", path, body)
    })
    const mailed = <A, E>(act: Effect.Effect<A, E>) =>
      Effect.suspend(() => {
        const before = mails.mails.length
        return Effect.tap(act, () => mails.mail(before + 1))
      })
    const tokenOf = Effect.fnUntraced(function* (email: string) {
      yield* mailed(both("/people", { email, role: "admin" }))
      const { person_id } = (yield* signIn(api, mails, email)).signedIn.person
      const made = yield* both("/operators", { name: email, role: "admin", person_id, expires_in_days: 365 })
      return { email, person_id: String(person_id), ...(made.body.data as { operator_id: string; token: string }) }
    })
    const fees = (token: string, n: number) => callAs(api, token, "POST", at, { dispute_fee: { USD: n } })
    const status = (token: string) => Effect.map(callAs(api, token, "GET", "/merchants"), (reply) => reply.status)

    const removed = yield* tokenOf("removed@pay.example")
    assert.strictEqual((yield* fees(removed.token, 1)).status, 202)
    assert.strictEqual((yield* api.operator("POST", `/people/${removed.person_id}/remove`)).status, 200)
    assert.strictEqual(yield* status(removed.token), 401)
    assert.strictEqual((yield* fees(root.token, 1)).status, 202, "who was removed is no second operator")
    yield* mailed(both("/people", { email: removed.email, role: "admin", name: "Back" }))
    assert.strictEqual(yield* status(removed.token), 401, "who comes back gets another token")

    const recovered = yield* tokenOf("recovered@pay.example")
    assert.strictEqual((yield* fees(recovered.token, 2)).status, 202)
    yield* mailed(both(`/people/${recovered.person_id}/recover`, {}))
    assert.strictEqual(yield* status(recovered.token), 401)
    assert.strictEqual((yield* fees(root.token, 2)).status, 202, "what a lost way in has asked for is gone")

    const lowered = yield* tokenOf("lowered@pay.example")
    assert.strictEqual((yield* fees(lowered.token, 3)).status, 202)
    yield* both("/people", { email: lowered.email, role: "support" })
    assert.strictEqual(yield* status(lowered.token), 200)
    assert.strictEqual((yield* fees(lowered.token, 4)).status, 403)
    assert.strictEqual((yield* callAs(api, lowered.token, "POST", `${at}/suspend`)).status, 200)
    assert.strictEqual((yield* fees(root.token, 3)).status, 202, "who may not do it any more is no second operator")
    const listed = (yield* api.operator("GET", "/operators")).body.data.data as ReadonlyArray<any>
    const ended = listed.filter(({ revoked_at }) => revoked_at !== null).map(({ name }) => name)
    assert.sameMembers(ended, [removed.email, recovered.email])
  }).pipe(Effect.scoped)
)

it.live("a key says which person of the merchant was shown its secret, also after that person has left", () =>
  Effect.gen(function* () {
    const { api, at, enter } = yield* begin()
    const owner = yield* enter("owner")
    const developer = yield* enter("developer")
    const { key_id } = (yield* make(developer, at, "live", ["orders:read"])).body.data
    const known = Effect.map(owner.call("GET", `${at}/api_keys?mode=live`), ({ body }) => {
      const key = body.data.data.find((each: { readonly key_id: string }) => each.key_id === key_id)
      return [key.created_by, key.rolled_by]
    })
    assert.deepStrictEqual(yield* known, [developer.email, null])
    yield* owner.call("POST", `${at}/people/${developer.person_id}/remove`)
    assert.deepStrictEqual(yield* known, [developer.email, null])
    const roll = `${at}/api_keys/${key_id}/roll`
    assert.strictEqual((yield* owner.call("POST", roll, { overlap_minutes: 0 })).body.data.rolled_by, owner.email)
    assert.deepStrictEqual(yield* known, [developer.email, owner.email])
    assert.strictEqual((yield* api.operator("POST", roll, { overlap_minutes: 0 })).body.data.rolled_by, null)
    const other = { mode: "live", name: "Of an operator", scopes: ["orders:read"] }
    assert.strictEqual((yield* api.operator("POST", `${at}/api_keys`, other)).body.data.created_by, null)
  }).pipe(Effect.scoped)
)

it.live("a session of hours is shown no live secret that signs events", () =>
  Effect.gen(function* () {
    const { enter, leap, merchantId } = yield* begin({}, "test")
    const owner = yield* enter("owner")
    const url = "https://shop.example/hooks"
    const send = (mode: Mode) => {
      const at = `/accounts/${merchantId}/${mode}`
      const call = (method: string, path: string, body?: object) =>
        Effect.map(owner.call(method, `${at}${path}`, body), ({ status }) => status)
      return Effect.gen(function* () {
        const [live] = (yield* owner.call("GET", `${at}/webhook_endpoints`)).body.data.data
        return yield* Effect.all([
          call("POST", "/webhook_endpoints", { url }),
          call("POST", `/webhook_endpoints/${live?.id ?? "none"}/rotate_secret`),
          call("GET", "/webhook_signing_secret"),
          call("POST", "/webhook_signing_secret/rotate")
        ])
      })
    }
    for (const mode of ["live", "sandbox"] as const)
      yield* owner.call("POST", `/accounts/${merchantId}/${mode}/webhook_endpoints`, { url })
    const done = [201, 200, 200, 200]
    assert.deepStrictEqual(yield* send("live"), done)
    yield* leap("16 minutes")
    assert.deepStrictEqual(yield* send("live"), [403, 403, 403, 403])
    assert.deepStrictEqual(yield* send("sandbox"), done)
  }).pipe(Effect.scoped)
)
