/**
 * One kind of object (an order, a refund, a dispute, a payout) as the write loop needs it. All of it but the two
 * reads is plain and synchronous. The rules come from `@coffer/rules`, the rows from the store of the room.
 */
import type { Consequence } from "@coffer/rules/Consequence"
import type { Decision } from "@coffer/rules/Decision"
import type { WalletName } from "@coffer/rules/wallet/Wallet"
import type { DateTime, Effect } from "effect"
import type { Recorded } from "../../webhooks/events/Events.ts"
import type { Change, ChangeSet } from "../../platform/commit/Change.ts"
import type { InstructionKind, PerformedCommand } from "../wallets/Instructions.ts"

/** The types of one kind of object. */
export interface Kind {
  readonly Id: string
  readonly State: WalletName
  readonly Command: unknown
  readonly Fact: unknown
  readonly Refusal: object
  /** The failure of loading an object that does not exist. */
  readonly Missing: unknown
  /** The related row of the object; undefined if it has none. */
  readonly Related: unknown
}

/** An object and the version of its row. */
export interface Stored<State> {
  readonly state: State
  readonly version: number
}

export interface Aggregate<K extends Kind> {
  readonly idOf: (state: K["State"]) => K["Id"]
  readonly load: (id: K["Id"]) => Effect.Effect<Stored<K["State"]>, K["Missing"]>
  readonly decide: (
    state: K["State"],
    command: K["Command"],
    related: K["Related"] | undefined
  ) => Decision<K["Fact"], K["Refusal"]>
  readonly evolve: (state: K["State"], fact: K["Fact"]) => K["State"]
  readonly consequences: (before: K["State"], fact: K["Fact"]) => Consequence
  readonly insertion: (state: K["State"]) => Change
  readonly replacement: (before: Stored<K["State"]>, after: K["State"], now: DateTime.Utc) => Change
  /** The object on the wire: in its events, and in the answer to the request that changed it. */
  readonly view: (state: K["State"]) => object
  /** The order that the events belong to. None only for an aggregate that announces nothing. */
  readonly orderOf?: (state: K["State"]) => Pick<Recorded, "tradeNo" | "notifyUrl">
  /** The related row is read before a decision, changes with the object, and is fenced by its own version. */
  readonly related?: {
    readonly read: (id: K["Id"]) => Effect.Effect<K["Related"]>
    readonly changes: (id: K["Id"], before: K["Related"], facts: ReadonlyArray<K["Fact"]>) => ChangeSet
  }
  /** The rows of other objects that a fact creates, such as the order of a visit to a link. */
  readonly creates?: (after: K["State"], fact: K["Fact"]) => ChangeSet
  /** How a command is sent to another runner. None only for an aggregate that moves no money and changes no order. */
  readonly instruction?: InstructionKind<PerformedCommand<K["Id"], K["Command"]>>
  /** The alarm that a fact raises, or the count that it adds to, once it is committed. */
  readonly alarm?: (fact: K["Fact"], id: K["Id"]) => Effect.Effect<void> | undefined
  /** How often one command is decided while others write the object. */
  readonly attemptsMax: number
  /**
   * One runner owns each object: it takes the commands for it in turn and remembers this many objects between commands.
   * Undefined where every runner writes them. `kind` is what metrics call such objects.
   */
  readonly owned?: { readonly kind: string; readonly rememberedMax: number }
  /** A channel report is recorded even if another request has taken over the Idempotency-Key. */
  readonly outlivesRequest?: boolean
}
