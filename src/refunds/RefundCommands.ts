/**
 * Carries out a command to a refund. Its consequences for the order and the wallet are committed with it. There is no
 * owner (docs/decisions/0006): the row's version is the fence, and the second writer decides again.
 */
import { RefundNo } from "@coffer/model/Ids"
import type { RefundRefused } from "@coffer/rules/order/Order"
import {
  consequences,
  decide,
  evolve,
  Refund,
  RefundCommand,
  type RefundConflict,
  type RefundEvent,
  reserving
} from "@coffer/rules/refund/Refund"
import type { InsufficientBalance } from "@coffer/rules/wallet/post"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { Aggregate } from "../aggregate/Aggregate.ts"
import { makeWriteLoop, withoutEntry, type WriteFailure } from "../aggregate/WriteLoop.ts"
import { makeAlarmOfContradiction } from "../channel/contradiction.ts"
import { type Answering, Renewal, renewalOf } from "../idempotency/Answering.ts"
import type { OrderNotFound } from "../orders/OrderCommands.ts"
import { Orders } from "../orders/Orders.ts"
import type { AlreadyExists } from "../platform/commit/Change.ts"
import { span } from "../platform/runtime/span.ts"
import { instruct, instructionKind, Instructions, performedCommand } from "../wallets/Instructions.ts"
import { Wallets } from "../wallets/Wallets.ts"
import { insertion, replacement, RefundStore } from "./RefundStore.ts"
import { refundView } from "./RefundView.ts"

interface RefundKind {
  readonly Id: RefundNo
  readonly State: Refund
  readonly Command: RefundCommand
  readonly Fact: RefundEvent
  readonly Refusal: RefundConflict
  readonly Missing: never
  readonly Related: undefined
}

const ReservedRefund = Refund.members[0]
export type ReservedRefund = typeof ReservedRefund.Type

const newRefund = instructionKind(
  "new_refund",
  Schema.Struct({ refund: ReservedRefund, renewal: Schema.optional(Renewal) })
)

/** The amount is promised before the channel is asked. */
const promised = ({ amount, createdAt, requestedAmount }: Refund) =>
  reserving(amount, requestedAmount === null, createdAt)

export class RefundCommands extends Context.Service<
  RefundCommands,
  {
    /** A refund that is there. */
    readonly load: (refundNo: RefundNo) => Effect.Effect<Refund>
    /** A new one, with what it promises. The claim of its request is renewed with it. */
    readonly create: (
      refund: ReservedRefund,
      renewal: Renewal | undefined
    ) => Effect.Effect<Refund, RefundRefused | InsufficientBalance | AlreadyExists | OrderNotFound | WriteFailure>
    /** The answer to the request is committed with the change. */
    readonly perform: (
      refundNo: RefundNo,
      command: RefundCommand,
      answer?: Answering
    ) => Effect.Effect<Refund, RefundConflict | WriteFailure>
    /** The channel's word. A word that contradicts an earlier one raises an alarm and changes nothing. */
    readonly handleReport: (
      refundNo: RefundNo,
      command: RefundCommand,
      answer?: Answering
    ) => Effect.Effect<Refund, WriteFailure>
  }
>()("@coffer/refunds/RefundCommands") {}

export const layer = Layer.effect(
  RefundCommands,
  Effect.gen(function* () {
    const store = yield* RefundStore
    const orders = yield* Orders
    const wallets = yield* Wallets
    const alarmOfContradiction = yield* makeAlarmOfContradiction

    const load = Effect.fnUntraced(function* (refundNo: RefundNo) {
      const stored = yield* store.load(refundNo)
      // Its number came from us, and no refund is ever removed.
      if (Option.isNone(stored)) return yield* Effect.die(`there is no refund ${refundNo}`)
      return { state: stored.value.refund, version: stored.value.version }
    })

    const aggregate: Aggregate<RefundKind> = {
      idOf: ({ refundNo }) => refundNo,
      load,
      decide,
      evolve,
      consequences,
      insertion,
      replacement: ({ state, version }, after) => replacement({ refund: state, version }, after),
      view: refundView,
      orderOf: (refund) => refund,
      instruction: performedCommand("refund", RefundNo, RefundCommand),
      attemptsMax: 8,
      outlivesRequest: true
    }
    const loop = yield* makeWriteLoop(aggregate, {
      post: wallets.post,
      order: orders.perform
    })

    yield* (yield* Instructions).define(newRefund, ({ refund, renewal }) =>
      loop.carryOutNew(refund, promised(refund), { changes: renewalOf(renewal) })
    )

    const perform = span("RefundCommands.perform")(
      function* (refundNo: RefundNo, command: RefundCommand, answer?: Answering) {
        return yield* loop.perform(refundNo, command, { answer })
      },
      // A refund that exists has a paid order and money that was promised to it.
      Effect.catchTags({
        ...withoutEntry,
        OrderConflict: Effect.die,
        OrderNotFound: Effect.die,
        RefundRefused: Effect.die
      })
    )

    const loadState = (refundNo: RefundNo) => Effect.map(load(refundNo), ({ state }) => state)

    return RefundCommands.of({
      load: loadState,
      create: (refund, renewal) => {
        const birth = { changes: renewalOf(renewal), instruction: instruct(newRefund, { refund, renewal }) }
        return Effect.catchTags(loop.create(refund, promised(refund), birth), { OrderConflict: Effect.die })
      },
      perform,
      handleReport: (refundNo, command, answer) =>
        Effect.catchTags(perform(refundNo, command, answer), {
          RefundConflict: ({ reason }) =>
            Effect.tap(loadState(refundNo), ({ mode }) =>
              alarmOfContradiction(mode, { refund_no: refundNo, said: command._tag, reason })
            )
        })
    })
  })
)
