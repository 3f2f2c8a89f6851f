/** GET /operator/v1/held_up: objects of every kind that need attention, and when they leave the list. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Wakeups } from "../../../src/platform/commit/Wakeups.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { assertRefused, type Json, merchantOf, said } from "../../kit/Merchant.ts"
import { receiver } from "../../kit/Receiver.ts"
import { type Running, start } from "../../kit/Service.ts"

type MailServer = Effect.Success<ReturnType<typeof mailServer>>

class Service extends Context.Service<Service, Running & { readonly mail: MailServer }>()("test/heldUp") {}

const place = Effect.gen(function* () {
  const mail = yield* mailServer()
  mail.behave({ refuse: 450 })
  const running = yield* start({ clock: "test", env: { SMTP_URL: mail.url, MAIL_FROM: "receipts@pay.example" } })
  return { ...running, mail }
})

const heldUp = ({ api }: Running, query = "") =>
  Effect.map(said(api.operator("GET", `/held_up${query}`)), ({ counts, data, has_more }) => ({
    counts: counts as Json,
    hasMore: has_more as boolean,
    data: data as ReadonlyArray<Json>
  }))

/** A merchant with one object of each kind that needs attention. */
const aBadDay = Effect.gen(function* () {
  const service = yield* Service
  service.mail.behave({ refuse: 450 })
  const running = { ...service, merchant: yield* service.api.newMerchant() }
  const { merchantId } = running.merchant
  yield* running.api.operator("POST", `/merchants/${merchantId}`, {
    sandbox: { mail_recipients: ["buyer@shop.example"] }
  })
  const shop = merchantOf(running)
  const hook = yield* receiver
  const [alipay, card] = [yield* shop.paid(1_000, {}, "alipay"), yield* shop.paid(2_000)]
  hook.answer(500)
  yield* shop.paid(3_000, { receipt_email: "buyer@shop.example", notify_url: hook.url })
  const { dispute_no } = yield* said(shop.dispute(card["trade_no"]))
  const { payout_no } = yield* said(
    running.api.operator("POST", `/merchants/${merchantId}/payouts`, { mode: "sandbox", currency: "USD", amount: 100 })
  )
  const parked = yield* said(shop.post("/v1/orders", { amount: 700 }))
  yield* said(shop.post(`/v1/test_helpers/orders/${parked["trade_no"]}/pay`, { amount: 699 }))
  const late = yield* said(shop.post("/v1/orders", { amount: 800 }))
  yield* said(shop.post(`/v1/orders/${late["trade_no"]}/expire`))
  const { trade_no: refused } = yield* shop.authorized(900)
  yield* said(shop.bankCaptures(refused, { outcome: "refuse" }))
  assert.strictEqual((yield* shop.capture(refused)).status, 502)
  // The bank captures it later, and never says so.
  const { trade_no: stuck } = yield* shop.authorized(950)
  yield* said(shop.bankCaptures(stuck, { outcome: "late" }))
  yield* shop.capture(stuck, { amount: 940 })
  yield* running.sql`update sandbox_payments set report_due_at = null where trade_no = ${stuck}`
  const { refund_no } = yield* said(shop.refund({ trade_no: alipay["trade_no"], amount: 300 }))
  // Reported after the bank became unreachable, so that it cannot go back.
  yield* said(shop.post(`/v1/test_helpers/orders/${late["trade_no"]}/pay`, { outcome: "succeed_unreported" }))
  yield* shop.reachable(false)
  yield* running.sql`update sandbox_payments set report_due_at = created_at + interval '20 seconds'
    where trade_no = ${late["trade_no"]}`
  Context.get(running.context, Wakeups).raise("sandbox_reports")
  yield* running.pass("2 minutes")
  const ofMine = (query = "") => heldUp(running, `?merchant_id=${merchantId}${query}`)
  const numbers = {
    refused,
    stuck,
    dispute_no,
    payout_no,
    refund_no,
    parked: parked["trade_no"],
    late: late["trade_no"]
  }
  return { running, shop, hook, ofMine, numbers, merchantId }
})

layer(Layer.effect(Service, place), { excludeTestServices: true })("what is held up", (it) => {
  it.effect("is each thing that waits, once, with whom it waits for, its last error and its next attempt", () =>
    Effect.gen(function* () {
      const { hook, merchantId, numbers, ofMine } = yield* aBadDay
      const { counts, data, hasMore } = yield* ofMine()
      assert.isFalse(hasMore)
      const ids = data.map(({ id }) => String(id).slice(-26))
      assert.deepStrictEqual(ids, ids.toSorted().toReversed(), "newest first")
      const shown = (kind: string) =>
        data
          .filter((one) => one["kind"] === kind)
          .map(({ attempts, id, last_error, merchant_id, mode, next_attempt_at, status, waits_for }) => {
            assert.deepStrictEqual([merchant_id, mode], [merchantId, "sandbox"])
            return { id, status, waits_for, attempts, last_error, next: next_attempt_at !== null }
          })
      const person = { attempts: null, last_error: null, next: false }
      assert.deepStrictEqual(shown("payout"), [
        { ...person, id: numbers.payout_no, status: "requested", waits_for: "operator" }
      ])
      assert.deepStrictEqual(shown("dispute"), [
        { ...person, id: numbers.dispute_no, status: "needs_response", waits_for: "merchant", attempts: 0 }
      ])
      assert.deepStrictEqual(shown("unapplied_payment"), [
        {
          ...person,
          id: numbers.late,
          status: "due",
          waits_for: "channel",
          attempts: 2,
          last_error: "ChannelUnreachable",
          next: true
        },
        { ...person, id: numbers.parked, status: "parked", waits_for: "operator" }
      ])
      const [refund] = shown("refund")
      assert.deepInclude(refund, {
        id: numbers.refund_no,
        status: "pending",
        waits_for: "channel",
        last_error: "ChannelUnreachable",
        next: true
      })
      assert.isAbove(refund!.attempts, 0)
      const [stuck, refused] = shown("hold")
      assert.deepInclude(stuck, {
        id: numbers.stuck,
        status: "capturing",
        waits_for: "channel",
        last_error: "ChannelUnreachable",
        next: true
      })
      assert.isAbove(stuck!.attempts, 0)
      assert.deepInclude(refused, { id: numbers.refused, status: "refused", waits_for: "merchant", next: false })
      assert.match(refused!.last_error, /does not confirm the amount/)
      const holds = data.filter(({ kind }) => kind === "hold")
      assert.deepStrictEqual(
        holds.map(({ amount, currency, due_by, trade_no }) => [trade_no, amount, currency, due_by !== null]),
        [
          [numbers.stuck, 940, "USD", true],
          [numbers.refused, 900, "USD", true]
        ]
      )
      const [delivery] = shown("delivery")
      assert.deepInclude(delivery, { status: "pending", waits_for: "receiver", last_error: "answered 500", next: true })
      assert.include(data.find(({ kind }) => kind === "delivery")!["text"], hook.url)
      const [mail] = shown("mail")
      assert.deepInclude(mail, { status: "due", waits_for: "mail_server", next: true })
      assert.isString(mail!.last_error)
      assert.deepStrictEqual(counts, {
        refund: 1,
        dispute: 1,
        payout: 1,
        delivery: 1,
        hold: 2,
        unapplied_payment: 2,
        stray_session: 0,
        mail: 1,
        report: 0
      })
      assert.lengthOf(data, 9)
    }).pipe(Effect.scoped)
  )

  it.effect("leaves the list when it moves on, and a past error is no longer shown", () =>
    Effect.gen(function* () {
      const { hook, numbers, ofMine, running, shop } = yield* aBadDay
      hook.answer(200)
      running.mail.behave("take")
      yield* shop.reachable(true)
      yield* said(running.api.operator("POST", `/payouts/${numbers.payout_no}/approve`))
      yield* running.pass("1 hour")
      const { counts, data } = yield* ofMine()
      assert.deepStrictEqual(
        data.map(({ id, last_error, status }) => [id, status, last_error]),
        [
          [numbers.refused, "refused", "the buyer's bank does not confirm the amount"],
          [numbers.parked, "parked", null],
          [numbers.payout_no, "approved", null],
          [numbers.dispute_no, "needs_response", null]
        ]
      )
      assert.deepStrictEqual(counts, {
        refund: 0,
        dispute: 1,
        payout: 1,
        delivery: 0,
        hold: 1,
        unapplied_payment: 1,
        stray_session: 0,
        mail: 0,
        report: 0
      })
    }).pipe(Effect.scoped)
  )

  it.effect("is walked page by page in both ways, and by kind, environment and time", () =>
    Effect.gen(function* () {
      const { merchantId, ofMine, running } = yield* aBadDay
      const all = (yield* ofMine()).data
      const walked: Array<Json> = []
      for (let query = "&limit=2"; query !== "";) {
        const page = yield* ofMine(query)
        walked.push(...page.data)
        assert.deepStrictEqual(page.counts, (yield* ofMine()).counts, "counts are of all, not of the page")
        query = page.hasMore ? `&limit=2&starting_after=${walked.at(-1)!["id"]}` : ""
      }
      assert.deepStrictEqual(walked, all)
      const before = yield* ofMine(`&limit=3&ending_before=${all.at(-1)!["id"]}`)
      assert.deepStrictEqual([before.data, before.hasMore], [all.slice(-4, -1), true])
      for (const { id, kind } of all) {
        const { data } = yield* ofMine(`&kind=${kind}`)
        assert.isTrue(data.length > 0 && data.every((one) => one["kind"] === kind))
        assert.include(
          data.map((one) => one["id"]),
          id
        )
      }
      assert.deepStrictEqual((yield* ofMine("&mode=live")).data, [])
      assert.deepStrictEqual((yield* ofMine("&mode=sandbox")).data, all)
      assert.deepStrictEqual((yield* ofMine("&created[lte]=1")).data, [])
      assert.deepStrictEqual((yield* ofMine("&created[gte]=1")).data, all)
      const everybody = yield* heldUp(running, "?limit=100")
      assert.includeDeepMembers([...everybody.data], [...all])
      assert.deepStrictEqual((yield* heldUp(running, `?merchant_id=${merchantId}%00`)).data, [])
    }).pipe(Effect.scoped)
  )

  it.effect("shows an order and its first mail, which have the same digits, once each, in both ways", () =>
    Effect.gen(function* () {
      const { ofMine, running, shop } = yield* aBadDay
      yield* shop.reachable(true)
      const { trade_no } = yield* said(shop.post("/v1/orders", { amount: 500, receipt_email: "buyer@shop.example" }))
      yield* said(shop.post(`/v1/test_helpers/orders/${trade_no}/pay`, { amount: 499 }))
      yield* said(shop.post(`/v1/test_helpers/orders/${trade_no}/pay`, {}))
      yield* running.pass("10 seconds")
      const ids = (yield* ofMine()).data.map(({ id }) => id as string)
      assert.deepStrictEqual(
        ids.filter((id) => id.endsWith(trade_no)).toSorted(),
        [trade_no as string, `mail_${trade_no}`].toSorted()
      )
      const walked = Effect.fnUntraced(function* (cursor: string, first: string) {
        const found = [first]
        for (;;) {
          const { data } = yield* ofMine(`&limit=1&${cursor}=${found.at(-1)}`)
          if (data.length === 0) return found
          found.push(data[0]!["id"])
        }
      })
      assert.deepStrictEqual(yield* walked("starting_after", ids[0]!), ids)
      assert.deepStrictEqual(yield* walked("ending_before", ids.at(-1)!), ids.toReversed())
    }).pipe(Effect.scoped)
  )

  it.effect("shows an order once that has both an unmatched payment and a hold, and walks past it in both ways", () =>
    Effect.gen(function* () {
      const { numbers, ofMine, running } = yield* aBadDay
      yield* running.sql`update orders set unapplied_payments =
        (select unapplied_payments from orders where trade_no = ${numbers.parked}) where trade_no = ${numbers.refused}`
      const all = (yield* ofMine()).data
      const kinds = all.filter(({ id }) => id === numbers.refused).map(({ kind }) => kind as string)
      assert.deepStrictEqual(kinds, ["unapplied_payment"])
      const place = all.findIndex(({ id }) => id === numbers.stuck)
      assert.deepStrictEqual((yield* ofMine(`&limit=1&starting_after=${numbers.stuck}`)).data, [all[place + 1]!])
      assert.deepStrictEqual((yield* ofMine(`&limit=1&ending_before=${numbers.stuck}`)).data, [all[place - 1]!])
    }).pipe(Effect.scoped)
  )

  it.effect("refuses a cursor, a kind and a parameter that cannot be, by name", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const refused = (query: string, param: string) =>
        Effect.map(api.operator("GET", `/held_up?${query}`), (reply) =>
          assertRefused(reply, 400, "invalid_request", param)
        )
      yield* refused(`starting_after=rfd_${"0".repeat(26)}`, "starting_after")
      yield* refused("ending_before=nothing", "ending_before")
      yield* refused("kind=order", "kind")
      yield* refused("limit=0", "limit")
      yield* refused("status=open", "status")
      assert.strictEqual((yield* api.call("GET", "/operator/v1/held_up")).status, 401)
    })
  )
})
