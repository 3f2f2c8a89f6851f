/** What a merchant's people read and change of their merchant: settings, the audit log, payouts, quotas. */
import { PersonRole } from "@coffer/model/PersonRole"
import { forbiddenField } from "@coffer/rules/people/mayDo"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { consoleBrowser, headersOf, invite, signIn } from "../../kit/callers/console.ts"
import { callAs, entriesOf, newOperator } from "../../kit/callers/operators.ts"
import { merchantOf } from "../../kit/Merchant.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { type Options, start } from "../../kit/Service.ts"

const begin = Effect.fnUntraced(function* (options: Options = {}) {
  const mails = yield* mailServer()
  const running = yield* start({
    ...options,
    env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example", ...options.env }
  })
  const { api, merchant } = running
  const { merchantId } = merchant
  const enter = Effect.fnUntraced(function* (role: string, merchant_id = merchantId, at = "shop.example") {
    const email = `${role}@${at}`
    const { person_id } = yield* invite(api, mails, { email, merchant_id, role })
    return { ...(yield* signIn(api, mails, email)), person_id, email }
  })
  return { ...running, mails, merchantId, enter, at: `/merchants/${merchantId}` }
})

describe("the settings that a role may change", () => {
  it("are all for an owner, the sandbox and the live default address for a developer, and none for others", () => {
    const patches = [
      { time_zone: "UTC" },
      { logo_url: null },
      { contact_email: null },
      { sandbox: { ip_allowlist: "" } },
      { live: { ip_allowlist: "" } },
      { live: { payment_methods: null } },
      { live: { default_notify_url: null } },
      { sandbox: {}, time_zone: "UTC" }
    ]
    const allowed = (role: PersonRole) =>
      patches.flatMap((patch, index) => (forbiddenField("settings.update", role, patch) === undefined ? [index] : []))
    assert.deepStrictEqual(allowed("owner"), [0, 1, 2, 3, 4, 5, 6, 7])
    assert.deepStrictEqual(allowed("developer"), [3, 6])
    for (const role of ["support", "finance", "viewer"] as const) assert.deepStrictEqual(allowed(role), [])
  })
})

it.live("each role reads the settings, without the operators' words; owner and developer change theirs, audited", () =>
  Effect.gen(function* () {
    const { api, at, enter, merchantId } = yield* begin()
    yield* api.operator("POST", at, { note: "difficult people", approved: true })
    const people = new Map<string, Effect.Success<ReturnType<typeof enter>>>()
    for (const role of PersonRole.literals) people.set(role, yield* enter(role))
    for (const [role, { call }] of people) {
      const { body, status, text } = yield* call("GET", `${at}/settings`)
      assert.deepStrictEqual([status, body.data.object, body.data.approved], [200, "merchant_settings", true], role)
      assert.notInclude(text, "difficult")
      assert.notProperty(body.data, "note")
    }
    const change = (role: string, patch: object) =>
      Effect.map(people.get(role)!.call("POST", `${at}/settings`, patch), ({ body, status }) => ({ body, status }))
    const url = "https://hooks.shop.example/coffer"
    for (const [role, patch, expected] of [
      ["viewer", { time_zone: "Europe/Berlin" }, 403],
      ["finance", { sandbox: { ip_allowlist: "" } }, 403],
      ["developer", { time_zone: "Europe/Berlin" }, 403],
      ["developer", { sandbox: { payment_methods: ["card"] }, live: { ip_allowlist: "203.0.113.7" } }, 403],
      ["developer", { sandbox: { ip_allowlist: "203.0.113.0/24", payment_methods: ["card"] } }, 200],
      ["developer", { live: { default_notify_url: url } }, 200],
      ["owner", { time_zone: "Europe/Berlin", support_email: "help@shop.example" }, 200],
      ["owner", { live: { ip_allowlist: "203.0.113.7" } }, 200],
      ["owner", { live: { ip_allowlist: "none" } }, 400],
      ["owner", { time_zone: "Europe/Nowhere" }, 400],
      ["owner", { support_url: "http://shop.example" }, 400],
      ["owner", { accent_color: "#eeeeee" }, 400],
      ["owner", { accent_color: "#7a1f5c", terms_url: "https://shop.example/terms" }, 200],
      ["developer", { privacy_url: "https://shop.example/privacy" }, 403],
      ["owner", { logo_url: "https://elsewhere.example/a.png" }, 400]
    ] as const) {
      const { body, status } = yield* change(role, patch)
      assert.strictEqual(status, expected, `${role}: ${JSON.stringify(patch)} ${JSON.stringify(body)}`)
    }
    // The operators' fields are ignored, as every unknown field.
    yield* change("owner", { name: "Mine", approved: false, fees: [], quotas: { writes: 1_000 } })
    const { data } = (yield* api.operator("GET", at)).body
    assert.deepStrictEqual(
      [
        data.name,
        data.approved,
        data.time_zone,
        data.support_email,
        data.live.ip_allowlist,
        data.live.default_notify_url
      ],
      ["Test merchant", true, "Europe/Berlin", "help@shop.example", "203.0.113.7", url]
    )
    assert.deepStrictEqual([data.sandbox.ip_allowlist, data.quotas.writes], ["203.0.113.0/24", 1_000_000])
    const entries = yield* entriesOf(api, `&act=console:settings.update&target=${merchantId}`)
    const [ended] = entries.filter(({ actor, status }) => actor === "owner@shop.example" && status === 200).slice(-2)
    assert.strictEqual(ended!["details"].after.time_zone, "Europe/Berlin")
    assert.notInclude(JSON.stringify(entries), "difficult")
    assert.isTrue(entries.some(({ phase, role }) => phase === "refused" && role === "viewer"))
    assert.isTrue(entries.some(({ role, status }) => role === "developer" && status === 403))
  }).pipe(Effect.scoped)
)

it.live("the sandbox sends mails to people who have signed in, and to others only where operators have said so", () =>
  Effect.gen(function* () {
    const { api, at, enter, mails, merchantId } = yield* begin()
    const { call } = yield* enter("developer")
    yield* invite(api, mails, { email: "idle@shop.example", merchant_id: merchantId, role: "viewer" })
    yield* api.operator("POST", at, { sandbox: { mail_recipients: ["@known.example"] } })
    const set = (mail_recipients: ReadonlyArray<string>) =>
      Effect.map(call("POST", `${at}/settings`, { sandbox: { mail_recipients } }), ({ body, status }) => [
        status,
        body.param
      ])
    for (const each of ["victim@elsewhere.example", "@shop.example", "idle@shop.example"]) {
      assert.deepStrictEqual(yield* set([each]), [400, "sandbox.mail_recipients"], each)
    }
    assert.strictEqual((yield* set(["@known.example", "developer@shop.example"]))[0], 200)
    assert.strictEqual((yield* set([]))[0], 200)
  }).pipe(Effect.scoped)
)

it.effect("the live allowlist is not changed by a session that was opened some time ago, and other settings are", () =>
  Effect.gen(function* () {
    const { at, enter, leap } = yield* begin({ clock: "test" })
    const { call } = yield* enter("owner")
    yield* leap("16 minutes")
    const patch = (body: object) => Effect.map(call("POST", `${at}/settings`, body), ({ status }) => status)
    assert.strictEqual(yield* patch({ live: { ip_allowlist: "203.0.113.7" } }), 403)
    assert.strictEqual(yield* patch({ live: { payment_methods: ["card"] } }), 200)
    assert.strictEqual(yield* patch({ sandbox: { ip_allowlist: "" } }), 200)
  }).pipe(Effect.scoped)
)

it.live("the audit log of a merchant has what operators did with its payouts, one row an act, and nobody else's", () =>
  Effect.gen(function* () {
    const running = yield* begin()
    const { api, at, enter, merchantId } = running
    const owner = yield* enter("owner")
    const other = yield* api.newMerchant("Another shop")
    const stranger = yield* enter("owner", other.merchantId, "other.example")
    yield* merchantOf(running).paid(40_000)
    const asked = { mode: "sandbox", currency: "USD", amount: 2_500 }
    const { payout_no } = (yield* api.operator("POST", `${at}/payouts`, asked)).body.data
    for (const act of ["approve", "complete"])
      assert.strictEqual((yield* api.operator("POST", `/payouts/${payout_no}/${act}`)).status, 200, act)
    assert.strictEqual((yield* api.operator("POST", `/payouts/${payout_no}/reject`)).status, 409)
    const shown = (reply: { readonly body: any }) =>
      reply.body.data.data
        .filter(({ act }: any) => act.startsWith("payouts."))
        .map(({ act, by, details, phase, status, target }: any) => {
          assert.deepStrictEqual(details, { after: { payout_no, amount: 2_500, currency: "USD" } })
          return [act, by, phase, status, target.includes(merchantId)]
        })
    assert.deepStrictEqual(shown(yield* owner.call("GET", `${at}/audit_log?limit=20`)), [
      ["payouts.reject", "operator", "done", 409, true],
      ["payouts.complete", "operator", "done", 200, true],
      ["payouts.approve", "operator", "done", 200, true],
      ["payouts.create", "operator", "done", 201, true]
    ])
    assert.deepStrictEqual(shown(yield* stranger.call("GET", `/merchants/${other.merchantId}/audit_log?limit=20`)), [])
  }).pipe(Effect.scoped)
)

it.live("the audit log of a merchant has its people's acts whole, and what operators did without who of them", () =>
  Effect.gen(function* () {
    const { api, at, enter, merchantId } = yield* begin()
    const other = yield* api.newMerchant("Another shop")
    const owner = yield* enter("owner")
    const developer = yield* enter("developer")
    const viewer = yield* enter("viewer")
    const { token } = yield* newOperator(api, "Grace", "admin")
    yield* callAs(api, token, "POST", at, { note: "difficult people" })
    yield* owner.call("POST", `${at}/settings`, { time_zone: "Europe/Berlin" })
    // A person of another merchant writes this merchant's number into a path.
    const stranger = yield* enter("owner", other.merchantId, "other.example")
    yield* stranger.call("POST", `/sessions/${merchantId}/end`)
    yield* stranger.call("POST", `/merchants/${other.merchantId}/people/${merchantId}/remove`)

    assert.strictEqual((yield* viewer.call("GET", `${at}/audit_log`)).status, 403)
    const listed = yield* developer.call("GET", `${at}/audit_log?limit=100`)
    assert.strictEqual(listed.status, 200, listed.text)
    const entries = listed.body.data.data as ReadonlyArray<Record<string, any>>
    assert.deepStrictEqual(
      entries.map(({ act, actor, by, phase }) => `${by} ${actor} ${act} ${phase}`),
      [
        "person viewer@shop.example console:audit_log.list refused",
        "person owner@shop.example console:settings.update done",
        "operator  merchants.update done",
        // The kit has given it its quotas.
        "operator  merchants.update done"
      ]
    )
    // What was asked for, and what changed.
    assert.deepStrictEqual(Object.keys(entries[1]!["details"].body), ["time_zone"])
    assert.strictEqual(entries[1]!["details"].after.time_zone, "Europe/Berlin")
    for (const hidden of ["Grace", "difficult", "other.example", "hash"]) assert.notInclude(listed.text, hidden)
    const page = (yield* owner.call("GET", `${at}/audit_log?limit=1`)).body.data
    assert.deepStrictEqual([page.has_more, page.data.length], [true, 1])
    const next = yield* owner.call("GET", `${at}/audit_log?limit=10&starting_after=${page.data[0].id}`)
    assert.lengthOf(next.body.data.data, 3)
    const elsewhere = (yield* stranger.call("GET", `/merchants/${other.merchantId}/audit_log`)).body.data.data
    assert.includeMembers(
      elsewhere.map(({ act, phase }: any) => `${act} ${phase}`),
      ["console:people.remove done"]
    )
  }).pipe(Effect.scoped)
)

it.live("each role reads the merchant's payouts, by environment, and none of another merchant", () =>
  Effect.gen(function* () {
    const running = yield* begin()
    const { api, at, enter } = running
    yield* merchantOf(running).paid(50_000)
    const terms = { mode: "sandbox", currency: "USD", amount: 1_000 }
    const { payout_no } = (yield* api.operator("POST", `${at}/payouts`, terms)).body.data
    const other = yield* api.newMerchant("Another shop")
    const { call } = yield* enter("viewer")
    const listed = (yield* call("GET", `${at}/payouts?mode=sandbox`)).body.data.data
    assert.deepStrictEqual([listed.length, listed[0].payout_no, listed[0].status], [1, payout_no, "requested"])
    assert.lengthOf((yield* call("GET", `${at}/payouts?mode=live`)).body.data.data, 0)
    assert.strictEqual((yield* call("GET", `${at}/payouts`)).status, 400)
    assert.strictEqual((yield* call("GET", `${at}/payouts/${payout_no}`)).body.data.amount, 1_000)
    const stranger = yield* enter("owner", other.merchantId, "other.example")
    const foreign = yield* stranger.call("GET", `/merchants/${other.merchantId}/payouts/${payout_no}`)
    assert.deepStrictEqual([foreign.status, foreign.body.error], [404, "payout_not_found"])
  }).pipe(Effect.scoped)
)

it.live("the quotas of a minute are read without counting, programs and people apart", () =>
  Effect.gen(function* () {
    const running = yield* begin()
    const { api, at, enter, merchant, merchantId } = running
    yield* api.operator("POST", at, { quotas: { reads: 50 } })
    // The quotas of the kit's merchants.
    const most = 1_000_000
    const { call } = yield* enter("viewer")
    for (let times = 0; times < 3; times++) yield* api.get("/v1/balance", merchant.sandboxKey)
    yield* api.get("/v1/orders?format=csv", merchant.sandboxKey)
    // A reader that waits for events uses up none of the reads.
    yield* merchantOf(running).paid(100)
    yield* api.get("/v1/events?wait=1", merchant.sandboxKey)
    yield* call("GET", `/accounts/${merchantId}/sandbox/orders`)
    yield* call("GET", `${at}/quotas?mode=sandbox`)
    const { body } = yield* call("GET", `${at}/quotas?mode=sandbox`)
    const used = body.data.quotas.map(({ by, kind, limit, used }: any) => [kind, by, limit, used])
    assert.deepStrictEqual(used, [
      ["writes", "keys", most, 1],
      ["writes", "console", most, 0],
      ["reads", "keys", 50, 3],
      ["reads", "console", 50, 1],
      ["csv", "keys", most, 1],
      ["csv", "console", most, 0],
      ["helpers", "keys", most, 1],
      ["helpers", "console", most, 0],
      ["waits", "keys", 50, 1]
    ])
    assert.lengthOf((yield* call("GET", `${at}/quotas?mode=live`)).body.data.quotas, 7)
    // A page of another site cannot read it.
    const foreign = yield* api.call("GET", `/console/api${at}/quotas?mode=live`, {
      headers: { ...headersOf(consoleBrowser(api)), Origin: "https://evil.example" }
    })
    assert.strictEqual(foreign.status, 403)
  }).pipe(Effect.scoped)
)

it.live("settings are changed over the version that a page has read; of two people the second gets 409", () =>
  Effect.gen(function* () {
    const { api, at, enter } = yield* begin()
    const { call } = yield* enter("owner")
    const path = `${at}/settings`
    const read = Effect.map(call("GET", path), ({ body }) => body.data)
    const over = (version: string, patch: object) => call("POST", path, patch, { "If-Match": `"${version}"` })
    const { version } = yield* read
    // A change that merchants do not see is not listed.
    yield* api.operator("POST", at, { note: "a word of operators" })
    assert.strictEqual((yield* read).version, version)
    const both = yield* Effect.all(
      [over(version, { time_zone: "Europe/Berlin" }), over(version, { time_zone: "Asia/Shanghai" })],
      { concurrency: "unbounded" }
    )
    assert.sameMembers(
      both.map(({ status }) => status),
      [200, 409]
    )
    const refused = both.find(({ status }) => status === 409)!
    assert.deepStrictEqual(
      [refused.body.error, refused.headers.get("coffer-reason")],
      ["conflict", "changed_meanwhile"]
    )
    assert.strictEqual((yield* over((yield* read).version, { time_zone: "UTC" })).status, 200)
    assert.strictEqual((yield* call("POST", path, { time_zone: "Asia/Tokyo" })).status, 200)
  }).pipe(Effect.scoped)
)
