/**
 * Refunds at the sandbox's bank: cards are refunded at once, wallets on the phone after a minute or when a test helper
 * says so (docs/architecture.md, section 7). The bank has its own table, whose key is our refund number. The
 * row of a refund that it makes at once is committed with our change (docs/decisions/0006).
 */
import { isoText } from "@coffer/model/isoText"
import { isOnPhone, PaymentMethod } from "@coffer/model/PaymentMethod"
import { PaymentId, RefundNo } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { type Described, insert } from "../../platform/commit/Change.ts"
import { table } from "../../platform/commit/Table.ts"
import { span } from "../../platform/runtime/span.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { NotSettled, type Pretended, type RegisteredChannel } from "../../shared/channel/Channel.ts"
import { ChannelUnreachable, type RefundAnswer, type RefundRequest } from "../../shared/channel/payments.ts"
import { batchedInOrder } from "../../platform/postgres/batched.ts"
import { isLost } from "../../platform/postgres/trouble.ts"
import { instruct, instructionKind, Instructions } from "../../money/wallets/Instructions.ts"
import { noEntry } from "../../money/wallets/Wallets.ts"
import { unreachableOnSqlError } from "./sandboxReach.ts"

export class SandboxRefunds extends Context.Service<
  SandboxRefunds,
  {
    readonly settle: Pretended["settle"]
    readonly refund: RegisteredChannel["refund"]
  }
>()("@coffer/sandbox/SandboxRefunds") {}

/** An asynchronous refund settles by itself after this. */
const settlesAfter = "60 seconds"

/** The bank's reason when it rejects a refund. */
export const rejection = "the buyer's account cannot be credited"

const answers = {
  pending: { _tag: "Pending" },
  succeeded: { _tag: "Succeeded" },
  failed: { _tag: "Refused", reason: rejection }
} as const satisfies Record<string, RefundAnswer>
const notCovered: RefundAnswer = { _tag: "Refused", reason: "the payment does not cover it" }

const StateRow = Schema.Struct({ state: Schema.Literals(["pending", "succeeded", "failed"]) })
const decodeStates = Schema.decodeUnknownEffect(Schema.Array(StateRow))

/** The row of a refund that the bank makes at once. */
const PaidBack = Schema.Struct({
  refundKey: RefundNo,
  paymentId: PaymentId,
  amount: Minor,
  createdAt: Schema.DateTimeUtc
})
const sandboxRefunds = table("sandbox_refunds", { place: 135, of: PaidBack, key: "refundKey" })
const bankRefund = instructionKind("sandbox_refund", PaidBack)

const rowOf = (paidBack: typeof PaidBack.Type) => [insert(sandboxRefunds, paidBack)]
const booksOf = (paidBack: typeof PaidBack.Type): Described => ({
  changes: rowOf(paidBack),
  instructions: [instruct(bankRefund, paidBack)]
})

/** The bank's state for a requested refund. `left`: of the payment; null if it took none. */
const Standing = Schema.Struct({
  reachable: Schema.Boolean,
  is_known: Schema.Boolean,
  method: Schema.NullOr(PaymentMethod),
  left: Schema.NullOr(Schema.Int)
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* (yield* Instructions).define(bankRefund, (paidBack) =>
    Effect.succeed({ ...noEntry, changes: rowOf(paidBack) })
  )

  // One query for all callers of one turn of the event loop. Each row is looked up by its index.
  const standingOf = batchedInOrder(sql, {
    row: Standing,
    select: (requests: ReadonlyArray<Pick<RefundRequest, "merchantId" | "paymentId" | "refundNo">>) => sql`select
        coalesce((select s.reachable from sandbox_switches s where s.merchant_id = asked.merchant_id limit 1), true)
          as reachable,
        exists (select from sandbox_refunds r where r.refund_key = asked.refund_no) as is_known,
        p.method, p.amount - (select coalesce(sum(r.amount), 0)::bigint from sandbox_refunds r
          where r.payment_id = asked.payment_id and r.state <> 'failed') as left
      from unnest(${requests.map(({ merchantId }) => merchantId)}::text[],
        ${requests.map(({ paymentId }) => paymentId)}::text[],
        ${requests.map(({ refundNo }) => refundNo)}::text[])
        with ordinality as asked (merchant_id, payment_id, refund_no, position)
      left join lateral (select method, amount from sandbox_payments
        where payment_id = asked.payment_id and state = 'succeeded' limit 1) p on true
      order by position`
  })

  /** The state as of now: a pending refund settles when its time is up. One statement, so that it cannot race. */
  const stateOf = Effect.fnUntraced(function* (refundNo: string) {
    const at = sql`${isoText(yield* currentTime)}::text::timestamptz`
    const rows = yield* sql`update sandbox_refunds
      set state = case when state = 'pending' and settles_at <= ${at} then 'succeeded' else state end
      where refund_key = ${refundNo} returning state`
    return (yield* decodeStates(rows))[0]?.state
  })

  /** The bank processes it from now on, independently of us. Inserting it twice makes one row. */
  const begin = ({ amount, createdAt, paymentId, refundKey }: typeof PaidBack.Type) => {
    const settlesAt = isoText(DateTime.addDuration(createdAt, settlesAfter))
    const begun = sql`insert into sandbox_refunds (refund_key, payment_id, amount, state, settles_at, created_at)
      values (${refundKey}, ${paymentId}, ${amount}, 'pending', ${settlesAt}::text::timestamptz,
        ${isoText(createdAt)}::text::timestamptz) on conflict do nothing`
    // The outcome at the bank is unknown: it is asked again under the same number.
    return Effect.as(
      Effect.catchIf(begun, isLost, () => Effect.void),
      answers.pending
    )
  }

  const move = (refundNo: string, from: ReadonlyArray<string>, to: string) =>
    sql`update sandbox_refunds set state = ${to}
      where refund_key = ${refundNo} and state in ${sql.in(from)} returning 1`

  const refund = span("SandboxRefunds.refund")(
    function* ({ amount, merchantId, paymentId, refundNo }: RefundRequest): Effect.fn.Return<RefundAnswer, Unhandled> {
      const standing = yield* standingOf({ merchantId, paymentId, refundNo })
      if (!standing.reachable) return yield* new ChannelUnreachable()
      const known = standing.is_known ? yield* stateOf(refundNo) : undefined
      if (known !== undefined) return answers[known]
      const { left, method } = standing
      if (method === null || left === null || amount > left) return notCovered
      const paidBack = { refundKey: refundNo, paymentId, amount, createdAt: yield* currentTime }
      if (isOnPhone(method)) return yield* begin(paidBack)
      return { ...answers.succeeded, books: booksOf(paidBack) }
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

type Unhandled = ChannelUnreachable | SqlError.SqlError | Schema.SchemaError

export const layer = Layer.effect(SandboxRefunds, make)
