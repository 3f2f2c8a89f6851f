/**
 * One actor per dispute, addressed by dispute number: it loads, decides, commits and replies. Whether something is
 * allowed is written in `@coffer/rules/dispute/decide`, what it moves in `entryOf`; the order's and the wallet's half
 * are committed with the dispute's own, or none of them is.
 */
import { DisputeNo } from "@coffer/model/Ids"
import { decide } from "@coffer/rules/dispute/decide"
import {
  Dispute,
  DisputeCommand,
  DisputeConflict,
  DisputeContradicted,
  type DisputeEvent
} from "@coffer/rules/dispute/Dispute"
import { consequenceOf } from "@coffer/rules/dispute/entryOf"
import { keptAfter } from "@coffer/rules/dispute/evidence"
import { evolve } from "@coffer/rules/dispute/evolve"
import type { OrderCommand } from "@coffer/rules/order/Order"
import type { Movement } from "@coffer/rules/wallet/post"
import { type DateTime, Effect, Option, Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Events } from "../events/Events.ts"
import { entityLayer } from "../platform/cluster/entityLayer.ts"
import { ActorUnavailable } from "../platform/cluster/ask.ts"
import { type Change, NotCommitted } from "../platform/commit/Change.ts"
import { answering, Claim } from "../idempotency/IdempotencyClaim.ts"
import { localPayload } from "../platform/cluster/localPayload.ts"
import { Transactor } from "../platform/commit/Transactor.ts"
import { Orders } from "../orders/Orders.ts"
import { DisputeStore, evidenceChange, replacement, type StoredDispute } from "./DisputeStore.ts"
import { disputeView } from "./DisputeView.ts"

export class DisputeNotFound extends Schema.TaggedError<DisputeNotFound>()("DisputeNotFound", {
  ref: Schema.String
}) {}

export const DisputeEntity = Entity.make("Dispute", [
  Rpc.make("Perform", {
    /** With a claim, the answer to the request is committed with the change. */
    payload: localPayload({ command: DisputeCommand, claim: Schema.optionalKey(Claim) }),
    success: Dispute,
    error: Schema.Union([DisputeConflict, DisputeContradicted, DisputeNotFound, NotCommitted, ActorUnavailable])
  })
])

const prepare = Effect.gen(function* () {
  const store = yield* DisputeStore
  const orders = yield* Orders
  const events = yield* Events
  const transactor = yield* Transactor

  return Effect.gen(function* () {
    const disputeNo = DisputeNo.make((yield* Entity.CurrentAddress).entityId)
    let known: StoredDispute | undefined

    const load = Effect.gen(function* () {
      const stored = yield* store.load(disputeNo)
      if (Option.isNone(stored)) return yield* new DisputeNotFound({ ref: disputeNo })
      return stored.value
    })

    /** The row of the evidence, when the facts touch it. */
    const evidenceChanges = Effect.fnUntraced(function* (facts: ReadonlyArray<DisputeEvent>) {
      const steps = facts.map(keptAfter).filter((step) => step !== undefined)
      if (steps.length === 0) return []
      const stored = yield* store.evidence(disputeNo)
      const kept = steps.reduce((before, step) => step(before), stored.kept)
      return kept === stored.kept ? [] : [evidenceChange(disputeNo, stored, kept)]
    })

    const commit = Effect.fnUntraced(function* (
      before: StoredDispute,
      facts: ReadonlyArray<DisputeEvent>,
      at: DateTime.Utc,
      claim: Claim | undefined
    ) {
      const version = before.version + 1
      const announced: Array<Change> = []
      const movements: Array<Movement> = []
      let order: OrderCommand | undefined
      let dispute = before.dispute
      for (const fact of facts) {
        const consequence = consequenceOf(dispute, fact)
        dispute = evolve(dispute, fact)
        movements.push(...consequence.movements)
        order = consequence.order ?? order
        if (consequence.announced === undefined) continue
        announced.push(
          ...(yield* events.record({
            type: consequence.announced,
            mode: dispute.mode,
            merchantId: dispute.merchantId,
            object: { ...disputeView(dispute) },
            objectId: disputeNo,
            tradeNo: dispute.tradeNo,
            notifyUrl: dispute.notifyUrl,
            sequence: version
          }))
        )
      }
      const changes = [
        replacement(before, dispute, at),
        ...(yield* evidenceChanges(facts)),
        ...announced,
        ...answering(claim, 200, disputeView(dispute))
      ]
      if (order === undefined) yield* transactor.commit(disputeNo, changes)
      else yield* orders.performWith(dispute.tradeNo, order, { movements, reserve: 0, changes })
      return { dispute, version }
    })

    const attempt = Effect.fnUntraced(function* (command: DisputeCommand, claim: Claim | undefined) {
      const before = known ?? (yield* load)
      const decision = decide(before.dispute, command)
      known = undefined
      // A refusal is not an answer to keep.
      const answered = decision.refusal === undefined ? claim : undefined
      const after = decision.events.length === 0 ? before : yield* commit(before, decision.events, command.at, answered)
      if (decision.events.length === 0) {
        yield* transactor.commit(disputeNo, answering(answered, 200, disputeView(after.dispute)))
      }
      // Kept only once it is known to be in the database.
      known = after
      // Commit first: a refusal may come with facts that must not be lost.
      if (decision.refusal !== undefined) return yield* decision.refusal
      return after.dispute
    })

    return DisputeEntity.of({
      Perform: ({ payload: { claim, command } }) =>
        Effect.retry(attempt(command, claim), {
          times: 1,
          // Another runner wrote this dispute: what we knew is old. Load it, then decide again.
          while: (error) =>
            (error._tag === "StaleVersion" || error._tag === "AlreadyExists") && ownTables.has(error.table)
        }).pipe(
          Effect.catchTags({
            StaleVersion: () => new NotCommitted({ reason: "overloaded" }),
            AlreadyExists: () => new NotCommitted({ reason: "overloaded" }),
            MerchantNotFound: Effect.die,
            OrderNotFound: Effect.die,
            OrderConflict: Effect.die,
            // A dispute has a paid order, and a bank takes what it takes (silences: D9).
            RefundRefused: Effect.die,
            InsufficientBalance: Effect.die
          })
        )
    })
  })
})

export const layer = entityLayer(DisputeEntity, prepare, {
  mailboxCapacity: 256,
  // The cluster looks for idle actors of all kinds as often as the shortest of these times, and ends all that it finds
  // in one go. Were it to look every half minute, under load nothing else would be answered for two seconds.
  maxIdleTime: "5 seconds",
  disableFatalDefects: true
})

const ownTables = new Set<string>(["disputes", "dispute_evidence"])
