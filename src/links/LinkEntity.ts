/**
 * The messages to the owner of a payment link. It takes visits one at a time, so that `max_uses` is exact also when
 * many come at once; the row's version is the fence when two runners believe they own the link.
 */
import { LinkId } from "@coffer/model/Ids"
import { LinkClosed, LinkCommand, LinkConflict, PaymentLink } from "@coffer/rules/link/PaymentLink"
import { InsufficientBalance } from "@coffer/rules/wallet/post"
import { Effect, Schema } from "effect"
import { Answering } from "../idempotency/Answering.ts"
import { OwnerUnavailable } from "../platform/cluster/ask.ts"
import { ownerOf } from "../platform/cluster/owner.ts"
import { CommitError } from "../platform/commit/Change.ts"
import { LinkCommands, LinkNotFound } from "./LinkCommands.ts"

export const {
  ask: askLink,
  layer,
  messages
} = ownerOf({
  name: "PaymentLinks",
  payload: Schema.Struct({ linkId: LinkId, command: LinkCommand, answer: Schema.optional(Answering) }),
  success: PaymentLink,
  failure: Schema.Union([
    LinkClosed,
    LinkConflict,
    LinkNotFound,
    InsufficientBalance,
    OwnerUnavailable,
    ...CommitError.members
  ]),
  keyOf: ({ linkId }) => linkId,
  perform: Effect.map(
    LinkCommands,
    (links) =>
      ({ command, linkId, ...options }) =>
        links.perform(linkId, command, options)
  )
})
