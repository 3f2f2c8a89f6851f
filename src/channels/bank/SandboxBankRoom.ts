/** The bank of the sandbox as a channel: payments, refunds and disputes in its own tables, with simulated buyers. */
import { prefixes } from "@coffer/model/Ids"
import { paymentDeclinesMax } from "@coffer/model/Limits"
import { Effect, Layer } from "effect"
import { Channel, type Pretended } from "../../shared/channel/Channel.ts"
import { jobs } from "../../platform/jobs/Opening.ts"
import { sandboxChannel } from "./name.ts"
import * as SandboxBank from "./SandboxBank.ts"
import * as SandboxBankJobs from "./SandboxBankJobs.ts"
import { makeSandboxDisputeDesk } from "./sandboxDisputeDesk.ts"
import * as SandboxDisputes from "./SandboxDisputes.ts"
import * as SandboxRefunds from "./SandboxRefunds.ts"
import { makeSandboxHolds, makeScript } from "./sandboxHolds.ts"
import { makeSandboxReturns } from "./sandboxReturns.ts"

/** The last rank: it takes the payments that no acquirer takes. */
const rank = 100

const layerRegistration = Layer.effectDiscard(
  Effect.gen(function* () {
    const bank = yield* SandboxBank.SandboxBank
    const disputes = yield* SandboxDisputes.SandboxDisputes
    const { holds, ...bankHolds } = yield* makeSandboxHolds
    const { refund, settle } = yield* SandboxRefunds.SandboxRefunds
    const pretended: Pretended = {
      charge: yield* SandboxBank.makePay,
      capture: yield* makeScript({ holds, ...bankHolds }),
      pausedUntil: ({ declines, status, tradeNo }) =>
        status === "pending" && declines >= paymentDeclinesMax ? bank.pausedUntil(tradeNo) : Effect.succeedNone,
      hasPaid: bank.hasPaid,
      dispute: disputes.open,
      resolve: disputes.resolve,
      acknowledge: disputes.acknowledge,
      settle,
      rejection: SandboxRefunds.rejection,
      setReachable: bank.setReachable
    }
    yield* (yield* Channel).register({
      name: sandboxChannel,
      title: "the sandbox's bank",
      rank,
      takes: ({ mode }) => Effect.succeed(mode === "sandbox"),
      pretended,
      ...(yield* makeSandboxReturns(holds)),
      holds,
      refund,
      disputes: yield* makeSandboxDisputeDesk,
      paymentNumbers: {
        prefix: prefixes.payment,
        among: (sql, number) => sql`trade_no in (select trade_no from sandbox_payments where payment_id = ${number})`
      }
    })
  })
)

export const layer = Layer.merge(layerRegistration, jobs(SandboxBankJobs.layer)).pipe(
  Layer.provideMerge(Layer.mergeAll(SandboxBank.layer, SandboxDisputes.layer, SandboxRefunds.layer))
)
