/**
 * One actor per payment link. It takes visits one at a time, so that `max_uses` is exact also when many come at once;
 * the row's version is the fence when two runners believe they own the link.
 */
import { LinkId } from "@coffer/model/Ids"
import { LinkClosed, LinkCommand, LinkConflict, PaymentLink } from "@coffer/rules/link/PaymentLink"
import { InsufficientBalance } from "@coffer/rules/wallet/post"
import { Effect, Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Answering } from "../idempotency/Answering.ts"
import { ActorUnavailable } from "../platform/cluster/ask.ts"
import { entityLayer } from "../platform/cluster/entityLayer.ts"
import { localPayload } from "../platform/cluster/localPayload.ts"
import { CommitError } from "../platform/commit/Change.ts"
import { LinkCommands, LinkNotFound } from "./LinkCommands.ts"

export const LinkEntity = Entity.make("PaymentLink", [
  Rpc.make("Perform", {
    payload: localPayload({ command: LinkCommand, answer: Schema.optional(Answering) }),
    success: PaymentLink,
    error: Schema.Union([
      LinkClosed,
      LinkConflict,
      LinkNotFound,
      InsufficientBalance,
      ActorUnavailable,
      ...CommitError.members
    ])
  })
])

const prepare = Effect.map(LinkCommands, ({ perform }) =>
  Effect.map(Entity.CurrentAddress, ({ entityId }) =>
    LinkEntity.of({ Perform: ({ payload }) => perform(LinkId.make(entityId), payload.command, payload) })
  )
)

export const layer = entityLayer(LinkEntity, prepare, {
  mailboxCapacity: 1_024,
  maxIdleTime: "1 minute",
  disableFatalDefects: true
})
