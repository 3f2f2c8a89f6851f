/**
 * Refunds at the sandbox's bank: cards are refunded at once, alipay and wechat_pay after a minute or when a test helper
 * says so (docs/architecture.md, section 7). The bank has its own table, whose key is our refund number.
 */
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import type { RefundNo } from "@coffer/model/Ids"
import { Context, DateTime, Effect, Layer, Schema, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { isoText, isoTextOrNull } from "../../platform/runtime/codecs.ts"
import { span } from "../../platform/runtime/span.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { NotSettled, type Pretended, type RegisteredChannel } from "../../channel/Channel.ts"
import type { RefundAnswer, RefundRequest } from "../../channel/payments.ts"
import { isLost } from "../../platform/postgres/trouble.ts"
import { sandboxReach, unreachableOnSqlError } from "./sandboxReach.ts"

export class SandboxRefunds extends Context.Service<
  SandboxRefunds,
  {
    readonly settle: Pretended["settle"]
    readonly refund: RegisteredChannel["refund"]
  }
>()("@coffer/sandbox/SandboxRefunds") {}

/** An asynchronous refund settles by itself after this. */
const settlesAfter = "60 seconds"
/** Refunds of one payment wait for one another in Postgres. This keeps them from holding all connections meanwhile. */
const concurrentMax = 4

const isAsynchronous = (method: PaymentMethod) => method === "alipay" || method === "wechat_pay"

/** The bank's reason when it rejects a refund. */
export const rejection = "the buyer's account cannot take the money back"

const Payment = Schema.Struct({
  method: PaymentMethod,
  amount: Schema.Int,
  state: Schema.String,
  paid_back: Schema.Int
})
const StateRow = Schema.Struct({ state: Schema.Literals(["pending", "succeeded", "failed"]) })
const decodePayments = Schema.decodeUnknownEffect(Schema.Array(Payment))
const decodeStates = Schema.decodeUnknownEffect(Schema.Array(StateRow))

const answers: Record<(typeof StateRow.Type)["state"], RefundAnswer> = {
  pending: { _tag: "Pending" },
  succeeded: { _tag: "Succeeded" },
  failed: { _tag: "Refused", reason: rejection }
}
const notCovered: RefundAnswer = { _tag: "Refused", reason: "the payment does not cover it" }

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const reach = yield* sandboxReach
  const permits = yield* Semaphore.make(concurrentMax)

  /** The state as of now: a pending refund settles when its time is up. One statement, so that it cannot race. */
  const stateOf = Effect.fnUntraced(function* (refundNo: string) {
    const at = sql`${isoText(yield* currentTime)}::text::timestamptz`
    const rows = yield* sql`update sandbox_refunds
      set state = case when state = 'pending' and settles_at <= ${at} then 'succeeded' else state end
      where refund_key = ${refundNo} returning state`
    return (yield* decodeStates(rows))[0]?.state
  })

  const refundOnce = Effect.fnUntraced(function* ({ amount, paymentId, refundNo }: RefundRequest) {
    // Locked by a statement of its own, so that the next one sees what other refunds have committed.
    yield* sql`select 1 from sandbox_payments where payment_id = ${paymentId} for update`
    const known = yield* stateOf(refundNo)
    if (known !== undefined) return known
    const [payment] = yield* decodePayments(
      yield* sql`select method, amount, state, (select coalesce(sum(r.amount), 0)::bigint from sandbox_refunds r
          where r.payment_id = p.payment_id and r.state <> 'failed') as paid_back
        from sandbox_payments p where payment_id = ${paymentId}`
    )
    if (payment?.state !== "succeeded" || payment.paid_back + amount > payment.amount) return undefined
    const now = yield* currentTime
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
      const decided = permits.withPermit(sql.withTransaction(refundOnce(request)))
      // It is unknown whether the bank has it: it is asked again under the same number.
      const state = yield* Effect.catchIf(decided, isLost, () => Effect.succeed("pending" as const))
      return state === undefined ? notCovered : answers[state]
    },
    Effect.catchTags({ ...unreachableOnSqlError, SchemaError: Effect.die })
  )

  const settle = span("SandboxRefunds.settle")(
    function* (refundNo: RefundNo, outcome: "succeeded" | "failed") {
      // A refund that succeeded may still fail; one that failed stays failed.
      const from = outcome === "succeeded" ? ["pending", "succeeded"] : ["pending", "succeeded", "failed"]
      const moved = yield* move(refundNo, from, outcome)
      if (moved.length === 0) return yield* new NotSettled({ state: (yield* stateOf(refundNo)) ?? "unknown" })
    },
    Effect.catchTags({ SqlError: Effect.die, SchemaError: Effect.die })
  )

  return SandboxRefunds.of({ settle, refund })
})

export const layer = Layer.effect(SandboxRefunds, make)
