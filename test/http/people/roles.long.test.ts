/** The rights of each person in the console: the table of acts, tried through HTTP, each endpoint as each role. */
import { consoleAct, type ConsoleActName } from "@coffer/contract/acts"
import { bodyLimitsOf } from "@coffer/contract/bodyLimits"
import { ConsoleApi } from "@coffer/contract/Console"
import { PersonRole } from "@coffer/model/PersonRole"
import { personMayDo } from "@coffer/rules/people/mayDo"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpApiGroup } from "effect/http-api"
import { consoleBrowser, invite, signIn } from "../../kit/callers/console.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { entriesOf } from "../../kit/callers/operators.ts"
import { start } from "../../kit/Service.ts"

const endpoints = (Object.values(ConsoleApi.groups) as unknown as ReadonlyArray<HttpApiGroup.Top>).flatMap((group) =>
  Object.values(group.endpoints).map((endpoint) => ({
    act: `${group.identifier}.${endpoint.identifier}` as ConsoleActName,
    endpoint,
    method: endpoint.method,
    path: endpoint.path.replace("/console/api", "")
  }))
)

const bodies: Partial<Record<string, object>> = {
  "people.setRole": { role: "viewer" },
  "people.invite": { email: "not an address", role: "viewer" }
}

describe("the table of console acts", () => {
  it("logs every act that is not a read, apart from saved views and one's own notifications", () => {
    const unlogged = endpoints.filter(({ act }) => !consoleAct(act).isLogged)
    assert.deepStrictEqual(
      unlogged.filter(({ method }) => method !== "GET").map(({ act }) => act),
      [
        "sign_in.ask",
        "sign_in.askPasskey",
        "sign_in.askOpenId",
        "passkeys.ask",
        "saved_views.create",
        "saved_views.update",
        "saved_views.remove",
        "notifications.markRead",
        "notifications.updateSettings"
      ]
    )
  })
})

/** The most that is read before the person is known; and with a session, as of an owner who sets two allowlists. */
const bytesMax = { anybody: 32_000, person: 460_000 }

describe("a body of the console", () => {
  for (const { act, endpoint } of endpoints) {
    it(`is bounded: ${act}`, () =>
      assert.isAtMost(bodyLimitsOf(endpoint).bytes, bytesMax[consoleAct(act).by === "anybody" ? "anybody" : "person"]))
  }
})

const begin = Effect.gen(function* () {
  const mails = yield* mailServer()
  const running = yield* start({ env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" } })
  const { merchantId } = running.merchant
  const emailOf = (role: string) => `${role}@shop.example`
  const people = new Map<PersonRole, { readonly person_id: string }>()
  for (const role of PersonRole.literals) {
    people.set(role, yield* invite(running.api, mails, { email: emailOf(role), merchant_id: merchantId, role }))
  }
  return { ...running, mails, merchantId, emailOf, people }
})

it.live("each role is let through to what it may do, and to nothing else; what it is refused is in the audit log", () =>
  Effect.gen(function* () {
    const { api, emailOf, mails, merchantId } = yield* begin
    const other = yield* api.newMerchant("Another shop")
    for (const role of PersonRole.literals) {
      const { call } = yield* signIn(api, mails, emailOf(role))
      const ofMerchant = endpoints.filter(({ act }) => typeof consoleAct(act).by !== "string")
      for (const { act, method, path } of ofMerchant) {
        const at = (merchant: string) =>
          path.replace(":merchant_id", merchant).replace(":person_id", `per_${"0".repeat(26)}`)
        const { body, status } = yield* call(method, at(merchantId), bodies[act])
        const isForbidden = status === 403 && body.error === "forbidden"
        assert.strictEqual(!isForbidden, personMayDo(role, act), `${role}: ${act} was answered ${status}`)
        const foreign = yield* call(method, at(other.merchantId), bodies[act])
        assert.deepStrictEqual([foreign.status, foreign.body.error], [404, "merchant_not_found"], `${role}: ${act}`)
      }
    }
    const refused = yield* entriesOf(api, "&act=console:people.invite")
    const roles = refused.filter(({ phase }) => phase === "refused").map(({ role }) => role)
    assert.sameMembers(roles, ["developer", "support", "finance", "viewer"])
  }).pipe(Effect.scoped)
)

const standings = [
  { does: "close", isCalled: "is closed", goesOn: ["kept", "protects"], says: "read, and take rights away" },
  {
    does: "suspend",
    isCalled: "is suspended",
    goesOn: ["protects"],
    says: "end sessions and keys, and do nothing else"
  }
]

for (const { does, goesOn, isCalled, says } of standings) {
  it.live(`people of a merchant that ${isCalled} ${says}`, () =>
    Effect.gen(function* () {
      const { api, emailOf, mails, merchantId } = yield* begin
      const { call } = yield* signIn(api, mails, emailOf("owner"))
      assert.strictEqual((yield* api.operator("POST", `/merchants/${merchantId}/${does}`)).status, 200)
      for (const { act, method, path } of endpoints.filter(({ act }) => typeof consoleAct(act).by !== "string")) {
        const at = path.replace(":merchant_id", merchantId).replace(/:\w+_id/, `per_${"0".repeat(26)}`)
        const { status, text } = yield* call(method, at, bodies[act])
        const isRefused = status === 403 && text.includes(isCalled)
        assert.strictEqual(isRefused, !goesOn.includes(consoleAct(act).state!), `${act} was answered ${text}`)
      }
    }).pipe(Effect.scoped)
  )
}

it.live("without a session nothing but signing in is answered", () =>
  Effect.gen(function* () {
    const { api, merchantId } = yield* begin
    for (const { act, method, path } of endpoints.filter(({ act }) => consoleAct(act).by !== "anybody")) {
      const at = path.replace(":merchant_id", merchantId).replace(/:\w+/, "none")
      const { status } = yield* consoleBrowser(api).call(method, at, bodies[act])
      assert.strictEqual(status, 401, act)
    }
  }).pipe(Effect.scoped)
)

it.live("an owner invites, changes a role and removes a person, and it holds for the person's next request", () =>
  Effect.gen(function* () {
    const { api, emailOf, mails, merchantId, people } = yield* begin
    const owner = yield* signIn(api, mails, emailOf("owner"))
    const at = `/merchants/${merchantId}/people`
    const before = mails.mails.length
    const invited = yield* owner.call("POST", at, { email: "New@Shop.example", name: "New", role: "viewer" })
    assert.strictEqual(invited.status, 201, invited.text)
    assert.include(yield* mails.mail(before + 1), "new@shop.example")
    const again = yield* owner.call("POST", at, { email: "new@shop.example", role: "support" })
    assert.strictEqual(again.status, 409)
    const person = yield* signIn(api, mails, "new@shop.example")
    const { person_id } = invited.body.data
    assert.strictEqual((yield* person.call("POST", `${at}/${person_id}/remove`)).status, 403)
    assert.strictEqual((yield* owner.call("POST", `${at}/${person_id}`, { role: "owner" })).status, 200)
    assert.strictEqual((yield* person.call("POST", `${at}/${person_id}/end_sessions`)).status, 200)
    assert.strictEqual((yield* person.call("GET", "/session")).status, 401)
    assert.strictEqual((yield* owner.call("POST", `${at}/${person_id}/remove`)).status, 200)
    const listed = (yield* owner.call("GET", at)).body.data.data as ReadonlyArray<{ person_id: string }>
    assert.sameMembers(
      listed.map(({ person_id }) => person_id),
      [...people.values()].map(({ person_id }) => person_id)
    )
    const entries = yield* entriesOf(api, "&act=console:people.remove")
    assert.deepStrictEqual(
      entries.map(({ actor, phase, role }) => [actor, role, phase]),
      [
        [emailOf("owner"), "owner", "done"],
        [emailOf("owner"), "owner", "begun"],
        ["new@shop.example", "viewer", "refused"]
      ]
    )
  }).pipe(Effect.scoped)
)

it.live("the last owner is neither removed nor given another role by people, of two at once one stays", () =>
  Effect.gen(function* () {
    const { api, emailOf, mails, merchantId, people } = yield* begin
    const at = `/merchants/${merchantId}/people`
    const owner = yield* signIn(api, mails, emailOf("owner"))
    const [one, two] = [people.get("owner")!.person_id, people.get("developer")!.person_id]
    assert.strictEqual((yield* owner.call("POST", `${at}/${one}/remove`)).status, 409)
    assert.strictEqual((yield* owner.call("POST", `${at}/${one}`, { role: "viewer" })).status, 409)
    assert.strictEqual((yield* owner.call("POST", `${at}/${two}`, { role: "owner" })).status, 200)
    const other = yield* signIn(api, mails, emailOf("developer"))
    const both = yield* Effect.all(
      [owner.call("POST", `${at}/${two}/remove`), other.call("POST", `${at}/${one}`, { role: "viewer" })],
      { concurrency: "unbounded" }
    )
    assert.strictEqual(both.filter(({ status }) => status === 200).length, 1, both.map(({ text }) => text).join())
    // An operator may.
    const left = both[0].status === 200 ? one : two
    const removed = yield* api.operator("POST", `/people/${left}/remove`, { merchant_id: merchantId })
    assert.strictEqual(removed.status, 200, removed.text)
  }).pipe(Effect.scoped)
)

it.live("operators see who has which role and when each was last seen, and a role of the installation takes two", () =>
  Effect.gen(function* () {
    const mails = yield* mailServer()
    const { api, merchant } = yield* start({
      env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example", TWO_OPERATORS: "fees" }
    })
    const { merchantId } = merchant
    yield* invite(api, mails, { email: "ada@shop.example", merchant_id: merchantId, role: "finance" })
    yield* invite(api, mails, { email: "ada@shop.example", merchant_id: merchantId, role: "support" })
    const asked = yield* api.operator("POST", "/people", { email: "op@pay.example", role: "admin" })
    assert.strictEqual(asked.status, 202, asked.text)
    const wrong = yield* api.operator("POST", "/people", { email: "op@pay.example", role: "owner" })
    assert.deepStrictEqual([wrong.status, wrong.body.param], [400, "role"])
    const unknown = { email: "a@b.example", merchant_id: `mer_${"0".repeat(26)}`, role: "owner" }
    assert.strictEqual((yield* api.operator("POST", "/people", unknown)).status, 404)
    yield* signIn(api, mails, "ada@shop.example")
    const listed = yield* api.operator("GET", `/people?merchant_id=${merchantId}&search=ADA`)
    const [person, ...more] = listed.body.data.data as ReadonlyArray<any>
    assert.deepStrictEqual([person.email, person.roles[0].role, more.length], ["ada@shop.example", "support", 0])
    assert.strictEqual((yield* api.operator("GET", "/people?role=owner")).body.data.data.length, 0)
    const ended = yield* api.operator("POST", `/people/${person.person_id}/end_sessions`)
    assert.strictEqual(ended.status, 200)
  }).pipe(Effect.scoped)
)
