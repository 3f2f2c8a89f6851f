/** Workers of the sandbox's bank: they repeat its reports that the service has not acknowledged. */
import { Effect, Layer } from "effect"
import { Disputes } from "../../money/disputes/Disputes.ts"
import { Orders } from "../../money/orders/Orders.ts"
import { dueWork, Workers } from "../../platform/jobs/Workers.ts"
import { forEachLeased } from "../../platform/jobs/forEachLeased.ts"
import { SandboxBank } from "./SandboxBank.ts"
import { SandboxDisputes } from "./SandboxDisputes.ts"

const paymentReports = Effect.gen(function* () {
  const workers = yield* Workers
  const orders = yield* Orders
  const bank = yield* SandboxBank

  yield* workers.supervise(() => ({
    name: "sandbox reports",
    wakeup: "sandbox_reports",
    ...dueWork(bank.reports, (due) =>
      forEachLeased(
        "the bank's report about order",
        due,
        ({ tradeNo }) => tradeNo,
        ({ payment, tradeNo }) =>
          Effect.andThen(
            Effect.flatMap(orders.byTradeNo(tradeNo), (order) =>
              // The order can hold no more payments (silences: O41), so the bank does not report this one.
              Effect.catchTags(orders.report(order, { _tag: "Succeeded", payment }), {
                OrderConflict: () => Effect.succeed(order)
              })
            ),
            bank.acknowledge(payment.paymentId)
          ),
        () => bank.tried(due.map(({ payment }) => payment.paymentId))
      )
    )
  }))
})

const disputeReports = Effect.gen(function* () {
  const workers = yield* Workers
  const disputes = yield* Disputes
  const bank = yield* SandboxDisputes

  yield* workers.supervise(() => ({
    name: "sandbox dispute reports",
    wakeup: "sandbox_reports",
    ...dueWork(bank.reports, (due) =>
      forEachLeased(
        "the bank's report about dispute",
        due,
        ({ processorDisputeId }) => processorDisputeId,
        (report) => disputes.handleReports(report, bank.acknowledge),
        () => bank.tried(due.map(({ processorDisputeId }) => processorDisputeId))
      )
    )
  }))
})

export const layer = Layer.effectDiscard(Effect.all([paymentReports, disputeReports], { discard: true }))
