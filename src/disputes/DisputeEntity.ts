/**
 * One actor per dispute, addressed by dispute number: it takes the commands for one dispute in turn. What a command
 * does is `DisputeCommands`' business.
 */
import { DisputeNo } from "@coffer/model/Ids"
import { Dispute, DisputeCommand, DisputeConflict, DisputeContradicted } from "@coffer/rules/dispute/Dispute"
import { Effect, Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Answering } from "../idempotency/Answering.ts"
import { ActorUnavailable } from "../platform/cluster/ask.ts"
import { entityLayer } from "../platform/cluster/entityLayer.ts"
import { localPayload } from "../platform/cluster/localPayload.ts"
import { NotCommitted } from "../platform/commit/Change.ts"
import { DisputeCommands, DisputeNotFound } from "./DisputeCommands.ts"

export const DisputeEntity = Entity.make("Dispute", [
  Rpc.make("Perform", {
    /** The answer to the request is committed with the change. */
    payload: localPayload({ command: DisputeCommand, answer: Schema.optional(Answering) }),
    success: Dispute,
    error: Schema.Union([DisputeConflict, DisputeContradicted, DisputeNotFound, NotCommitted, ActorUnavailable])
  })
])

const prepare = Effect.map(DisputeCommands, ({ perform }) =>
  Effect.map(Entity.CurrentAddress, ({ entityId }) =>
    DisputeEntity.of({ Perform: ({ payload }) => perform(DisputeNo.make(entityId), payload.command, payload) })
  )
)

export const layer = entityLayer(DisputeEntity, prepare, {
  mailboxCapacity: 256,
  // The cluster looks for idle actors of all kinds as often as the shortest of these times, and ends all that it finds
  // in one go. Were it to look every half minute, under load nothing else would be answered for two seconds.
  maxIdleTime: "5 seconds",
  disableFatalDefects: true
})
