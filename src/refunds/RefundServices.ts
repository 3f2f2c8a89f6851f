/** What the operations of refunds share: services, and the ways to find a refund and to ask the channel. */
import type { RefundNo } from "@coffer/model/Ids"
import type { Refund } from "@coffer/rules/refund/Refund"
import { Effect, FiberMap, Option } from "effect"
import type { ChannelUnreachable } from "../channel/Channel.ts"
import { type RefundAnswer, RefundChannel } from "../channel/RefundChannel.ts"
import { Orders } from "../orders/Orders.ts"
import type { Account } from "@coffer/model/Account"
import { Runs } from "../platform/cluster/Runs.ts"
import { millisForChannel } from "../platform/runtime/Deadline.ts"
import { Faults } from "../platform/runtime/Faults.ts"
import { NewIds } from "../platform/runtime/NewIds.ts"
import type { Answered, DriveFailure } from "./refundAnswers.ts"
import { RefundCommands } from "./RefundCommands.ts"
import { RefundNotFound } from "./refundErrors.ts"
import { RefundStore } from "./RefundStore.ts"

/** After this nobody knows what the channel did, and it is asked again later. Less than a claim's lease. */
const channelMillis = 15_000

export const refundServices = Effect.gen(function* () {
  const store = yield* RefundStore
  const channel = yield* RefundChannel
  const faults = yield* Faults

  return {
    store,
    commands: yield* RefundCommands,
    orders: yield* Orders,
    ids: yield* NewIds,
    runs: yield* Runs,
    /** What outlives the request that it was begun for. */
    scope: yield* Effect.scope,
    /** Refunds that are being driven to their first answer. */
    driving: yield* FiberMap.make<RefundNo, Answered, DriveFailure>(),

    find: Effect.fnUntraced(function* (account: Account, ref: string) {
      const stored = yield* store.resolve(account, ref)
      return Option.isSome(stored) ? stored.value.refund : yield* new RefundNotFound({ ref })
    }),
    askChannel: (refund: Refund): Effect.Effect<RefundAnswer, ChannelUnreachable> =>
      Effect.flatMap(millisForChannel(channelMillis), (duration) =>
        faults
          .around("RefundChannel.refund", channel.refund(refund))
          .pipe(Effect.timeoutOrElse({ duration, orElse: () => Effect.succeed({ _tag: "Pending" as const }) }))
      )
  }
})

export type RefundServices = Effect.Success<typeof refundServices>
