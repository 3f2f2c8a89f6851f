/**
 * Front door to refunds. The amount is promised first (the order's actor says whether it may be), then the channel is
 * asked, then its answer is settled: each in a transaction of its own, in a fiber that outlives the request. Whatever
 * dies in between leaves a due row, and a worker asks the channel again by our own number (silences: R7, R8).
 */
import type { CreateRefund, UpdateRefund } from "@coffer/contract/Refunds"
import { prefixes, type RefundNo } from "@coffer/model/Ids"
import { patchProblem } from "@coffer/model/Metadata"
import { keptDuration } from "@coffer/rules/idempotency/claim"
import { InvalidField } from "@coffer/rules/InvalidField"
import type { Order, SettledOrder } from "@coffer/rules/order/Order"
import { reserving } from "@coffer/rules/refund/entryOf"
import { nextCheck } from "@coffer/rules/refund/nextCheck"
import { type Refund, RefundCommand, type RefundConflict } from "@coffer/rules/refund/Refund"
import { Context, DateTime, Duration, Effect, Fiber, FiberMap, Layer, Option, Schedule } from "effect"
import type { ChannelUnreachable } from "../channel/Channel.ts"
import { type RefundAnswer, RefundChannel } from "../channel/RefundChannel.ts"
import { type AlreadyExists, NotCommitted } from "../platform/commit/Change.ts"
import {
  type Claim,
  CurrentClaim,
  giveClaimBack,
  renewedClaim,
  renewing,
  takeClaim
} from "../idempotency/IdempotencyClaim.ts"
import { actorPatience } from "../platform/cluster/ask.ts"
import { Faults } from "../platform/runtime/Faults.ts"
import { NewIds } from "../platform/runtime/NewIds.ts"
import type { Owner } from "../platform/postgres/Pages.ts"
import { span } from "../platform/runtime/span.ts"
import { Orders, type WriteFailure } from "../orders/Orders.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import { newRefund } from "./newRefund.ts"
import {
  ChannelRefused,
  notPaid,
  numberRequired,
  RefundNotFound,
  RefundNumberTaken,
  RefundRunning
} from "./refundErrors.ts"
import {
  type Answered,
  answered,
  type DriveFailure,
  isPassing,
  isRefusal,
  type Refusal,
  repeated
} from "./refundAnswers.ts"
import { RefundCommands } from "./RefundCommands.ts"
import { insertion, RefundStore } from "./RefundStore.ts"

export class Refunds extends Context.Service<
  Refunds,
  {
    readonly create: (
      owner: Owner,
      body: CreateRefund
    ) => Effect.Effect<
      Answered,
      Exclude<DriveFailure, AlreadyExists> | InvalidField | RefundNumberTaken | RefundRunning
    >
    readonly find: (owner: Owner, ref: string) => Effect.Effect<Refund, RefundNotFound>
    readonly annotate: (
      owner: Owner,
      ref: string,
      patch: UpdateRefund
    ) => Effect.Effect<Refund, InvalidField | RefundConflict | RefundNotFound | WriteFailure>
    /** The channel's word about a refund that it had accepted; it may come many times. */
    readonly report: (
      refundNo: RefundNo,
      said: { readonly outcome: "succeeded" | "failed"; readonly reason: string }
    ) => Effect.Effect<Refund, WriteFailure>
    /** Ask the channel about a refund that is due. */
    readonly check: (refundNo: RefundNo) => Effect.Effect<void, ChannelUnreachable | WriteFailure>
  }
>()("@coffer/refunds/Refunds") {}

/** After this nobody knows what the channel did, and it is asked again later. Less than a claim's lease. */
const channelPatience = "15 seconds"
/** What the channel said is recorded at once or, when that fails, a little later. */
const settleRetriesMax = 3
const settleAgain = Schedule.exponential("200 millis")
/** What a caller waits at least for that, however long the channel took. */
const settlePatienceMin = Duration.seconds(1)
/** How often all that remains is asked for anew while other refunds of the order change it. */
const attemptsMax = 10

const { Abandon, Annotate, Await, Confirm, Reject } = RefundCommand.cases

export const layer = Layer.effect(
  Refunds,
  Effect.gen(function* () {
    const store = yield* RefundStore
    const commands = yield* RefundCommands
    const orders = yield* Orders
    const channel = yield* RefundChannel
    const ids = yield* NewIds
    const faults = yield* Faults
    const { runner } = yield* Settings
    const scope = yield* Effect.scope
    const driving = yield* FiberMap.make<RefundNo, Answered, DriveFailure>()

    const askChannel = (refund: Refund): Effect.Effect<RefundAnswer, ChannelUnreachable> =>
      faults.around("RefundChannel.refund", channel.refund(refund)).pipe(
        Effect.timeoutOrElse({
          duration: channelPatience,
          orElse: () => Effect.succeed({ _tag: "Pending" as const })
        })
      )

    const find = Effect.fnUntraced(function* (owner: Owner, ref: string) {
      const stored = yield* store.resolve(owner, ref)
      return Option.isSome(stored) ? stored.value.refund : yield* new RefundNotFound({ ref })
    })

    /** The order's promise, the wallet's, and the refund's row: together, before anybody is asked. */
    const reserve = Effect.fnUntraced(function* (refund: Refund, claim: Claim | undefined) {
      const { movements, order, reserve } = reserving(refund.amount, refund.requestedAmount === null, refund.createdAt)
      const renewed = claim === undefined ? undefined : renewing(claim, refund.createdAt)
      const changes = [insertion(refund), ...(renewed === undefined ? [] : [renewed.change])]
      yield* orders.performWith(refund.tradeNo, order, { movements, reserve, changes }).pipe(
        Effect.catch((failure) =>
          // The message may arrive twice, and the second time is refused because of the first.
          Effect.flatMap(store.load(refund.refundNo), (own) =>
            Option.isSome(own) ? Effect.void : Effect.fail(failure)
          )
        ),
        Effect.catchTags({
          // Another took the claim over, or the order would not stand still: nothing was promised.
          StaleVersion: () => new NotCommitted({ reason: "overloaded" }),
          OrderConflict: Effect.die
        })
      )
      if (renewed !== undefined) yield* renewedClaim(renewed.claim)
      return renewed?.claim
    })

    /** Records the channel's answer. Its retries go on when the caller has been told to come back. */
    const settle = Effect.fnUntraced(function* (refund: Refund, command: RefundCommand, claim: Claim | undefined) {
      const waited = DateTime.distance(refund.createdAt, command.at)
      const left = Duration.max(settlePatienceMin, Duration.subtract(actorPatience, waited))
      const hear = commands.hear(refund.refundNo, command, claim)
      const fiber = yield* Effect.forkIn(Effect.retry(hear, { times: settleRetriesMax, schedule: settleAgain }), scope)
      return yield* Effect.timeoutOrElse(Fiber.join(fiber), {
        duration: left,
        orElse: () => Effect.fail(new NotCommitted({ reason: "unknown" }))
      })
    })

    const drive = span("Refunds.drive")(function* (refund: Refund, claim: Claim | undefined) {
      const held = yield* reserve(refund, claim)
      const answer = yield* askChannel(refund).pipe(
        Effect.catchTags({ ChannelUnreachable: (unreachable) => Effect.succeed(unreachable) })
      )
      const at = yield* DateTime.now
      switch (answer._tag) {
        case "Succeeded":
          return answered(yield* settle(refund, Confirm.make({ at }), held))
        case "Pending":
          return answered(yield* settle(refund, Await.make({ at }), held))
        case "Refused":
        case "ChannelUnreachable": {
          const after = yield* settle(refund, Abandon.make({ at }), undefined)
          // Unless a worker had taken it over: then that is how it went.
          if (after.status !== "void") return answered(after)
          return yield* answer._tag === "Refused" ? new ChannelRefused({ reason: answer.reason }) : answer
        }
      }
    })

    /** A refund of this number is there: the same request again, or another one that may not have it. */
    const again = Effect.fnUntraced(function* (refund: Refund, order: Order, body: CreateRefund) {
      const outRefundNo = refund.outRefundNo
      if (refund.tradeNo !== order.tradeNo) return yield* new RefundNumberTaken({ outRefundNo, differs: "trade_no" })
      if (refund.requestedAmount !== (body.amount ?? null)) {
        return yield* new RefundNumberTaken({ outRefundNo, differs: "amount" })
      }
      return refund.status === "reserved" ? yield* joined(refund) : repeated(refund)
    })

    /** Waits for the answer of the request that asks the channel. Undefined: it was refused, and its number is free. */
    const joined = Effect.fnUntraced(function* (refund: Refund) {
      const { refundNo } = refund
      let fiber = Option.getOrUndefined(yield* FiberMap.get(driving, refundNo))
      if (fiber === undefined) {
        // Settled since it was read, or driven by another runner, or by one that is dead.
        const now = yield* commands.load(refundNo)
        if (now.status !== "reserved") return repeated(now)
        const lasts = DateTime.distance(yield* DateTime.now, nextCheck.reservedUntil(refund))
        // Alone on the database, whatever does not run here does not run.
        const isForsaken = runner === undefined || Duration.isLessThanOrEqualTo(lasts, Duration.zero)
        if (!isForsaken) return yield* new RefundRunning({ lasts })
        fiber = yield* FiberMap.run(driving, refundNo, finish(refundNo), { onlyIfMissing: true })
      }
      // Its row is there, so its number was free.
      const { refund: after } = yield* Effect.catchTags(Fiber.join(fiber), { AlreadyExists: Effect.die })
      return repeated(after)
    })

    /** What a worker would do with it later. */
    const finish = Effect.fnUntraced(function* (refundNo: RefundNo) {
      yield* Effect.catchTags(check(refundNo), { ChannelUnreachable: () => Effect.void })
      return answered(yield* commands.load(refundNo))
    })

    /** The refund of this very request, or of an earlier one that was sent again. */
    const earlier = Effect.fnUntraced(function* (owner: Owner, body: CreateRefund, claim: Claim | undefined) {
      if (body.out_refund_no !== undefined) return yield* store.byOutRefundNo(owner, body.out_refund_no)
      if (claim === undefined) return Option.none()
      return yield* store.byRequest(claim.id, DateTime.subtractDuration(claim.createdAt, keptDuration))
    })

    const begin = Effect.fnUntraced(function* (order: SettledOrder, body: CreateRefund, claim: Claim | undefined) {
      const refund = newRefund(order, body, yield* ids.next(prefixes.refund), yield* DateTime.now, claim)
      return yield* Fiber.join(
        yield* FiberMap.run(driving, refund.refundNo, drive(refund, (yield* CurrentClaim)?.claim))
      )
    })

    const create = span("Refunds.create")(function* (owner: Owner, body: CreateRefund) {
      const unfit = patchProblem({}, body.metadata ?? {})
      if (unfit !== undefined) return yield* new InvalidField(unfit)
      if (owner.mode === "live" && body.out_refund_no === undefined) return yield* numberRequired
      const claim = yield* takeClaim
      let refused: Refusal | undefined
      for (let attempt = 1; attempt <= attemptsMax; attempt++) {
        const order = yield* orders.find(owner, body.trade_no)
        // Before window, dispute and balance: what was accepted stays accepted (silences: R4).
        const before = yield* earlier(owner, body, claim)
        if (Option.isSome(before)) {
          const same = yield* again(before.value.refund, order, body)
          if (same !== undefined) return yield* Effect.as(giveClaimBack, same)
          continue
        }
        if (refused !== undefined) return yield* refused
        const outcome = yield* Effect.result("paymentId" in order ? begin(order, body, claim) : notPaid(order))
        if (outcome._tag === "Success") return outcome.success
        const failure = outcome.failure
        // Refused perhaps because of the first one with this number. Order and wallet decide one after the other, so
        // that one's row is there by now: look again.
        if (isRefusal(failure)) refused = failure
        else if (!isPassing(failure)) return yield* failure
      }
      return yield* new NotCommitted({ reason: "overloaded" })
    })

    const annotate = span("Refunds.annotate")(function* (owner: Owner, ref: string, patch: UpdateRefund) {
      const unfit = patchProblem({}, patch.metadata ?? {})
      if (unfit !== undefined) return yield* new InvalidField(unfit)
      const refund = yield* find(owner, ref)
      if (patch.metadata === undefined) return refund
      const problem = patchProblem(refund.metadata, patch.metadata)
      if (problem !== undefined) return yield* new InvalidField(problem)
      const at = yield* DateTime.now
      return yield* commands.perform(refund.refundNo, Annotate.make({ at, patch: patch.metadata }), yield* takeClaim)
    })

    const report = span("Refunds.report")(function* (
      refundNo: RefundNo,
      { outcome, reason }: { readonly outcome: "succeeded" | "failed"; readonly reason: string }
    ) {
      const at = yield* DateTime.now
      return yield* commands.hear(
        refundNo,
        outcome === "succeeded" ? Confirm.make({ at }) : Reject.make({ at, reason })
      )
    }, Effect.uninterruptible)

    const check = span("Refunds.check")(function* (refundNo: RefundNo) {
      // Whoever reserved it is gone, or will find that it is no longer alone: from here on it is pending.
      const refund = yield* commands.hear(refundNo, Await.make({ at: yield* DateTime.now }))
      if (refund.status !== "pending") return
      const answer = yield* askChannel(refund)
      if (answer._tag === "Succeeded") yield* report(refundNo, { outcome: "succeeded", reason: "" })
      if (answer._tag === "Refused") yield* report(refundNo, { outcome: "failed", reason: answer.reason })
    })

    return Refunds.of({ create, find, annotate, report, check })
  })
)
