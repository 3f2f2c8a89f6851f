/** The messages to the owner of a dispute. `DisputeCommands` carries them out. */
import { DisputeNo } from "@coffer/model/Ids"
import { Dispute, DisputeCommand, DisputeConflict, DisputeContradicted } from "@coffer/rules/dispute/Dispute"
import { Effect, Schema } from "effect"
import { Answering } from "../idempotency/Answering.ts"
import { OwnerUnavailable } from "../platform/cluster/ask.ts"
import { ownerOf } from "../platform/cluster/owner.ts"
import { NotCommitted } from "../platform/commit/Change.ts"
import { DisputeCommands, DisputeNotFound } from "./DisputeCommands.ts"

export const {
  ask: askDispute,
  layer,
  messages
} = ownerOf({
  name: "Disputes",
  /** The answer to the request is committed with the change. */
  payload: Schema.Struct({ disputeNo: DisputeNo, command: DisputeCommand, answer: Schema.optional(Answering) }),
  success: Dispute,
  failure: Schema.Union([DisputeConflict, DisputeContradicted, DisputeNotFound, NotCommitted, OwnerUnavailable]),
  keyOf: ({ disputeNo }) => disputeNo,
  perform: Effect.map(
    DisputeCommands,
    (disputes) =>
      ({ command, disputeNo, ...options }) =>
        disputes.perform(disputeNo, command, options)
  )
})
