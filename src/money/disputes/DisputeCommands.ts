/**
 * Sends a command to the owner of its dispute, which carries it out. `@coffer/rules/dispute/decide` says whether it is
 * allowed and what follows. The order's and the wallet's half are committed with the dispute's own, or none of them is.
 */
import { DisputeNo } from "@coffer/model/Ids"
import { consequences, decideBeside, evolve, opening } from "@coffer/rules/dispute/decide"
import {
  Dispute,
  DisputeCommand,
  DisputeConflict,
  DisputeContradicted,
  type DisputeEvent
} from "@coffer/rules/dispute/Dispute"
import { keptAfter, nothingKept } from "@coffer/rules/dispute/evidence"
import type { RefundRefused } from "@coffer/rules/order/Order"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { Aggregate } from "../aggregate/Aggregate.ts"
import { makeWriteLoop, type PerformOptions, withoutEntry, type WriteFailure } from "../aggregate/WriteLoop.ts"
import type { OrderNotFound } from "../orders/OrderCommands.ts"
import { Orders } from "../orders/Orders.ts"
import { type AlreadyExists, NotCommitted } from "../../platform/commit/Change.ts"
import { instruct, instructionKind, Instructions, performedSchema } from "../wallets/Instructions.ts"
import { Wallets } from "../wallets/Wallets.ts"
import { DisputeStore, evidenceChange, insertion, replacement, type StoredEvidence } from "./DisputeStore.ts"
import { disputeView } from "./DisputeView.ts"
import { Answering } from "../../shared/idempotency/Answering.ts"
import { OwnerUnavailable } from "../../platform/cluster/ask.ts"
import { ownerOf } from "../../platform/cluster/owner.ts"

export class DisputeNotFound extends Schema.TaggedError<DisputeNotFound>()("DisputeNotFound", {
  ref: Schema.String
}) {}

interface DisputeKind {
  readonly Id: DisputeNo
  readonly State: Dispute
  readonly Command: DisputeCommand
  readonly Fact: DisputeEvent
  readonly Refusal: DisputeConflict | DisputeContradicted
  readonly Missing: DisputeNotFound
  readonly Related: StoredEvidence
}

export class DisputeCommands extends Context.Service<
  DisputeCommands,
  {
    /** Called on the runner that owns the dispute. */
    readonly perform: (
      disputeNo: DisputeNo,
      command: DisputeCommand,
      options: PerformOptions
    ) => Effect.Effect<Dispute, DisputeConflict | DisputeContradicted | DisputeNotFound | WriteFailure>
    /** Opens a dispute. A new one has no owner yet: the unique index on the channel's number is the guard. */
    readonly open: (
      dispute: typeof NewDispute.Type
    ) => Effect.Effect<Dispute, RefundRefused | AlreadyExists | OrderNotFound | WriteFailure>
  }
>()("@coffer/disputes/DisputeCommands") {}

export const layer = Layer.effect(
  DisputeCommands,
  Effect.gen(function* () {
    const store = yield* DisputeStore
    const orders = yield* Orders
    const wallets = yield* Wallets

    const load = Effect.fnUntraced(function* (disputeNo: DisputeNo) {
      const stored = yield* store.load(disputeNo)
      if (Option.isNone(stored)) return yield* new DisputeNotFound({ ref: disputeNo })
      return stored.value
    })

    const aggregate: Aggregate<DisputeKind> = {
      idOf: ({ disputeNo }) => disputeNo,
      load,
      decide: (dispute, command, { kept } = noEvidenceYet) => decideBeside(dispute, command, kept),
      evolve,
      consequences,
      insertion,
      replacement,
      view: disputeView,
      orderOf: (dispute) => dispute,
      related: { read: store.evidence, changes: evidenceChanges },
      instruction: performedSchema("dispute", DisputeNo, DisputeCommand),
      attemptsMax: 2,
      owned: { kind: "disputes", rememberedMax: 1_024 }
    }
    const loop = yield* makeWriteLoop(aggregate, {
      post: wallets.post,
      order: orders.perform
    })

    yield* (yield* Instructions).define(newDispute, (dispute) => loop.carryOutNew(dispute, opening(dispute)))

    return DisputeCommands.of({
      perform: (disputeNo, command, options) =>
        Effect.catchTags(loop.perform(disputeNo, command, options), dieIfImpossible),
      open: (dispute) =>
        Effect.catchTags(loop.create(dispute, opening(dispute), { instruction: instruct(newDispute, dispute) }), {
          OrderConflict: Effect.die,
          InsufficientBalance: Effect.die
        })
    })
  })
)

const NewDispute = Dispute.members[0]
const newDispute = instructionKind("new_dispute", NewDispute)

/**
 * Refusals that cannot happen: a dispute has a paid order, and a bank may take more than the balance (silences: D9).
 */
const dieIfImpossible = {
  ...withoutEntry,
  OrderNotFound: Effect.die,
  OrderConflict: Effect.die,
  RefundRefused: Effect.die
} as const

const noEvidenceYet: StoredEvidence = { kept: nothingKept, version: 0 }

/** The row of the evidence, when the facts touch it. */
const evidenceChanges = (disputeNo: DisputeNo, before: StoredEvidence, facts: ReadonlyArray<DisputeEvent>) => {
  const kept = facts.reduce((evidence, fact) => keptAfter(fact)?.(evidence) ?? evidence, before.kept)
  return kept === before.kept ? [] : [evidenceChange(disputeNo, before, kept)]
}

// Messages to its owner -----------------------------------------------------------

export const {
  ask: askDispute,
  layer: layerSlots,
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
