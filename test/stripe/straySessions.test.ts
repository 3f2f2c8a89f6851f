/**
 * After a restore Stripe has sessions that these books do not know: an operator sees each with its money and what to do
 * (silences: O54).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Json, said } from "../kit/Merchant.ts"
import type { Api } from "../kit/Api.ts"
import { entriesOf } from "../kit/callers/operators.ts"
import { ownersConnection } from "../kit/Service.ts"
import { straysMax } from "../../src/channels/stripe/SessionStore.ts"
import { connected } from "./kit.ts"

/** An order was made and paid at Stripe after the backup: these books have no row of it. */
const restored = Effect.fnUntraced(function* ({ isPaid }: { readonly isPaid: boolean }) {
  const world = yield* connected()
  const { api, choose, control, order, sessions, settled } = world
  yield* control.hold_webhooks({})
  const made = yield* order()
  yield* choose(made)
  const session = sessions(made)[0]!
  if (isPaid) yield* control.pay({ session: session.id })
  const owner = yield* ownersConnection(world.database)
  yield* owner`delete from stripe_sessions`
  yield* owner`delete from orders where trade_no = ${made.trade_no}`
  yield* control.release_webhooks({})
  yield* settled
  const held = Effect.map(said(api.operator("GET", "/held_up?kind=stray_session")), (body) => ({
    rows: body["data"] as ReadonlyArray<Json>,
    count: body["counts"].stray_session as number
  }))
  return { ...world, held, made, session }
})

const closing = (api: Api) => (id: string, note: string) =>
  api.operator("POST", `/stray_sessions/${id}/close`, { note })

describe("a session at Stripe that was made after the backup", () => {
  it.live(
    "needs attention, with its amount and numbers, while its payment is in no wallet, until all of it was returned",
    () =>
      Effect.gen(function* () {
        const { held, made, merchant, session, settled, simulator, stripe } = yield* restored({ isPaid: true })
        const { count, rows } = yield* held
        const payment = String(simulator.all("charge")[0]!.payment_intent)
        assert.deepStrictEqual([count, rows.length], [1, 1])
        const { amount, currency, status, text, trade_no, waits_for } = rows[0]!
        assert.deepStrictEqual(
          [amount, currency, status, trade_no, waits_for],
          [2_000, "USD", "paid", made.trade_no, "operator"]
        )
        for (const part of [session.id, payment, "refund it at Stripe"]) assert.include(text, part)
        assert.strictEqual((yield* merchant.balance()).available, 0)
        const back = (sum: number) =>
          Effect.andThen(
            Effect.promise(() => stripe.refunds.create({ payment_intent: payment, amount: sum })),
            settled
          )
        yield* back(500)
        assert.strictEqual((yield* held).count, 1)
        yield* back(1_500)
        assert.deepStrictEqual(yield* held, { rows: [], count: 0 })
      })
  )

  it.live("is no longer listed once all of it is being returned by a refund that is not recorded here either", () =>
    Effect.gen(function* () {
      const { control, held, settled, simulator, stripe } = yield* restored({ isPaid: true })
      yield* control.refund_fates({ fates: ["pends"] })
      const payment = String(simulator.all("charge")[0]!.payment_intent)
      const metadata = { coffer_refund_no: "rfd_00000000000000000000000001" }
      yield* Effect.promise(() => stripe.refunds.create({ payment_intent: payment, metadata }))
      yield* settled
      assert.strictEqual(simulator.all("refund")[0]!.status, "pending")
      assert.deepStrictEqual(yield* held, { rows: [], count: 0 })
    })
  )

  it.live(`is kept with ${straysMax} others of its account at most`, () =>
    Effect.gen(function* () {
      const { held, session, settled, sql, control, merchant } = yield* restored({ isPaid: false })
      yield* sql`insert into stray_sessions (id, channel, merchant_id, mode, session_id, trade_no, status, created_at, updated_at)
        select 'ssn_01KDVDNA0000000000000' || lpad(n::text, 5, '0'), 'stripe', m.merchant_id, 'sandbox', 'cs_' || n, 'TRD_SB_1', 'paid',
          to_timestamp(0), to_timestamp(0) from generate_series(1, ${straysMax}::int) n, merchants m`
      yield* control.pay({ session: session.id })
      yield* settled
      assert.strictEqual((yield* held).count, straysMax)
      assert.strictEqual((yield* merchant.balance()).available, 0)
    })
  )

  it.live("is closed by an operator with a note, once, and no longer needs attention; the audit log records it", () =>
    Effect.gen(function* () {
      const { api, held, made, session } = yield* restored({ isPaid: true })
      const id = (yield* held).rows[0]!.id as string
      const close = closing(api)
      assert.deepStrictEqual((yield* close(id, "")).body.param, "note")
      assert.strictEqual((yield* close("ssn_none", "x")).body.error, "stray_session_not_found")
      assert.strictEqual((yield* held).count, 1)
      // Two at once, or a retry of one whose answer was lost.
      const closed = yield* Effect.all([close(id, "paid out by hand"), close(id, "another")], {
        concurrency: "unbounded"
      })
      const { note } = closed[0].body.data
      assert.include(["paid out by hand", "another"], note)
      for (const { body, status } of [...closed, yield* close(id, "late")]) {
        assert.strictEqual(status, 200)
        assert.deepInclude(body.data, { id, session_id: session.id, trade_no: made.trade_no, amount: 2_000, note })
      }
      assert.deepStrictEqual(yield* held, { rows: [], count: 0 })
      const done = (yield* entriesOf(api, `&target=${id}`)).filter(({ phase }) => phase === "done")
      assert.deepStrictEqual(
        done.map(({ act, status }) => [act, status]),
        Array.from({ length: 3 }, () => ["stray_sessions.close", 200]).concat([["stray_sessions.close", 400]])
      )
    })
  )

  it.live("needs attention again if it was closed while it could be paid, and a buyer then pays in it", () =>
    Effect.gen(function* () {
      const { api, control, held, made, session, settled, sql } = yield* restored({ isPaid: false })
      yield* sql`insert into stray_sessions (id, channel, merchant_id, mode, session_id, trade_no, status, created_at, updated_at)
        select 'ssn_01KDVDNA000000000000000001', 'stripe', merchant_id, 'sandbox', ${session.id}, ${made.trade_no}, 'open', now(),
          now() from merchants`
      const close = closing(api)
      const [open] = (yield* held).rows
      assert.strictEqual((yield* close(open!.id, "expired at Stripe")).status, 200)
      assert.strictEqual((yield* held).count, 0)
      yield* control.pay({ session: session.id })
      yield* settled
      assert.deepStrictEqual(
        (yield* held).rows.map(({ id, status }) => [id, status]),
        [[open!.id, "paid"]]
      )
      assert.strictEqual((yield* close(open!.id, "given to the merchant")).body.data.note, "given to the merchant")
      assert.strictEqual((yield* held).count, 0)
    })
  )

  it.live("is not closed when its whole payment went back before: 409 says that this is not needed", () =>
    Effect.gen(function* () {
      const { api, held, settled, simulator, stripe } = yield* restored({ isPaid: true })
      const id = (yield* held).rows[0]!.id as string
      const payment = String(simulator.all("charge")[0]!.payment_intent)
      yield* Effect.promise(() => stripe.refunds.create({ payment_intent: payment }))
      yield* settled
      assert.strictEqual((yield* closing(api)(id, "x")).body.error, "conflict")
    })
  )

  it.live("of a sandbox closes itself a day after the last word of it; one of a live account does not", () =>
    Effect.gen(function* () {
      const { held, pass, sql } = yield* restored({ isPaid: true })
      yield* sql`insert into stray_sessions (id, channel, merchant_id, mode, session_id, trade_no, status, created_at, updated_at)
        select 'ssn_01KDVDNA000000000000000001', 'stripe', merchant_id, 'live', 'cs_live', 'TRD_1', 'paid', to_timestamp(0),
          to_timestamp(0) from merchants`
      yield* pass("1 hour")
      assert.strictEqual((yield* held).count, 2)
      yield* sql`update stray_sessions set updated_at = updated_at - interval '23 hours' where mode = 'sandbox'`
      yield* pass("1 hour")
      assert.deepStrictEqual(
        (yield* held).rows.map(({ mode }) => mode),
        ["live"]
      )
      const [row] = yield* sql`select closed_note from stray_sessions where mode = 'sandbox'`
      assert.deepStrictEqual(row, { closed_note: "a sandbox's own session, closed by the service" })
    })
  )
})
