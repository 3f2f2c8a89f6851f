/**
 * A write loop over counts, without a database: a list of outcomes stands for it, so that each failure of a commit
 * comes at will.
 */
import { TradeNo } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import { type Consequence, nothing } from "@coffer/rules/Consequence"
import { accept, refuse } from "@coffer/rules/Decision"
import { OrderCommand, type RefundRefused } from "@coffer/rules/order/Order"
import type { InsufficientBalance, Movement } from "@coffer/rules/wallet/post"
import type { WalletName } from "@coffer/rules/wallet/Wallet"
import { Effect, Schema } from "effect"
import type { Aggregate, Kind } from "../../../src/money/aggregate/Aggregate.ts"
import { makeWriteLoop } from "../../../src/money/aggregate/WriteLoop.ts"
import { Events } from "../../../src/webhooks/events/Events.ts"
import { orders } from "../../../src/money/orders/OrderStore.ts"
import {
  AlreadyExists,
  type Change,
  type ChangeSet,
  type CommitError,
  keyOf,
  StaleVersion
} from "../../../src/platform/commit/Change.ts"
import type { Written } from "../../../src/platform/commit/Table.ts"
import { Transactor } from "../../../src/platform/commit/Transactor.ts"
import { type CarriedOut, Instructions, performedSchema } from "../../../src/money/wallets/Instructions.ts"
import { ledger } from "../../../src/money/wallets/WalletStore.ts"
import { createdAt, pendingOrder } from "./fixtures.ts"

/** A count that goes up by facts, to a limit. */
interface Count extends WalletName {
  readonly id: string
  readonly sum: number
}
export class Full extends Schema.TaggedError<Full>()("Full", {}) {}
export class Missing extends Schema.TaggedError<Missing>()("Missing", {}) {}
interface Add {
  readonly add: number
  /** Refused above it, with the fact that it was tried. */
  readonly atMost?: number
}
interface Counting extends Kind {
  readonly Id: string
  readonly State: Count
  readonly Command: Add
  readonly Fact: number
  readonly Refusal: Full
  readonly Missing: Missing
  readonly Related: string
}

const { currency, merchantId, mode } = pendingOrder
export const count = (sum: number): Count => ({ merchantId, mode, currency, id: "c", sum })
/** An update of a row with this key. */
export const row = ({ columns, keyIndex, name }: Written, key: string, replaces: string | number): Change => ({
  op: "update",
  table: name,
  cells: columns.map((_, index) => (index === keyIndex ? key : null)),
  replaces
})
export const staleOwn = new StaleVersion({ table: "orders", key: "c" })
export const takenOwn = new AlreadyExists({ table: "orders", key: "c" })
export const movement: Movement = { type: "fee_debit", amount: 1, referenceId: "c", description: "" }
export const order = OrderCommand.cases.ReleaseRefund.make({ amount: Minor.make(1) })
const claim = { id: "claim", version: 1, merchantId, mode, fingerprint: "f", createdAt }
export const answer = { claim, codes: { usual: 201, byStatus: {} } }
export const instruction = performedSchema("count", Schema.String, Schema.Struct({ add: Schema.Number }))
export const tradeNo = TradeNo.make(pendingOrder.tradeNo)

type Failure = CommitError | InsufficientBalance | RefundRefused

interface Options extends Partial<Aggregate<Counting>> {
  /** One for each commit in turn; the last is for all that follow. Undefined: it is written. */
  readonly outcomes?: ReadonlyArray<Failure | undefined>
  /** Beside each fact. */
  readonly follows?: Partial<Consequence>
  /** In the database: its sum, by reads. The last is for all that follow. */
  readonly sums?: ReadonlyArray<number>
}

/** The loop, what it did, and the way in for commands that another runner has performed. */
export const makeCounting = Effect.fnUntraced(function* (options: Options = {}) {
  const { follows = {}, outcomes = [], sums = [10], ...aggregate } = options
  const seen = {
    loads: 0,
    recorders: 0,
    alarms: new Array<string>(),
    lanes: new Array<string>(),
    /** The versions of rows beside the object that the sets replace. */
    befores: new Array<string | number>(),
    /** The sets that were to be committed: of updates the version and sum, of other rows their table. */
    sets: new Array<ReadonlyArray<string | number>>(),
    /** The way that each took. */
    ways: new Array<"commit" | "post" | "order">()
  }
  let carryOut: (performed: never) => Effect.Effect<CarriedOut, CommitError> = () => Effect.die("not defined")
  const outcomeOf = (way: "commit" | "post" | "order", changes: ChangeSet) =>
    Effect.suspend(() => {
      const outcome = outcomes[Math.min(seen.sets.length, outcomes.length - 1)]
      for (const change of changes) {
        if (change.op === "update" && keyOf(change).endsWith(" beside")) {
          seen.befores.push(change.replaces)
        }
      }
      seen.ways.push(way)
      seen.sets.push(
        changes.map((change) => ("replaces" in change && change.table === "orders" ? change.replaces : change.table))
      )
      return outcome === undefined ? Effect.void : Effect.fail(outcome)
    })
  const loop = yield* makeWriteLoop<Counting, Failure>(
    {
      idOf: ({ id }) => id,
      load: () =>
        Effect.sync(() => {
          const sum = sums[Math.min(seen.loads++, sums.length - 1)]!
          return { state: count(sum), version: sum }
        }),
      decide: ({ sum }, { add, atMost = Infinity }) =>
        sum + add > atMost ? refuse(new Full(), ...(add > 1 ? [1] : [])) : accept(...(add === 0 ? [] : [add])),
      evolve: (state, fact) => ({ ...state, sum: state.sum + fact }),
      consequences: () => ({ ...nothing, ...follows }),
      insertion: ({ sum }) => row(orders, "c", `new ${sum}`),
      replacement: ({ version }, { sum }) => row(orders, "c", `${version} by ${sum}`),
      view: ({ sum }) => ({ sum }),
      orderOf: () => ({ tradeNo, notifyUrl: null }),
      alarm: (fact, id) => (fact === 7 ? undefined : Effect.sync(() => void seen.alarms.push(`${id} ${fact}`))),
      attemptsMax: 3,
      ...aggregate
    },
    {
      post: (_, { changes }) => outcomeOf("post", changes) as Effect.Effect<void, CommitError | InsufficientBalance>,
      order: (_, __, { changes }) => outcomeOf("order", changes)
    }
  ).pipe(
    Effect.provideService(
      Transactor,
      Transactor.of({
        commit: (lane, changes) =>
          Effect.suspend(() => {
            seen.lanes.push(lane)
            return outcomeOf("commit", changes) as Effect.Effect<void, CommitError>
          }),
        submit: () => undefined,
        stalledMillis: () => 0
      })
    ),
    Effect.provideService(
      Events,
      Events.of({
        recorder: () => Effect.sync(() => (seen.recorders++, ({ type }) => [row(ledger, type, 0)])),
        deliverable: () => ""
      })
    ),
    Effect.provideService(
      Instructions,
      Instructions.of({
        define: (_, handler) => Effect.sync(() => void (carryOut = handler as never)),
        read: Effect.succeed
      })
    )
  )
  return { loop, seen, carryOut: (performed: object) => carryOut(performed as never) }
})
