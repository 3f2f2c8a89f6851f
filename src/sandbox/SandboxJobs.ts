/**
 * Workers of the sandbox. They repeat reports of its bank that the service has not acknowledged, and finish the seeding
 * of a new sandbox that failed or was interrupted (silences: R2).
 */
import { Effect, Layer } from "effect"
import { currentTime } from "../platform/runtime/clock.ts"
import { Disputes } from "../disputes/Disputes.ts"
import { Orders } from "../orders/Orders.ts"
import { MerchantClocks } from "../platform/runtime/MerchantClocks.ts"
import { dueWork } from "../platform/jobs/dueWork.ts"
import { leasedMax, forEachLeased } from "../platform/jobs/forEachLeased.ts"
import { Workers } from "../platform/jobs/Workers.ts"
import { SandboxBank } from "../channels/sandbox/SandboxBank.ts"
import { SandboxDisputes } from "../channels/sandbox/SandboxDisputes.ts"
import { Seeds } from "./Seeds.ts"
import { SeedStore } from "./SeedStore.ts"

/** Less than the lease of a seed. */
const seedingMax = "50 seconds"

const paymentReports = Effect.gen(function* () {
  const workers = yield* Workers
  const orders = yield* Orders
  const bank = yield* SandboxBank

  yield* workers.supervise(() => ({
    name: "sandbox reports",
    wakeup: "sandbox_reports",
    ...dueWork(bank, (due) =>
      forEachLeased(
        "the bank's report about order",
        due,
        ({ tradeNo }) => tradeNo,
        ({ payment, tradeNo }) =>
          Effect.andThen(
            Effect.flatMap(orders.byTradeNo(tradeNo), (order) =>
              // The order keeps no more payments (silences: O41), so the bank keeps this one to itself.
              Effect.catchTags(orders.report(order, { _tag: "Succeeded", payment }), {
                OrderConflict: () => Effect.succeed(order)
              })
            ),
            bank.acknowledge(payment.paymentId)
          ),
        () => bank.tried(due.map(({ payment }) => payment.paymentId))
      )
    ),
    next: bank.nextReport,
    backlog: bank.backlog
  }))
})

const disputeReports = Effect.gen(function* () {
  const workers = yield* Workers
  const disputes = yield* Disputes
  const bank = yield* SandboxDisputes

  yield* workers.supervise(() => ({
    name: "sandbox dispute reports",
    wakeup: "sandbox_reports",
    ...dueWork(bank, (due) =>
      forEachLeased(
        "the bank's report about dispute",
        due,
        ({ processorDisputeId }) => processorDisputeId,
        (report) => Effect.andThen(disputes.handleReport(report), bank.acknowledge(report.processorDisputeId)),
        () => bank.tried(due.map(({ processorDisputeId }) => processorDisputeId))
      )
    ),
    next: bank.nextReport,
    backlog: bank.backlog
  }))
})

const seeding = Effect.gen(function* () {
  const workers = yield* Workers
  const store = yield* SeedStore
  const seeds = yield* Seeds
  const clocks = yield* MerchantClocks

  yield* workers.supervise(() => ({
    name: "seeding",
    wakeup: "sandbox_seeds",
    run: Effect.gen(function* () {
      const due = yield* store.leaseDue(yield* currentTime, leasedMax)
      return yield* forEachLeased(
        "the sandbox of merchant",
        due,
        (merchantId) => merchantId,
        (merchantId) => clocks.within({ merchantId, mode: "sandbox" }, seeds.finish(merchantId)),
        undefined,
        seedingMax
      )
    }),
    next: store.nextDue,
    backlog: store.backlog
  }))
})

export const layer = Layer.effectDiscard(Effect.all([paymentReports, disputeReports, seeding], { discard: true }))
