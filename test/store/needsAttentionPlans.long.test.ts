/** Objects on hold among very many finished ones: each kind is read along its partial index. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { heldKinds, type HeldUpQuery } from "@coffer/contract/HeldUp"
import { NeedsAttention } from "../../src/reads/needsAttention/NeedsAttention.ts"
import { laterIndexes } from "../../src/platform/postgres/laterIndexes.ts"
import { explained, rowsRead, scansIn } from "../kit/rows/plans.ts"
import {
  insertDisputes,
  insertEvents,
  insertOrders,
  insertPastDeliveries,
  insertRefunds,
  settled
} from "../kit/rows/Rows.ts"
import { ownersConnection, type Running, start } from "../kit/Service.ts"
import { rounds } from "../kit/run/soak.ts"

class Service extends Context.Service<Service, Running>()("test/heldUpPlans") {}

/** Finished objects of each kind, and open ones, which are the oldest. */
const over = rounds(20_000, 100_000)
const held = 30

const since = Date.UTC(2025, 0, 1)
const step = 60_000

const place = Effect.gen(function* () {
  const running = yield* start()
  const { merchant, sql } = running
  const many = { merchantId: merchant.merchantId, count: over + held, since, step }
  const state = (open: string, ended: string) => `case when n <= ${held} then '${open}' else '${ended}' end`
  yield* insertOrders(sql, many, { status: "'paid'" })
  yield* sql`update orders set unapplied_payments = '[{"state": "parked", "channel": "sandbox", "paymentId": "pay_1", "method": "card", "amount": 1,
    "currency": "USD", "reason": "mismatch"}]' where amount <= ${held}`
  yield* sql`update orders set hold = '{"refusal": "no", "payment": {"authorizedAt": "2025-01-01T00:00:00Z"}}'
    where amount > ${held} and amount <= ${2 * held}`
  yield* insertEvents(sql, many)
  yield* insertPastDeliveries(sql, many, { status: state("pending", "succeeded") })
  yield* insertRefunds(sql, many, { status: state("pending", "succeeded") })
  yield* insertDisputes(sql, many, { status: state("under_review", "won") })
  yield* sql.unsafe(`insert into payouts (payout_no, version, merchant_id, mode, currency, amount, fee, status, created_at, updated_at)
    select 'pyt_' || right(trade_no, 26), 1, merchant_id, mode, 'USD', 1, 0,
      case when amount <= ${held} then 'requested' else 'succeeded' end, created_at, created_at from orders`)
  yield* sql.unsafe(`insert into mails (id, version, trade_no, recipient, status, due_at, attempts, error, created_at)
    select 'mail_' || trade_no, 1, trade_no, 'a@b.example', case when amount <= ${held} then 'due' else 'sent' end,
      case when amount <= ${held} then timestamptz '2100-01-01' end, 1, case when amount <= ${held} then 'no' end, created_at from orders`)
  yield* sql.unsafe(`insert into stray_sessions (id, channel, merchant_id, mode, session_id, trade_no, status, created_at, updated_at, ended_at)
    select 'ssn_' || right(trade_no, 26), 'stripe', merchant_id, mode, 'cs_' || trade_no, trade_no, 'paid', created_at, created_at,
      case when amount > ${held} then created_at end from orders`)
  yield* sql.unsafe(`insert into reports (report_no, merchant_id, mode, terms, status, error, created_at, expires_at)
    select 'rpt_' || right(trade_no, 26), merchant_id, mode, '{}', case when amount <= ${held} then 'pending' else 'succeeded' end,
      case when amount <= ${held} then 'no' end, created_at, timestamptz '2100-01-01' from orders`)
  const owner = yield* ownersConnection(running.database)
  yield* settled(owner)
  yield* owner`vacuum analyze payouts, mails, stray_sessions, reports`
  return running
})

layer(Layer.effect(Service, place), { excludeTestServices: true })(`among ${over} of each kind that are over`, (it) => {
  const read = Effect.fnUntraced(function* (query: HeldUpQuery) {
    const { context, sql } = yield* Service
    const needsAttention = Context.get(context, NeedsAttention)
    const page = yield* explained(sql, needsAttention.page(query))
    const counts = yield* explained(sql, needsAttention.counts(query))
    return { page, counts }
  })

  it.effect("a page and the counts read open objects and nothing that has ended, whatever is filtered", () =>
    Effect.gen(function* () {
      const { merchant } = yield* Service
      const whose = [{}, { merchant_id: merchant.merchantId }, { mode: "sandbox" as const }, { mode: "live" as const }]
      const kinds = [{}, ...heldKinds.map((kind) => ({ kind }))]
      const newest = (yield* read({ limit: 1 })).page.result.data[0]!.id
      const places = [
        {},
        { starting_after: newest },
        { ending_before: newest },
        { "created[gte]": String(since / 1_000) }
      ]
      for (const one of whose) {
        for (const kind of kinds) {
          for (const where of places) {
            const { counts, page } = yield* read({ ...one, ...kind, ...where, limit: 20 })
            const scans = scansIn([...page.plans, ...counts.plans])
            const why = () =>
              `${JSON.stringify({ ...one, ...kind, ...where })}: ${JSON.stringify([page.plans, counts.plans], null, 1)}`
            assert.isTrue(scans.length > 0 && scans.every((node) => node["Node Type"] !== "Seq Scan"), why())
            // Each of nine kinds once for the page and once for the count, with the orders of the mails.
            assert.isAtMost(rowsRead(scans), 2 * 10 * (held + 1) + 2 * 21, why())
          }
        }
      }
    })
  )

  it.effect("each kind has its partial index, and uses it for all merchants", () =>
    Effect.gen(function* () {
      const { page } = yield* read({ limit: 5 })
      const used = new Set(page.plans.flatMap(({ nodes }) => nodes.map((node) => node["Index Name"])))
      assert.isTrue(used.has("reports_held"), [...used].join())
      const isOfOthers =
        /^(audit_|orders_of_|orders_hold_due$|orders_with_hold$)|_(payment|buyer|recipient|age|email|held|sandbox|trade_no|late|connected|number)$/
      const isOfLists = /_(of_console|listed|of_main)$/
      for (const { name } of laterIndexes.filter(({ name }) => !isOfOthers.test(name) && !isOfLists.test(name)))
        assert.isTrue(used.has(name), `${name} is not used: ${[...used].join()}`)
    })
  )
})
