/**
 * The refund desk of the sandbox's bank: cards are paid back at once, alipay and wechat_pay after a minute or when a
 * test helper says so (docs/architecture.md, section 7). It keeps its own books, and our number of a refund is its key.
 */
import { PaymentMethod } from "@coffer/model/Money"
import { RefundNo } from "@coffer/model/Ids"
import { Context, DateTime, Effect, Layer, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { isoText, isoTextOrNull } from "../platform/runtime/codecs.ts"
import { span } from "../platform/runtime/span.ts"
import { RefundChannel, type RefundAnswer, type RefundRequest } from "../channel/RefundChannel.ts"
import { booksFail, sandboxReach } from "./sandboxReach.ts"

export type RefundOutcome = "succeeded" | "failed"

/** The bank's own word on a refund was another, or it never heard of it. */
export class NotSettled extends Schema.TaggedError<NotSettled>()("NotSettled", { state: Schema.String }) {}

export class SandboxRefunds extends Context.Service<
  SandboxRefunds,
  {
    /** The bank makes up its mind: now, or against what it had said. Saying the same twice is fine. */
    readonly settle: (refundNo: RefundNo, outcome: RefundOutcome) => Effect.Effect<void, NotSettled>
  }
>()("@coffer/sandbox/SandboxRefunds") {}

/** An asynchronous refund settles by itself after this. */
const settlesAfter = "60 seconds"
/** Refunds of one payment wait for one another in Postgres; they must not hold all connections while they do. */
const atOnce = 4

const isAsynchronous = (method: PaymentMethod) => method === "alipay" || method === "wechat_pay"

/** What the bank says when it rejects a refund. */
export const rejection = "the buyer's account cannot take the money back"

const Payment = Schema.Struct({
  method: PaymentMethod,
  amount: Schema.Int,
  state: Schema.String,
  paid_back: Schema.Int
})
const Booked = Schema.Struct({ state: Schema.Literals(["pending", "succeeded", "failed"]) })
const decodePayments = Schema.decodeUnknownEffect(Schema.Array(Payment))
const decodeBooked = Schema.decodeUnknownEffect(Schema.Array(Booked))

const answers: Record<(typeof Booked.Type)["state"], RefundAnswer> = {
  pending: { _tag: "Pending" },
  succeeded: { _tag: "Succeeded" },
  failed: { _tag: "Refused", reason: rejection }
}
const notCovered: RefundAnswer = { _tag: "Refused", reason: "the payment does not cover it" }

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const reach = yield* sandboxReach
  const desk = yield* Semaphore.make(atOnce)

  /** The row's state as it is by now: when its minute has passed it is settled. One statement: others decide, too. */
  const booked = Effect.fnUntraced(function* (refundNo: string) {
    const at = sql`${isoText(yield* DateTime.now)}::text::timestamptz`
    const rows = yield* sql`update sandbox_refunds
      set state = case when state = 'pending' and settles_at <= ${at} then 'succeeded' else state end
      where refund_key = ${refundNo} returning state`
    return (yield* decodeBooked(rows))[0]?.state
  })

  const book = Effect.fnUntraced(function* ({ amount, paymentId, refundNo }: RefundRequest) {
    // A statement of its own: what others have paid back is read once they are done.
    yield* sql`select 1 from sandbox_payments where payment_id = ${paymentId} for update`
    const known = yield* booked(refundNo)
    if (known !== undefined) return known
    const [payment] = yield* decodePayments(
      yield* sql`select method, amount, state, (select coalesce(sum(r.amount), 0)::bigint from sandbox_refunds r
          where r.payment_id = p.payment_id and r.state <> 'failed') as paid_back
        from sandbox_payments p where payment_id = ${paymentId}`
    )
    if (payment?.state !== "succeeded" || payment.paid_back + amount > payment.amount) return undefined
    const now = yield* DateTime.now
    const later = isAsynchronous(payment.method)
    const state = later ? ("pending" as const) : ("succeeded" as const)
    const settlesAt = later ? DateTime.addDuration(now, settlesAfter) : null
    yield* sql`insert into sandbox_refunds (refund_key, payment_id, amount, state, settles_at, created_at)
      values (${refundNo}, ${paymentId}, ${amount}, ${state}, ${isoTextOrNull(settlesAt)}::text::timestamptz,
        ${isoText(now)}::text::timestamptz)`
    return state
  })

  const move = (refundNo: string, from: ReadonlyArray<string>, to: string) =>
    sql`update sandbox_refunds set state = ${to}
      where refund_key = ${refundNo} and state in ${sql.in(from)} returning 1`

  const refund = span("SandboxRefunds.refund")(
    function* (request: RefundRequest) {
      yield* reach(request.merchantId)
      const state = yield* desk.withPermit(sql.withTransaction(book(request)))
      return state === undefined ? notCovered : answers[state]
    },
    Effect.catchTags({ ...booksFail, SchemaError: Effect.die })
  )

  const settle = span("SandboxRefunds.settle")(
    function* (refundNo: RefundNo, outcome: RefundOutcome) {
      // A bank may take back what it had paid out, never the other way round.
      const from = outcome === "succeeded" ? ["pending", "succeeded"] : ["pending", "succeeded", "failed"]
      const moved = yield* move(refundNo, from, outcome)
      if (moved.length === 0) return yield* new NotSettled({ state: (yield* booked(refundNo)) ?? "unknown" })
    },
    Effect.catchTags({ SqlError: Effect.die, SchemaError: Effect.die })
  )

  return Layer.merge(Layer.succeed(SandboxRefunds, { settle }), Layer.succeed(RefundChannel, { refund }))
})

export const layer = Layer.unwrap(make)
