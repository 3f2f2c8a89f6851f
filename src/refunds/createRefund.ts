/** A merchant asks for a refund: a new one is driven to its answer, and a repeat gets the answer of the first. */
import type { CreateRefund } from "@coffer/contract/Refunds"
import { prefixes, type RefundNo } from "@coffer/model/Ids"
import { patchProblem } from "@coffer/model/Metadata"
import { keptDuration } from "@coffer/rules/idempotency/claim"
import { InvalidField } from "@coffer/rules/InvalidField"
import type { Order, SettledOrder } from "@coffer/rules/order/Order"
import { nextCheck } from "@coffer/rules/refund/nextCheck"
import type { Refund } from "@coffer/rules/refund/Refund"
import { DateTime, Duration, Effect, Fiber, FiberMap, Option } from "effect"
import { currentClaim } from "../idempotency/Answering.ts"
import type { IdempotencyClaim } from "../idempotency/IdempotencyClaim.ts"
import { NotCommitted } from "../platform/commit/Change.ts"
import type { Account } from "@coffer/model/Account"
import { span } from "../platform/runtime/span.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { checkRefund } from "./checkRefund.ts"
import { driveRefund } from "./driveRefund.ts"
import { newRefund } from "./newRefund.ts"
import { fresh, isPassing, isRefusal, type Refusal, repeated } from "./refundAnswers.ts"
import { notPaid, numberRequired, RefundNumberTaken, RefundRunning } from "./refundErrors.ts"
import type { RefundServices } from "./RefundServices.ts"

/** How often all that remains is asked for anew while other refunds of the order change it. */
const attemptsMax = 10

export const createRefund = (services: RefundServices) =>
  span("Refunds.create")(function* (account: Account, body: CreateRefund) {
    const unfit = patchProblem({}, body.metadata ?? {})
    if (unfit !== undefined) return yield* new InvalidField(unfit)
    if (account.mode === "live" && body.out_refund_no === undefined) return yield* numberRequired
    const claim = yield* currentClaim
    let refused: Refusal | undefined
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const order = yield* services.orders.find(account, body.trade_no)
      // Before window, dispute and balance: what was accepted stays accepted (silences: R4).
      const before = yield* earlier(services, account, body, claim)
      if (Option.isSome(before)) {
        const same = yield* again(services, before.value.refund, order, body)
        if (same !== undefined) return same
        continue
      }
      if (refused !== undefined) return yield* refused
      const outcome = yield* Effect.result("paymentId" in order ? begin(services, order, body, claim) : notPaid(order))
      if (outcome._tag === "Success") return outcome.success
      const failure = outcome.failure
      // Refused perhaps because of the first one with this number. Order and wallet decide one after the other, so
      // that one's row is there by now: look again.
      if (isRefusal(failure)) refused = failure
      else if (!isPassing(failure)) return yield* failure
    }
    return yield* new NotCommitted({ reason: "overloaded" })
  })

/** The refund of this very request, or of an earlier one that was sent again. */
const earlier = Effect.fnUntraced(function* (
  { store }: RefundServices,
  account: Account,
  body: CreateRefund,
  claim: IdempotencyClaim | undefined
) {
  if (body.out_refund_no !== undefined) return yield* store.byOutRefundNo(account, body.out_refund_no)
  if (claim === undefined) return Option.none()
  return yield* store.byRequest(claim.id, DateTime.subtractDuration(claim.createdAt, keptDuration))
})

const begin = Effect.fnUntraced(function* (
  services: RefundServices,
  order: SettledOrder,
  body: CreateRefund,
  claim: IdempotencyClaim | undefined
) {
  const { driving, ids, runs } = services
  const refund = newRefund(order, body, yield* ids.next(prefixes.refund), yield* currentTime, claim, runs.own)
  return yield* Fiber.join(yield* FiberMap.run(driving, refund.refundNo, driveRefund(services, refund)))
})

/** A refund with this number exists. A repeat of its request gets its answer; any other request is refused. */
const again = Effect.fnUntraced(function* (services: RefundServices, refund: Refund, order: Order, body: CreateRefund) {
  const outRefundNo = refund.outRefundNo
  if (refund.tradeNo !== order.tradeNo) return yield* new RefundNumberTaken({ outRefundNo, differs: "trade_no" })
  if (refund.requestedAmount !== (body.amount ?? null)) {
    return yield* new RefundNumberTaken({ outRefundNo, differs: "amount" })
  }
  return refund.status === "reserved" ? yield* joined(services, refund) : repeated(refund)
})

/** Waits for the answer of the request that asks the channel. Undefined: it was refused, and its number is free. */
const joined = Effect.fnUntraced(function* (services: RefundServices, refund: Refund) {
  const { commands, driving, runs } = services
  const { refundNo } = refund
  let fiber = Option.getOrUndefined(yield* FiberMap.get(driving, refundNo))
  if (fiber === undefined) {
    // Nobody drives it here: it was settled meanwhile, or another runner drives it, or that runner is dead.
    const now = yield* commands.load(refundNo)
    if (now.status !== "reserved") return repeated(now)
    const lasts = DateTime.distance(yield* currentTime, nextCheck.reservedUntil(refund))
    const isOver = Duration.isLessThanOrEqualTo(lasts, Duration.zero) || (yield* runs.isAbandoned(now.run))
    if (!isOver) return yield* new RefundRunning({ lasts })
    fiber = yield* FiberMap.run(driving, refundNo, finish(services, refundNo), { onlyIfMissing: true })
  }
  // Its row exists, so this cannot fail because its number is taken.
  const { refund: after } = yield* Effect.catchTags(Fiber.join(fiber), { AlreadyExists: Effect.die })
  return repeated(after)
})

/** Checks the refund now, as a worker would later. */
const finish = Effect.fnUntraced(function* (services: RefundServices, refundNo: RefundNo) {
  yield* Effect.catchTags(checkRefund(services, refundNo), { ChannelUnreachable: () => Effect.void })
  return fresh(yield* services.commands.load(refundNo))
})
