/** The notifications that a person sees in the console: of what, whose, and what counts as read (silences: U50). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { said } from "../../kit/Merchant.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { start } from "../../kit/Service.ts"
import { notifiedShop } from "../../kit/stories/notified.ts"

const begin = Effect.gen(function* () {
  const mails = yield* mailServer()
  const env = { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" }
  const running = yield* start({ clock: "test", env })
  return { ...(yield* notifiedShop(running, mails)), mails }
})
type Row = Record<string, any>
const occasionsOf = (rows: ReadonlyArray<Row>) => rows.map(({ occasion }) => occasion)

it.live("each occasion is notified once, with its object and amount, and a repeat or another change adds none", () =>
  Effect.gen(function* () {
    const { api, dispute, join, merchantId, pass, shop, sql } = yield* begin
    const ada = yield* join("ada", "owner")
    yield* join("bob", "viewer")
    yield* said(shop.resolve(dispute, "won"))
    yield* shop.resolve(dispute, "won")
    const parked = yield* said(shop.post("/v1/orders", { amount: 5_200 }))
    yield* shop.post(`/v1/test_helpers/orders/${parked["trade_no"]}/pay`, { amount: 5_199 })
    yield* shop.paid(90_000)
    const payout = Effect.fnUntraced(function* (...steps: ReadonlyArray<string>) {
      const asked = { mode: "sandbox", currency: "USD", amount: 2_500 }
      const { payout_no } = yield* said(api.operator("POST", `/merchants/${merchantId}/payouts`, asked))
      for (const step of steps) yield* said(api.operator("POST", `/payouts/${payout_no}/${step}`))
      return payout_no as string
    })
    const paid = yield* payout("approve", "complete", "complete")
    const failed = yield* payout("approve", "fail")
    const rejected = yield* payout("reject")
    yield* payout("approve")
    const at = "timestamptz '1970-01-01 00:00:10Z'"
    yield* sql`insert into endpoint_health (endpoint_id, merchant_id, mode, first_failures, last_failed_at,
        failing_since, disables, reason, due_at) values ('whe_1', ${merchantId}, 'sandbox', '{}', ${sql.literal(at)},
        ${sql.literal(at)}, false, 'x', '2020-01-01')`
    yield* sql`update endpoint_health set is_told = true, told_at = ${sql.literal(at)}`
    yield* sql`update endpoint_health set attempts = 1`
    yield* sql`insert into key_leaks (key_hash, id, merchant_id, mode, key_id, reported_at, status) values ('hash',
        'leak_1', ${merchantId}, 'sandbox', null, ${sql.literal(at)}, 'sent')`
    yield* pass("2 minutes")
    const rows = yield* ada.bell("sandbox")
    const of = (occasion: string) =>
      rows.filter((row) => row["occasion"] === occasion).map(({ amount, object_id }) => [object_id, amount])
    assert.deepStrictEqual(of("dispute_won"), [[dispute, 1_999]])
    assert.deepStrictEqual(of("dispute_due_in_3_days"), [])
    assert.deepStrictEqual(of("payment_unmatched"), [[parked["trade_no"], 5_199]])
    assert.deepStrictEqual(of("payout_paid"), [[paid, 2_500]])
    assert.sameDeepMembers(of("payout_failed"), [
      [failed, 2_500],
      [rejected, 2_500]
    ])
    assert.deepStrictEqual(of("endpoint_failing"), [["whe_1", null]])
    assert.deepStrictEqual(of("key_leaked"), [["main", null]])
    assert.deepStrictEqual(
      rows.filter(({ occasion }) => occasion === "person_joined").map(({ about }) => about),
      ["bob@shop.example"]
    )
    assert.lengthOf(rows, 9, occasionsOf(rows).join())
    assert.notInclude(JSON.stringify(rows), "hash")
  }).pipe(Effect.scoped)
)

it.live(
  "deadlines follow the clock of the sandbox, and a deadline that was answered or has moved is not notified",
  () =>
    Effect.gen(function* () {
      const { dispute, join, pass, shop, sql } = yield* begin
      const ada = yield* join("ada", "owner")
      const second = yield* said(shop.dispute((yield* shop.paid(3_000))["trade_no"], {}))
      const due = (yield* said(shop.get(`/v1/disputes/${dispute}`)))["evidence_due_by"]
      yield* said(shop.respond(second["dispute_no"], { submit: true, evidence: { product_description: "Two books" } }))
      const before = new Date(Date.parse(due) - 2 * 86_400_000).toISOString()
      yield* said(shop.post("/v1/test_helpers/clock/advance", { to: before }))
      yield* pass("1 second")
      const deadlinesOf = (rows: ReadonlyArray<Row>) =>
        rows.flatMap(({ deadline, object_id, occasion }) =>
          occasion.startsWith("dispute_due") ? [[occasion, object_id, deadline]] : []
        )
      assert.deepStrictEqual(deadlinesOf(yield* ada.bell("sandbox")), [["dispute_due_in_3_days", dispute, due]])
      yield* sql`update disputes set evidence_due_by = evidence_due_by + interval '12 hours', version = version + 1
      where dispute_no = ${dispute}`
      yield* said(shop.post("/v1/test_helpers/clock/advance", { by: "25h" }))
      yield* pass("1 second")
      assert.lengthOf(deadlinesOf(yield* ada.bell("sandbox")), 1)
      yield* said(shop.post("/v1/test_helpers/clock/advance", { by: "12h" }))
      yield* pass("1 second")
      assert.deepStrictEqual(
        deadlinesOf(yield* ada.bell("sandbox")).map(([occasion]) => occasion),
        ["dispute_due_in_1_day", "dispute_due_in_3_days"]
      )
    }).pipe(Effect.scoped)
)

it.live(
  "one or all that are shown are marked as read, for the person alone, and those of other merchants are not",
  () =>
    Effect.gen(function* () {
      const { api, join, liveDispute, merchantId, pass, sql } = yield* begin
      const ada = yield* join("ada", "owner")
      const eve = yield* join("eve", "viewer")
      yield* liveDispute("dsp_one")
      yield* liveDispute("dsp_two")
      yield* pass("2 minutes")
      const shown = (yield* ada.bell()).filter(({ occasion }) => occasion === "dispute_opened")
      assert.lengthOf(shown, 2)
      const unread = (rows: ReadonlyArray<Row>) => rows.filter(({ is_read }) => !is_read).length
      const [first] = shown
      yield* ada.read([first!["notification_id"]])
      assert.deepStrictEqual([unread(yield* ada.bell()), unread(yield* eve.bell())], [2, 3])
      // One that comes while all are marked is not marked.
      yield* liveDispute("dsp_three")
      yield* pass("2 minutes")
      yield* ada.read(shown.map(({ notification_id }) => notification_id))
      yield* ada.read(shown.map(({ notification_id }) => notification_id))
      assert.deepStrictEqual(
        (yield* ada.bell()).filter(({ is_read }) => !is_read).map(({ object_id }) => object_id),
        ["dsp_three", eve.person_id]
      )
      const other = yield* api.newMerchant("Another shop")
      const stranger = yield* ada.call("POST", `/merchants/${other.merchantId}/notifications/read`, {
        notification_ids: [first!["notification_id"]]
      })
      assert.strictEqual(stranger.status, 404)
      yield* sql`update notifications set merchant_id = ${other.merchantId} where object_id = 'dsp_three'`
      const [foreign] = yield* sql<{ readonly id: string }>`select notification_id as id from notifications
      where object_id = 'dsp_three' and occasion = 'dispute_opened'`
      const marked = yield* ada.read([foreign!.id, "ntf_unknown"])
      assert.strictEqual(marked.status, 200)
      const reads = yield* sql`select from notification_reads where notification_id = ${foreign!.id}`
      assert.lengthOf(reads, 0)
      assert.strictEqual((yield* ada.read([])).status, 400)
      yield* api.operator("POST", `/people/${eve.person_id}/remove`, { merchant_id: merchantId })
      assert.strictEqual((yield* eve.call("GET", `/merchants/${merchantId}/notifications?mode=live`)).status, 401)
    }).pipe(Effect.scoped)
)

it.live("a notification goes after ninety days, with its mails and marks", () =>
  Effect.gen(function* () {
    const { join, leap, liveDispute, pass, settle, sql } = yield* begin
    const ada = yield* join("ada", "owner")
    yield* liveDispute("dsp_old")
    yield* pass("2 minutes")
    yield* ada.read((yield* ada.bell()).map(({ notification_id }) => notification_id))
    const left = Effect.map(sql`select from notifications where object_id = 'dsp_old'`, ({ length }) => length)
    yield* leap("89 days")
    yield* settle
    assert.isAbove(yield* left, 0)
    yield* leap("40 days")
    yield* settle
    assert.deepStrictEqual([yield* left, (yield* sql`select from notification_mails`).length], [0, 0])
    assert.lengthOf(yield* sql`select from notification_reads`, 0)
  }).pipe(Effect.scoped)
)
