/** Saved views of the console: a list with its filters, under a name. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { consoleBrowser, invite, signIn } from "../../kit/callers/console.ts"
import { entriesOf } from "../../kit/callers/operators.ts"
import { eventually } from "../../kit/Process.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { start } from "../../kit/Service.ts"

const begin = Effect.gen(function* () {
  const mails = yield* mailServer()
  const running = yield* start({ env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" } })
  const { api } = running
  const { merchantId } = running.merchant
  const enter = Effect.fnUntraced(function* (name: string, role: string, merchant_id = merchantId) {
    const email = `${name}@shop.example`
    const { person_id } = yield* invite(api, mails, { email, merchant_id, role })
    const { call } = yield* signIn(api, mails, email)
    const at = `/merchants/${merchant_id}/views`
    return {
      person_id,
      save: (body: object = {}) =>
        call("POST", at, { page: "orders", name: "Paid", query: "status=paid&receipt_email=b%40c.example", ...body }),
      change: (id: string, body: object) => call("POST", `${at}/${id}`, body),
      remove: (id: string) => call("POST", `${at}/${id}/remove`),
      names: Effect.map(call("GET", at), ({ body }) => body.data.data.map(({ name }: any) => name))
    }
  })
  return { ...running, merchantId, enter }
})

it.live("a person sees the own views and those that are shared, and changes the own alone", () =>
  Effect.gen(function* () {
    const { api, enter } = yield* begin
    const ada = yield* enter("ada", "support")
    const bob = yield* enter("bob", "viewer")
    const owner = yield* enter("owner", "owner")
    const made = yield* ada.save()
    assert.strictEqual(made.status, 201, made.text)
    const { view_id } = made.body.data
    assert.deepStrictEqual(
      [made.body.data.is_own, made.body.data.is_shared, made.body.data.page],
      [true, false, "orders"]
    )
    const shared = (yield* ada.save({ name: "For all", is_shared: true })).body.data
    assert.strictEqual((yield* bob.save({ name: "Bob's", is_shared: true })).status, 403)
    assert.strictEqual((yield* bob.save({ name: "Bob's" })).status, 201)
    assert.deepStrictEqual(yield* ada.names, ["For all", "Paid"])
    assert.deepStrictEqual(yield* bob.names, ["Bob's", "For all"])
    const foreign = yield* bob.change(shared.view_id, { name: "Mine" })
    assert.deepStrictEqual([foreign.status, foreign.body.error], [404, "saved_view_not_found"])
    assert.strictEqual((yield* bob.remove(shared.view_id)).status, 404)
    assert.strictEqual((yield* owner.remove(view_id)).status, 404, "it is not shared")
    const changed = (yield* ada.change(view_id, { name: "Paid ones", query: "" })).body.data
    assert.deepStrictEqual([changed.name, changed.query, changed.is_shared], ["Paid ones", "", false])
    assert.strictEqual((yield* owner.remove(shared.view_id)).status, 200)
    assert.deepStrictEqual(yield* bob.names, ["Bob's"])
    assert.strictEqual((yield* ada.remove(view_id)).status, 200)
    assert.strictEqual((yield* ada.remove(view_id)).status, 404)
    for (const wrong of [{ page: "Orders!" }, { name: "" }, { query: "a b" }, { query: "x".repeat(2_001) }]) {
      assert.strictEqual((yield* ada.save(wrong)).status, 400, JSON.stringify(wrong).slice(0, 40))
    }
    const entries = JSON.stringify(yield* entriesOf(api))
    assert.include(entries, "people.invite")
    assert.notMatch(entries, /saved_views|c\.example/, "the audit log is kept for ever")
  }).pipe(Effect.scoped)
)

it.live("views of a person go with the role, and no other merchant's people see them", () =>
  Effect.gen(function* () {
    const { api, enter, merchantId } = yield* begin
    const other = yield* api.newMerchant("Another shop")
    const ada = yield* enter("ada", "support")
    const bob = yield* enter("bob", "viewer")
    const stranger = yield* enter("eve", "owner", other.merchantId)
    const { view_id } = (yield* ada.save({ is_shared: true })).body.data
    assert.deepStrictEqual(yield* stranger.names, [])
    assert.strictEqual((yield* stranger.remove(view_id)).status, 404)
    const guest = yield* consoleBrowser(api).call("GET", `/merchants/${merchantId}/views`)
    assert.strictEqual(guest.status, 401)
    yield* api.operator("POST", `/people/${ada.person_id}/remove`, { merchant_id: merchantId })
    assert.deepStrictEqual(yield* bob.names, [])
  }).pipe(Effect.scoped)
)

it.live("a person has 100 views and a merchant 200 shared ones, of two at once too many one is saved", () =>
  Effect.gen(function* () {
    const { enter, merchantId, sql } = yield* begin
    const ada = yield* enter("ada", "support")
    const bob = yield* enter("bob", "support")
    const fill = (personId: string, count: number, isShared: boolean) =>
      sql`insert into saved_views select 'svw_' || ${personId} || n, ${merchantId}, ${personId}, 'orders', 'n', '', ${isShared},
        timestamptz '2026-01-01', timestamptz '2026-01-01' from generate_series(1, ${count}) as n`
    yield* fill(ada.person_id, 99, false)
    const two = yield* Effect.all([ada.save(), ada.save()], { concurrency: "unbounded" })
    assert.deepStrictEqual(two.map(({ status }) => status).toSorted(), [201, 409])
    yield* sql`delete from saved_views`
    yield* fill(ada.person_id, 99, true)
    yield* fill(bob.person_id, 99, true)
    assert.strictEqual((yield* ada.save({ is_shared: true })).status, 201)
    const { view_id } = (yield* bob.save()).body.data
    yield* sql`insert into saved_views select 'svw_more', belongs_to, person_id, page, name, query, true, created_at, updated_at
      from saved_views where view_id = ${view_id}`
    assert.strictEqual((yield* bob.change(view_id, { is_shared: true })).status, 409)
    assert.strictEqual((yield* bob.change(view_id, { name: "Still" })).status, 200)
  }).pipe(Effect.scoped)
)

it.live("an erasure of a buyer takes the views away that name the buyer's address", () =>
  Effect.gen(function* () {
    const { api, enter, merchantId } = yield* begin
    const ada = yield* enter("ada", "support")
    yield* ada.save()
    yield* ada.save({ name: "Others", query: "status=paid" })
    const asked = yield* api.operator("POST", "/erasures", { email: "B@c.example" })
    assert.isBelow(asked.status, 300, asked.text)
    assert.isString(merchantId)
    yield* eventually(
      "the view to be gone",
      Effect.map(ada.names, ({ length }) => length === 1)
    )
    assert.deepStrictEqual(yield* ada.names, ["Others"])
  }).pipe(Effect.scoped)
)
