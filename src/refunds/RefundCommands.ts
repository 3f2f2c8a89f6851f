/**
 * Carries a command out: what was decided about the refund, what follows from it for the order and the wallet, the
 * event, and the answer to the request, in one transaction. The refund's version is the fence: when somebody else has
 * written the refund since it was read, it is read and decided on again.
 */
import type { RefundNo } from "@coffer/model/Ids"
import { decide } from "@coffer/rules/refund/decide"
import { consequenceOf } from "@coffer/rules/refund/entryOf"
import { evolve } from "@coffer/rules/refund/evolve"
import type { Refund, RefundCommand, RefundConflict, RefundEvent } from "@coffer/rules/refund/Refund"
import { Context, Effect, Layer, Option } from "effect"
import { alarmOfContradiction } from "../channel/contradiction.ts"
import { Events } from "../events/Events.ts"
import { type ChangeSet, NotCommitted } from "../platform/commit/Change.ts"
import { answering, type Claim } from "../idempotency/IdempotencyClaim.ts"
import { Transactor } from "../platform/commit/Transactor.ts"
import { span } from "../platform/runtime/span.ts"
import { Orders, type WriteFailure } from "../orders/Orders.ts"
import { Wallets } from "../wallets/Wallets.ts"
import { replacement, RefundStore, type StoredRefund } from "./RefundStore.ts"
import { refundView } from "./RefundView.ts"

export class RefundCommands extends Context.Service<
  RefundCommands,
  {
    /** A refund that is there. */
    readonly load: (refundNo: RefundNo) => Effect.Effect<Refund>
    /** With a claim, the answer to its request is committed with the change. */
    readonly perform: (
      refundNo: RefundNo,
      command: RefundCommand,
      claim?: Claim
    ) => Effect.Effect<Refund, RefundConflict | WriteFailure>
    /** The channel's word. What contradicts its earlier word raises an alarm and changes nothing. */
    readonly hear: (refundNo: RefundNo, command: RefundCommand, claim?: Claim) => Effect.Effect<Refund, WriteFailure>
  }
>()("@coffer/refunds/RefundCommands") {}

/** How often a command is decided anew because others write the same refund. */
const attemptsMax = 8

export const layer = Layer.effect(
  RefundCommands,
  Effect.gen(function* () {
    const store = yield* RefundStore
    const events = yield* Events
    const orders = yield* Orders
    const wallets = yield* Wallets
    const transactor = yield* Transactor

    const load = Effect.fnUntraced(function* (refundNo: RefundNo) {
      const stored = yield* store.load(refundNo)
      // Its number came from us, and no refund is ever removed.
      return Option.isSome(stored) ? stored.value : yield* Effect.die(`there is no refund ${refundNo}`)
    })

    const announce = (refund: Refund, type: "refund.succeeded" | "refund.failed" | undefined, sequence: number) =>
      type === undefined
        ? Effect.succeed<ChangeSet>([])
        : events.record({
            type,
            mode: refund.mode,
            merchantId: refund.merchantId,
            object: { ...refundView(refund) },
            objectId: refund.refundNo,
            tradeNo: refund.tradeNo,
            notifyUrl: refund.notifyUrl,
            sequence
          })

    const commit = Effect.fnUntraced(function* (
      before: StoredRefund,
      event: RefundEvent,
      command: RefundCommand,
      claim: Claim | undefined
    ) {
      const after = evolve(before.refund, event)
      const { announced, movements, order, reserve } = consequenceOf(before.refund, event)
      const changes = [
        replacement(before, after),
        ...(yield* announce(after, announced, before.version + 1)),
        ...answering(claim, codeOf(after, command), refundView(after))
      ]
      if (order !== undefined) yield* orders.performWith(after.tradeNo, order, { movements, reserve, changes })
      else if (movements.length > 0) yield* wallets.post(after, { movements, reserve, changes })
      else yield* transactor.commit(after.refundNo, changes)
      return after
    })

    const attempt = Effect.fnUntraced(function* (refundNo: RefundNo, command: RefundCommand, claim: Claim | undefined) {
      const before = yield* load(refundNo)
      const { events, refusal } = decide(before.refund, command)
      if (refusal !== undefined) return yield* refusal
      const [event] = events
      if (event === undefined) {
        yield* transactor.commit(refundNo, answering(claim, codeOf(before.refund, command), refundView(before.refund)))
        return before.refund
      }
      return yield* commit(before, event, command, claim)
    })

    const perform = span("RefundCommands.perform")(
      function* (refundNo: RefundNo, command: RefundCommand, claim?: Claim) {
        let held = claim
        for (let tries = 1; tries < attemptsMax; tries++) {
          const outcome = yield* Effect.result(attempt(refundNo, command, held))
          if (outcome._tag === "Success") return outcome.success
          const failure = outcome.failure
          if (failure._tag !== "StaleVersion") return yield* failure
          // The claim was taken over: whoever has it answers. What the channel did is recorded all the same.
          if (failure.table === "idempotency_keys") held = undefined
        }
        return yield* new NotCommitted({ reason: "overloaded" })
      },
      // A refund that exists has a paid order and money that was promised to it.
      Effect.catchTags({
        AlreadyExists: Effect.die,
        InsufficientBalance: Effect.die,
        MerchantNotFound: Effect.die,
        OrderConflict: Effect.die,
        OrderNotFound: Effect.die,
        RefundRefused: Effect.die
      })
    )

    const hear = (refundNo: RefundNo, command: RefundCommand, claim?: Claim) =>
      Effect.catchTags(perform(refundNo, command, claim), {
        RefundConflict: ({ reason }) =>
          Effect.gen(function* () {
            yield* alarmOfContradiction({ refund_no: refundNo, said: command._tag, reason })
            return (yield* load(refundNo)).refund
          })
      })

    return RefundCommands.of({ load: (refundNo) => Effect.map(load(refundNo), ({ refund }) => refund), perform, hear })
  })
)

/** How the request that is answered with this change is answered. */
const codeOf = (after: Refund, command: RefundCommand) => {
  if (command._tag === "Annotate") return 200
  return after.status === "pending" ? 202 : 201
}
