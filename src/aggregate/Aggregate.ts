/**
 * What the write loop has to know of one kind of object: an order, a refund, a dispute, a payout. All of it but the two
 * reads is plain and synchronous. The rules come from `@coffer/rules`, the rows from the store of the room.
 */
import type { Consequence } from "@coffer/rules/Consequence"
import type { Decision } from "@coffer/rules/Decision"
import type { WalletName } from "@coffer/rules/wallet/Wallet"
import type { DateTime, Effect } from "effect"
import type { Recorded } from "../events/Events.ts"
import type { Change, ChangeSet } from "../platform/commit/Change.ts"

/** An object and the version of its row. */
export interface Stored<State> {
  readonly state: State
  readonly version: number
}

export interface Aggregate<
  Id extends string,
  State extends WalletName,
  Command,
  Fact,
  Refusal extends object,
  Missing,
  Beside = undefined
> {
  readonly idOf: (state: State) => Id
  readonly load: (id: Id) => Effect.Effect<Stored<State>, Missing>
  readonly decide: (state: State, command: Command) => Decision<Fact, Refusal>
  readonly evolve: (state: State, fact: Fact) => State
  readonly consequences: (before: State, fact: Fact) => Consequence
  readonly insertion: (state: State) => Change
  readonly replacement: (before: Stored<State>, after: State, now: DateTime.Utc) => Change
  /** The object on the wire: in its events, and in the answer to the request that changed it. */
  readonly view: (state: State) => object
  /** The order that the events belong to. Only an aggregate that announces nothing has none. */
  readonly orderOf?: (state: State) => Pick<Recorded, "tradeNo" | "notifyUrl">
  /** A row that is kept beside the object and changes with it: read before a decision, and fenced by its own version. */
  readonly beside?: {
    readonly read: (id: Id) => Effect.Effect<Beside>
    readonly changes: (id: Id, before: Beside, facts: ReadonlyArray<Fact>) => ChangeSet
  }
  /** What somebody has to be told of a fact once it is committed. */
  readonly alarm?: (fact: Fact) => Effect.Effect<void> | undefined
  /** How often one command is decided while others write the object. */
  readonly attemptsMax: number
  /** How many objects are remembered between commands; 0 where others than one actor write them. */
  readonly rememberedMax: number
  /** What the channel did is recorded also when somebody else has taken the request's Idempotency-Key over. */
  readonly outlivesRequest?: boolean
}
