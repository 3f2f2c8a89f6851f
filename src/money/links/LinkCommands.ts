/**
 * Sends a command to the owner of its payment link, which carries it out. A visit and the order that it makes are
 * committed together or not at all, so the number of uses is the number of orders.
 */
import { LinkId, OutTradeNo, type TradeNo } from "@coffer/model/Ids"
import { linkKey } from "@coffer/model/Metadata"
import {
  consequences,
  decide,
  evolve,
  LinkClosed,
  LinkCommand,
  LinkConflict,
  type LinkEvent,
  PaymentLink
} from "@coffer/rules/link/PaymentLink"
import type { Order } from "@coffer/rules/order/Order"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { Aggregate } from "../aggregate/Aggregate.ts"
import { makeWriteLoop, type WriteLoop } from "../aggregate/WriteLoop.ts"
import { newOrder } from "../orders/Orders.ts"
import { insertion as orderInsertion } from "../orders/OrderStore.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { Wallets } from "../wallets/Wallets.ts"
import { insertion, LinkStore, replacement } from "./LinkStore.ts"
import { linkView } from "./LinkView.ts"
import { InsufficientBalance } from "@coffer/rules/wallet/post"
import { Answering } from "../../shared/idempotency/Answering.ts"
import { OwnerUnavailable } from "../../platform/cluster/ask.ts"
import { ownerOf } from "../../platform/cluster/owner.ts"
import { CommitError } from "../../platform/commit/Change.ts"

export class LinkNotFound extends Schema.TaggedError<LinkNotFound>()("LinkNotFound", { linkId: Schema.String }) {}

interface LinkKind {
  readonly Id: LinkId
  readonly State: PaymentLink
  readonly Command: LinkCommand
  readonly Fact: LinkEvent
  readonly Refusal: LinkClosed | LinkConflict
  readonly Missing: LinkNotFound
  readonly Related: undefined
}

/** Called on the runner that owns the link. */
export class LinkCommands extends Context.Service<LinkCommands, WriteLoop<LinkKind>>()("@coffer/links/LinkCommands") {}

export const layer = Layer.effect(
  LinkCommands,
  Effect.gen(function* () {
    const store = yield* LinkStore
    const wallets = yield* Wallets
    const { publicUrl } = yield* Settings

    const load = Effect.fnUntraced(function* (linkId: LinkId) {
      const stored = yield* store.load(linkId)
      return Option.isSome(stored) ? stored.value : yield* new LinkNotFound({ linkId })
    })

    const aggregate: Aggregate<LinkKind> = {
      idOf: ({ linkId }) => linkId,
      load,
      decide,
      evolve,
      consequences,
      insertion,
      replacement,
      view: (link) => linkView(link, publicUrl),
      creates: (link, fact) => (fact._tag === "LinkVisited" ? [orderInsertion(orderOfVisit(link, fact))] : []),
      attemptsMax: 4,
      owned: { kind: "payment_links", rememberedMax: 1_024 }
    }
    return yield* makeWriteLoop(aggregate, { post: wallets.postAsOwner })
  })
)

interface Visit {
  readonly tradeNo: TradeNo
  readonly ordinal: number
}

/** The order that a visit makes (spec: Payment link; silences: L4, L6). */
const orderOfVisit = (link: PaymentLink, { ordinal, tradeNo }: Visit): Order => {
  const terms = {
    amount: link.amount,
    currency: link.currency,
    out_trade_no: OutTradeNo.make(`${link.linkId}_${ordinal}`),
    metadata: { ...link.metadata, [linkKey]: link.linkId },
    ...(link.subject === null ? {} : { subject: link.subject }),
    ...(link.notifyUrl === null ? {} : { notify_url: link.notifyUrl }),
    ...(link.returnUrl === null ? {} : { return_url: link.returnUrl }),
    ...(link.capture === "manual" ? { capture: link.capture } : {})
  }
  return newOrder(link, terms, tradeNo)
}

// Messages to its owner -----------------------------------------------------------
// The owner takes visits one at a time, so that `max_uses` is exact under concurrent visits; the row's version is the
// fence when two runners believe they own the link.

export const {
  ask: askLink,
  layer: layerSlots,
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
