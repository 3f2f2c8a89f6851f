/** The audit log: who did what, written before and after, and never changed (docs/security.md). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { violationsOf } from "../../kit/ledger.ts"
import { assertRefused, merchantOf } from "../../kit/Merchant.ts"
import { callAs, entriesOf, newOperator } from "../../kit/callers/operators.ts"
import { ownersConnection, start } from "../../kit/Service.ts"

it.live("an act has an entry before and after it: who, what, on what, from where, and the object's change", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start()
    const { operator_id, token } = yield* newOperator(api, "Ada", "admin")
    const path = `/merchants/${merchant.merchantId}`
    const { headers } = yield* callAs(api, token, "POST", path, { approved: true })
    const [done, begun] = yield* entriesOf(api, `&actor_id=${operator_id}`)
    const who = { actor: "Ada", actor_id: operator_id, role: "admin", ip: "127.0.0.1", act: "merchants.update" }
    for (const entry of [begun!, done!]) {
      assert.deepInclude(entry, { ...who, target: `/operator/v1${path}`, request_id: headers.get("x-request-id") })
    }
    assert.deepInclude(begun!, { phase: "begun", status: null, details: { body: { approved: true } } })
    assert.deepInclude(done!, { phase: "done", status: 200 })
    assert.deepInclude(done!["details"].before, { merchant_id: merchant.merchantId, approved: false })
    assert.deepInclude(done!["details"].after, { merchant_id: merchant.merchantId, approved: true })
    assert.strictEqual(done!["previous_hash"], begun!["hash"])
  })
)

it.live("a list per act has one entry of each: its outcome with what was asked, or its beginning without one", () =>
  Effect.gen(function* () {
    const { api, merchant, sql } = yield* start()
    const { operator_id, token } = yield* newOperator(api, "Ada", "admin")
    const path = `/merchants/${merchant.merchantId}`
    yield* callAs(api, token, "POST", path, { approved: true })
    yield* callAs(api, token, "POST", path, { approved: "yes" })
    // The process ended during this one.
    yield* callAs(api, token, "POST", `${path}/suspend`)
    yield* sql`insert into audit_log
        (id, actor_id, actor, role, ip, request_id, act, phase, target, status, details, created_at)
      select replace(id, left(id, 8), 'aud_7ZZZ'), actor_id, actor, role, ip, 'req_cut', act, 'begun', target, null,
        '{}', created_at from audit_log where act = 'merchants.suspend' and phase = 'done'`
    const entries = yield* entriesOf(api, `&actor_id=${operator_id}&per=act`)
    assert.deepStrictEqual(
      entries.map(({ act, phase, status }) => [act, phase, status]),
      [
        ["merchants.suspend", "begun", null],
        ["merchants.suspend", "done", 200],
        ["merchants.update", "done", 400],
        ["merchants.update", "done", 200]
      ]
    )
    const [, , , updated] = entries
    assert.deepStrictEqual(updated!["details"].body, { approved: true })
    assert.deepInclude(updated!["details"].after, { approved: true })
    const csv = yield* api.operator("GET", `/audit_log?actor_id=${operator_id}&per=act&format=csv`)
    assert.lengthOf(csv.text.trim().split("\n"), 5)
    assert.lengthOf(yield* entriesOf(api, `&actor_id=${operator_id}`), 7)
  })
)

it.live(
  "a secret that was read, a key that was reset and an act that was refused have entries, without the secret",
  () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* start()
      const path = `/merchants/${merchant.merchantId}`
      const { body: read } = yield* api.operator("GET", `${path}/signing_secret/sandbox`)
      const { body: reset } = yield* api.operator("POST", `${path}/keys/live/reset`)
      const { token } = yield* newOperator(api, "Vic", "viewer")
      assert.strictEqual((yield* callAs(api, token, "POST", `${path}/keys/live/reset`)).status, 403)
      const listed = yield* api.operator("GET", "/audit_log?limit=100")
      const acts = listed.body.data.data.map((entry: Record<string, string>) => `${entry["act"]} ${entry["phase"]}`)
      assert.includeMembers(acts, [
        "merchants.signingSecret done",
        "merchants.resetKey done",
        "merchants.resetKey refused"
      ])
      for (const secret of [read.data.secret, reset.data.key, token]) assert.notInclude(listed.text, secret)
    })
)

it.live("a merchant's reading and rotating of its signing secret has an entry", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start()
    yield* api.get("/v1/webhook_signing_secret", merchant.sandboxKey)
    yield* api.post("/v1/webhook_signing_secret/rotate", merchant.sandboxKey, {})
    const entries = yield* entriesOf(api, `&actor_id=${merchant.merchantId}`)
    assert.deepStrictEqual(
      entries.map(({ act, phase, role }) => [act, phase, role]),
      [
        ["webhook_signing_secret.rotate", "seen", "merchant"],
        ["webhook_signing_secret.get", "seen", "merchant"]
      ]
    )
  })
)

it.live("the second entry of an act has the status of its answer, also where it was refused or failed", () =>
  Effect.gen(function* () {
    const { api, database, merchant } = yield* start()
    const sql = yield* ownersConnection(database)
    const path = `/merchants/${merchant.merchantId}`
    const payout = { mode: "sandbox", currency: "USD", amount: 100, reference: "once" }
    yield* merchantOf({ api, merchant }).paid(1000)
    const asked: Array<[string, number]> = []
    const ask = Effect.fnUntraced(function* (status: number, at: string, body?: object) {
      const { headers, status: answered, text } = yield* api.operator("POST", at, body)
      assert.strictEqual(answered, status, text)
      asked.push([headers.get("x-request-id")!, status])
    })
    yield* ask(200, path, { approved: true })
    yield* ask(400, path, { approved: "yes" })
    yield* ask(400, path, { payout_fee: { USD: -1 } })
    yield* ask(404, "/merchants/mch_none", { approved: true })
    yield* ask(201, `${path}/payouts`, payout)
    yield* ask(409, `${path}/payouts`, { ...payout, amount: 200 })
    // The tests' address of Stripe does not answer.
    yield* ask(502, `${path}/channels/sandbox`, {
      channel: "stripe",
      secret_key: "sk_test_1",
      webhook_secret: "whsec_1"
    })
    yield* sql`create function fail_act() returns trigger language plpgsql as
      'begin raise exception sqlstate ''57P03''; end'`
    yield* sql`create trigger act_fails before update on merchants for each row execute function fail_act()`
    yield* ask(503, path, { approved: false })
    yield* sql`drop trigger act_fails on merchants`
    yield* sql`create or replace function fail_act() returns trigger language plpgsql as
      'begin raise exception ''a fault of the program''; end'`
    yield* sql`create trigger act_fails before update on merchants for each row execute function fail_act()`
    yield* ask(500, path, { approved: false })
    const entries = yield* entriesOf(api)
    const logged = asked.map(([request]) => {
      const done = entries.filter((entry) => entry["request_id"] === request && entry["phase"] === "done")
      assert.lengthOf(done, 1)
      return [request, done[0]!["status"]]
    })
    assert.deepStrictEqual(logged, asked)
  })
)

it.live("nothing is done that the log does not have: where the first entry cannot be written, the act is refused", () =>
  Effect.gen(function* () {
    const { api, database, merchant } = yield* start()
    const sql = yield* ownersConnection(database)
    yield* sql`create function fail_log() returns trigger language plpgsql as
      'begin raise exception sqlstate ''57P03''; end'`
    yield* sql`create trigger audit_log_fails before insert on audit_log for each row execute function fail_log()`
    const path = `/merchants/${merchant.merchantId}`
    assert.strictEqual((yield* api.operator("POST", path, { approved: true })).status, 503)
    assert.isFalse((yield* api.operator("GET", path)).body.data.approved)
  })
)

it.live("entries can be filtered, paged, and exported as CSV", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start()
    const path = `/merchants/${merchant.merchantId}`
    for (const note of ["a", "b", "c"]) yield* api.operator("POST", path, { note })
    const [newest, next] = yield* entriesOf(api, "&act=merchants.update")
    const page = yield* api.operator("GET", `/audit_log?act=merchants.update&limit=1&starting_after=${newest!["id"]}`)
    assert.deepStrictEqual(page.body.data.data, [next])
    assert.isTrue(page.body.data.has_more)
    const target = yield* entriesOf(api, `&target=${encodeURIComponent(`/operator/v1${path}`)}`)
    assert.isAtLeast(target.length, 6)
    assert.deepStrictEqual(yield* entriesOf(api, "&act=nothing"), [])
    const csv = yield* api.operator("GET", "/audit_log?format=csv&act=merchants.update")
    const [header, first, ...rest] = csv.text.split("\r\n")
    assert.match(header!, /^id,sequence,created_at,actor_id,/)
    assert.isAtLeast(rest.length, 4)
    // A number that is no amount is unchanged.
    assert.deepStrictEqual(first!.split(",").slice(0, 2), [newest!["id"], String(newest!["sequence"])])
    assert.include(first!, ",done,")
    assert.include(first!, `,${path.replace(/^/, "/operator/v1")},200,`)
    const unknown = yield* api.operator("GET", "/audit_log?operator=x")
    assert.deepStrictEqual([unknown.status, unknown.body.param], [400, "operator"])
  })
)

it.live("no row of the log can be changed, removed or truncated by the owner of the table", () =>
  Effect.gen(function* () {
    const sql = yield* ownersConnection((yield* start()).database)
    for (const statement of ["update audit_log set actor = 'x'", "delete from audit_log", "truncate audit_log"]) {
      const refused = yield* Effect.flip(sql.unsafe(statement))
      assert.match(String(refused.reason.cause), /never changed or removed/)
    }
  })
)

for (const [what, statement, found] of [
  ["changed", "update audit_log set actor = 'Eve' where sequence = 2", 1],
  ["removed", "delete from audit_log where sequence = 2", 1],
  ["changed and rehashed", "update audit_log set act = 'x', hash = repeat('0', 64) where sequence = 2", 2]
] as const) {
  it.live(`an entry that a superuser has ${what} is found by the audit`, () =>
    Effect.gen(function* () {
      const { api, database, merchant } = yield* start()
      const sql = yield* ownersConnection(database)
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { approved: true })
      assert.deepStrictEqual(yield* violationsOf(sql), [])
      yield* sql`alter table audit_log disable trigger all`
      yield* sql.unsafe(statement)
      const laws = (yield* violationsOf(sql)).map(({ law }) => law)
      assert.deepStrictEqual(
        laws,
        Array.from({ length: found }, () => "I10")
      )
    })
  )
}

it.live("acts are found by the number of their object, anywhere in the path, and by nothing else", () =>
  Effect.gen(function* () {
    const running = yield* start()
    const { api, merchant } = running
    const { merchantId } = merchant
    const { trade_no } = yield* merchantOf(running).paid(1000)
    const of = `/merchants/${merchantId}`
    const payout = { mode: "sandbox", currency: "USD", amount: 100 }
    const { body } = yield* api.operator("POST", `${of}/payouts`, payout)
    const { payout_no } = body.data
    yield* api.operator("POST", `/payouts/${payout_no}/approve`)
    yield* api.operator("POST", `/orders/${trade_no}/payments/pi_1/close`, { note: "none" })
    const acts = (target: string) =>
      Effect.map(entriesOf(api, `&target=${target}`), (entries) => [...new Set(entries.map(({ act }) => act))])
    assert.deepStrictEqual(yield* acts(payout_no), ["payouts.approve"])
    assert.deepStrictEqual(yield* acts(trade_no), ["orders.closePayment"])
    // An act that moves a merchant's money is about the merchant, too, though its path does not name it.
    assert.includeMembers(yield* acts(merchantId), ["payouts.create", "merchants.update", "payouts.approve"])
    assert.deepStrictEqual(yield* acts(`/operator/v1/payouts/${payout_no}/approve`), ["payouts.approve"])
    assert.deepStrictEqual(yield* acts("127.0.0.1"), [])
    for (const target of [payout_no.slice(0, -1), "wd_1", merchantId.toLowerCase(), ""]) {
      const refused = yield* api.operator("GET", `/audit_log?target=${target}`)
      assertRefused(refused, 400, "invalid_request", "target")
    }
  })
)

it.live("a change of settings has the names of its fields and what is no word of people, before and after", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start()
    const words = ["ann@x.example", "Ann is away", "@x.example"]
    const body = { contact_email: words[0], note: words[1], sandbox: { mail_recipients: [words[2]] }, approved: true }
    assert.strictEqual((yield* api.operator("POST", `/merchants/${merchant.merchantId}`, body)).status, 200)
    const [done, begun] = yield* entriesOf(api, "&act=merchants.update")
    const cut = "[redacted]"
    assert.deepStrictEqual(begun!["details"], {
      body: { contact_email: cut, note: cut, sandbox: cut, approved: true }
    })
    const { after, before } = done!["details"]
    assert.deepInclude(before, { contact_email: null, note: null, approved: false })
    assert.deepInclude(after, { contact_email: cut, note: cut, approved: true })
    assert.deepStrictEqual([before.sandbox.mail_recipients, after.sandbox.mail_recipients], [0, 1])
    const text = JSON.stringify([done, begun])
    for (const word of words) assert.notInclude(text, word)
  })
)
