/**
 * The bank that issued the buyer's card: takes the buyer's complaint and delivers its report to the service, as a
 * channel's webhook does. Used by the test helpers. Cards have chargebacks; Alipay and WeChat Pay have none (silences:
 * D11).
 */
import { TradeNo } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import { isCardCharged } from "@coffer/model/PaymentMethod"
import type { Dispute } from "@coffer/rules/dispute/Dispute"
import { InvalidField } from "@coffer/rules/InvalidField"
import { amountPaid } from "@coffer/rules/order/Hold"
import type { Order, RefundRefused, CreditedOrder } from "@coffer/rules/order/Order"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { makeTurns } from "../../platform/cluster/turns.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { type DisputeNotFound, Disputes } from "../../money/disputes/Disputes.ts"
import { span } from "../../platform/runtime/span.ts"
import type { OrderNotFound } from "../../money/orders/OrderCommands.ts"
import type { WriteFailure } from "../../money/aggregate/WriteLoop.ts"
import { Channel, type Pretended } from "../../shared/channel/Channel.ts"
import type { DisputeOutcome, DisputeReport } from "../../shared/channel/disputes.ts"
import { ChannelUnreachable } from "../../shared/channel/payments.ts"

/** The payment cannot be disputed. */
export class NoChargeback extends Schema.TaggedError<NoChargeback>()("NoChargeback", {
  tradeNo: TradeNo,
  reason: Schema.Literals(["not_paid", "not_a_card"])
}) {}

export interface Complaint {
  /** The whole payment by default. */
  readonly amount?: number | undefined
  readonly reason?: string | undefined
  /** Null: the bank sets no deadline. */
  readonly evidenceDueBy?: DateTime.Utc | null | undefined
}

type ReportFailure = ChannelUnreachable | RefundRefused | OrderNotFound | DisputeNotFound | WriteFailure

export class SandboxIssuer extends Context.Service<
  SandboxIssuer,
  {
    readonly dispute: (
      order: Order,
      complaint: Complaint
    ) => Effect.Effect<Dispute, InvalidField | NoChargeback | ReportFailure>
    readonly resolve: (dispute: Dispute, outcome: DisputeOutcome) => Effect.Effect<Dispute, ReportFailure>
  }
>()("@coffer/sandbox/SandboxIssuer") {}

/** Decisions that may wait for one dispute. */
const decisionsMax = 64

/** How long a merchant has to respond, by default. */
const timeToRespond = "7 days"
/** A check follows some time after the deadline, and Postgres takes no year of five digits. */
const dueByMillisMax = DateTime.toEpochMillis(DateTime.makeUnsafe("9999-01-01T00:00:00Z"))

export const layer = Layer.effect(
  SandboxIssuer,
  Effect.gen(function* () {
    const channel = yield* Channel
    const disputes = yield* Disputes

    /** The bank of the payment, or the simulated one of this sandbox. */
    const bankOf = (object: CreditedOrder | Dispute) =>
      Effect.flatMap(channel.pretendedOf(object, object.channel), (pretended) =>
        Option.isSome(pretended) ? Effect.succeed(pretended.value) : Effect.fail(new ChannelUnreachable())
      )

    const deliver = Effect.fnUntraced(function* (bank: Pretended, report: DisputeReport) {
      return yield* disputes.handleReports(report, bank.acknowledge)
    })
    /** One decision about a dispute at a time, so that its report comes before that of the next. */
    const turns = makeTurns(decisionsMax)

    const dispute = span("SandboxIssuer.dispute")(function* (order: Order, complaint: Complaint) {
      const paid = amountPaid(order)
      const { amount = paid, evidenceDueBy, reason = "fraudulent" } = complaint
      const { tradeNo } = order
      if (amount > paid) {
        return yield* new InvalidField({ param: "amount", problem: `exceeds the ${paid} that were paid` })
      }
      if (!("paymentId" in order)) return yield* new NoChargeback({ tradeNo, reason: "not_paid" })
      if (!isCardCharged(order.method)) return yield* new NoChargeback({ tradeNo, reason: "not_a_card" })
      if (evidenceDueBy != null && DateTime.toEpochMillis(evidenceDueBy) > dueByMillisMax) {
        return yield* new InvalidField({ param: "evidence_due_by", problem: "must be before the year 9999" })
      }
      const dueBy = DateTime.addDuration(yield* currentTime, timeToRespond)
      const chargeback = {
        amount: Minor.make(amount),
        reason,
        evidenceDueBy: evidenceDueBy === undefined ? dueBy : evidenceDueBy
      }
      const bank = yield* bankOf(order)
      return yield* deliver(bank, yield* bank.dispute(order, chargeback))
    }, Effect.uninterruptible)

    const resolve = span("SandboxIssuer.resolve")(function* (dispute: Dispute, outcome: DisputeOutcome) {
      const bank = yield* bankOf(dispute)
      const decided = Effect.flatMap(bank.resolve(dispute, outcome), (report) => deliver(bank, report))
      return yield* turns.inTurn(dispute.disputeNo, decided)
    }, Effect.uninterruptible)

    return SandboxIssuer.of({ dispute, resolve })
  })
)
