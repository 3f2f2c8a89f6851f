/** What the operations of disputes share: services, and the ways to find a dispute and to give it a command. */
import type { DisputeNo } from "@coffer/model/Ids"
import type { DisputeCommand } from "@coffer/rules/dispute/Dispute"
import { Effect, Option } from "effect"
import { makeAlarmOfContradiction } from "../channel/contradiction.ts"
import { DisputeChannel } from "../channel/DisputeChannel.ts"
import { Files } from "../files/Files.ts"
import type { Answering } from "../idempotency/Answering.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { Orders } from "../orders/Orders.ts"
import { ask } from "../platform/cluster/ask.ts"
import type { Account } from "@coffer/model/Account"
import { Faults } from "../platform/runtime/Faults.ts"
import { NewIds } from "../platform/runtime/NewIds.ts"
import { DisputeCommands, DisputeNotFound } from "./DisputeCommands.ts"
import { askDispute } from "./DisputeEntity.ts"
import { DisputeStore, type StoredDispute } from "./DisputeStore.ts"

export const disputeServices = Effect.gen(function* () {
  const store = yield* DisputeStore
  const tell = yield* askDispute
  const alarmOfContradiction = yield* makeAlarmOfContradiction

  const found = (ref: string, stored: Option.Option<StoredDispute>) =>
    Option.isSome(stored) ? Effect.succeed(stored.value.dispute) : Effect.fail(new DisputeNotFound({ ref }))
  const load = (disputeNo: DisputeNo) => Effect.flatMap(store.load(disputeNo), (stored) => found(disputeNo, stored))

  return {
    store,
    load,
    commands: yield* DisputeCommands,
    orders: yield* Orders,
    channel: yield* DisputeChannel,
    merchants: yield* Merchants,
    files: yield* Files,
    ids: yield* NewIds,
    faults: yield* Faults,
    find: (account: Account, ref: string) =>
      Effect.flatMap(store.resolve(account, ref), (stored) => found(ref, stored)),
    /** The owner records a contradiction; this raises the alarm (silences: D1). */
    perform: (disputeNo: DisputeNo, command: DisputeCommand, answer?: Answering) =>
      Effect.catchTags(ask(tell({ disputeNo, command, answer })), {
        DisputeContradicted: ({ processorStatus, status }) =>
          Effect.tap(load(disputeNo), ({ mode }) =>
            alarmOfContradiction(mode, { dispute_no: disputeNo, status, processor_status: processorStatus })
          )
      })
  }
})

export type DisputeServices = Effect.Success<typeof disputeServices>
