/** Front door to refunds: what merchants ask for, and what the channel reports (spec: Refunds). */
import type { CreateRefund, UpdateRefund } from "@coffer/contract/Refunds"
import type { RefundNo } from "@coffer/model/Ids"
import { patchProblem } from "@coffer/model/Metadata"
import { InvalidField } from "@coffer/rules/InvalidField"
import { type Refund, RefundCommand, type RefundConflict } from "@coffer/rules/refund/Refund"
import { Context, Effect, Layer } from "effect"
import type { WriteFailure } from "../aggregate/WriteLoop.ts"
import type { ChannelUnreachable } from "../channel/Channel.ts"
import { answering } from "../idempotency/Answering.ts"
import type { AlreadyExists } from "../platform/commit/Change.ts"
import type { Account } from "@coffer/model/Account"
import { span } from "../platform/runtime/span.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { checkRefund, type RefundReport, reportRefund } from "./checkRefund.ts"
import { createRefund } from "./createRefund.ts"
import type { Answered, DriveFailure } from "./refundAnswers.ts"
import type { RefundNotFound, RefundNumberTaken, RefundRunning } from "./refundErrors.ts"
import { refundServices, type RefundServices } from "./RefundServices.ts"

export class Refunds extends Context.Service<
  Refunds,
  {
    readonly create: (
      account: Account,
      body: CreateRefund
    ) => Effect.Effect<
      Answered,
      Exclude<DriveFailure, AlreadyExists> | InvalidField | RefundNumberTaken | RefundRunning
    >
    readonly find: (account: Account, ref: string) => Effect.Effect<Refund, RefundNotFound>
    readonly annotate: (
      account: Account,
      ref: string,
      patch: UpdateRefund
    ) => Effect.Effect<Refund, InvalidField | RefundConflict | RefundNotFound | WriteFailure>
    /** The channel's word about a refund that it had accepted; it may come many times. */
    readonly report: (refundNo: RefundNo, said: RefundReport) => Effect.Effect<Refund, WriteFailure>
    /** Ask the channel about a refund that is due. */
    readonly check: (refundNo: RefundNo) => Effect.Effect<void, ChannelUnreachable | WriteFailure>
  }
>()("@coffer/refunds/Refunds") {}

export const layer = Layer.effect(
  Refunds,
  Effect.map(refundServices, (services) =>
    Refunds.of({
      create: createRefund(services),
      find: services.find,
      annotate: annotate(services),
      report: (refundNo, said) => reportRefund(services, refundNo, said),
      check: (refundNo) => checkRefund(services, refundNo)
    })
  )
)

const annotate = ({ commands, find }: RefundServices) =>
  span("Refunds.annotate")(function* (account: Account, ref: string, patch: UpdateRefund) {
    const unfit = patchProblem({}, patch.metadata ?? {})
    if (unfit !== undefined) return yield* new InvalidField(unfit)
    const refund = yield* find(account, ref)
    if (patch.metadata === undefined) return refund
    const problem = patchProblem(refund.metadata, patch.metadata)
    if (problem !== undefined) return yield* new InvalidField(problem)
    const command = RefundCommand.cases.Annotate.make({ at: yield* currentTime, patch: patch.metadata })
    return yield* answering((answer) => commands.perform(refund.refundNo, command, answer))
  })
