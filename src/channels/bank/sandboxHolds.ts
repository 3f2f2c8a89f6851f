/**
 * What the sandbox's bank holds: a payment in the state `authorized`, until it is captured, released or has run out.
 * Captures are the bank's own and committed at once, so an answer may be lost after its effect (silences: O75).
 */
import { isoText } from "@coffer/model/isoText"
import { Minor } from "@coffer/model/Money"
import { isCardCharged, PaymentMethod } from "@coffer/model/PaymentMethod"
import type { PaymentId } from "@coffer/model/Ids"
import { heldOf } from "@coffer/rules/order/Hold"
import type { Order } from "@coffer/rules/order/Order"
import { DateTime, Duration, Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Holds, HoldScript, Pretended } from "../../shared/channel/Channel.ts"
import type { CaptureAnswer, ChannelUnreachable, HoldAt, ReleaseAnswer } from "../../shared/channel/payments.ts"
import { Orders } from "../../money/orders/Orders.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { span } from "../../platform/runtime/span.ts"
import { sandboxChannel } from "./name.ts"
import { heldDays, heldUntil, paymentOf, type SandboxPayment, sandboxPayments } from "./sandboxPayments.ts"
import { sandboxReach, unreachableOnSqlError } from "./sandboxReach.ts"

/** How long the bank takes for a capture that it makes later. */
const lateAfter = Duration.seconds(5)
/** The bank's reason when it refuses a capture. */
const refusal = "the buyer's bank does not confirm the amount"

type Held = Pick<HoldAt, "merchantId" | "paymentId">
type Unhandled = ChannelUnreachable | SqlError.SqlError | Schema.SchemaError

const gone: ReleaseAnswer = { _tag: "Gone" }

const days: Holds["days"] = Object.fromEntries(
  PaymentMethod.literals.flatMap((method) => (isCardCharged(method) ? [[method, heldDays] as const] : []))
)

export const makeSandboxHolds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const wakeups = yield* Wakeups
  const reach = yield* sandboxReach

  const at = (time: DateTime.Utc) => sql`${isoText(time)}::text::timestamptz`
  const first = Effect.fnUntraced(function* (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) {
    const rows = yield* statement
    const [row] = yield* decodeRows(rows)
    const [scripted] = yield* decodeScripts(rows)
    return row && { ...sandboxPayments.read(row), script: scripted!.script }
  })
  const find = (paymentId: PaymentId) => first(sql`select * from sandbox_payments where payment_id = ${paymentId}`)

  /** In one statement, so that of two captures, or of a capture and a release, one finds the hold. */
  const take = (paymentId: PaymentId, amount: Minor, capturedAt: DateTime.Utc, reportDueAt: DateTime.Utc | null) =>
    first(sql`update sandbox_payments set state = 'succeeded', amount = ${amount}, captured_at = ${at(capturedAt)},
        report_due_at = ${reportDueAt === null ? null : at(reportDueAt)}
      where payment_id = ${paymentId} and state = 'authorized' and amount >= ${amount} returning *`)

  const capture = span("SandboxBank.capture")(
    function* ({ merchantId, paymentId }: HoldAt, amount: Minor): Effect.fn.Return<CaptureAnswer, Unhandled> {
      yield* reach(merchantId)
      const now = yield* currentTime
      const payment = yield* find(paymentId)
      if (payment?.state === "authorized") {
        if (DateTime.isGreaterThanOrEqualTo(now, heldUntil(payment))) return gone
        if (payment.script === "refuse") return { _tag: "Refused", reason: refusal }
        const later = payment.script === "late" ? DateTime.addDuration(now, lateAfter) : null
        yield* take(paymentId, amount, later ?? now, later)
        if (later !== null) wakeups.raise("sandbox_reports")
      }
      return answerOf(yield* find(paymentId), now)
    },
    Effect.catchTags({ ...unreachableOnSqlError, SchemaError: Effect.die })
  )

  /** A capture that the bank makes later is not stopped any more. */
  const release = span("SandboxBank.release")(
    function* ({ merchantId, paymentId }: Held): Effect.fn.Return<ReleaseAnswer, Unhandled> {
      yield* reach(merchantId)
      yield* sql`update sandbox_payments set state = 'released', report_due_at = null
        where payment_id = ${paymentId} and state = 'authorized'`
      const payment = yield* find(paymentId)
      if (payment?.state !== "succeeded") return gone
      return { _tag: "Captured", payment: paymentOf(payment) }
    },
    Effect.catchTags({ ...unreachableOnSqlError, SchemaError: Effect.die })
  )

  return {
    holds: { days, capture, release } satisfies Holds,
    take,
    script: (paymentId: PaymentId, script: HoldScript) =>
      sql`update sandbox_payments set script = ${script} where payment_id = ${paymentId}`,
    acknowledge: (paymentId: PaymentId) =>
      sql`update sandbox_payments set report_due_at = null where payment_id = ${paymentId}`
  }
})

type SandboxHolds = Effect.Success<typeof makeSandboxHolds>

/** For the test helper: the bank acts by itself, and reports it as an acquirer's webhook would. */
export const makeScript = ({ acknowledge, holds, script, take }: SandboxHolds) =>
  Effect.map(Orders, (orders): NonNullable<Pretended["capture"]> =>
    span("SandboxBank.script")(function* (order: Order, what: HoldScript, amount: Minor = order.amount) {
      const held = heldOf(order)
      if (held === undefined || held.channel !== sandboxChannel) return order
      const { paymentId } = held
      const now = yield* currentTime
      switch (what) {
        case "refuse":
        case "late":
          yield* script(paymentId, what)
          return order
        case "release":
          yield* holds.release({ merchantId: order.merchantId, paymentId })
          return yield* orders.report(order, { _tag: "Released", paymentId })
        case "succeed":
        case "succeed_unreported": {
          // If this process dies before the order knows, the bank reports it again.
          const reportDueAt = what === "succeed" ? DateTime.addDuration(now, lateAfter) : null
          const taken = yield* take(paymentId, amount, now, reportDueAt)
          if (taken === undefined || what === "succeed_unreported") return order
          const after = yield* orders.report(order, { _tag: "Succeeded", payment: paymentOf(taken) })
          yield* acknowledge(paymentId)
          return after
        }
      }
    }, sqlDefects)
  )

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(sandboxPayments.row))
const decodeScripts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ script: Schema.NullOr(Schema.String) })))

const answerOf = (row: SandboxPayment | undefined, now: DateTime.Utc): CaptureAnswer => {
  if (row?.state !== "succeeded") return gone
  const payment = paymentOf(row)
  return DateTime.isGreaterThan(payment.paidAt, now) ? { _tag: "Pending" } : { _tag: "Captured", payment }
}
