/**
 * From a decision to what is committed: one synchronous step without effects. Whatever needs an effect (where events
 * go, the clock, the row beside the object) is read before and comes in as surroundings. Pure.
 */
import type { Consequence } from "@coffer/rules/Consequence"
import type { OrderCommand } from "@coffer/rules/order/Order"
import type { Movement } from "@coffer/rules/wallet/post"
import type { WalletName } from "@coffer/rules/wallet/Wallet"
import type { DateTime } from "effect"
import type { Recorder } from "../events/Events.ts"
import { type Answering, answerOf } from "../idempotency/Answering.ts"
import type { Change, ChangeSet } from "../platform/commit/Change.ts"
import { type Entry, noEntry } from "../wallets/Wallets.ts"
import type { Aggregate, Stored } from "./Aggregate.ts"

/** What a command may bring along. */
export interface Given {
  /** The answer to the request is committed with the change. */
  readonly answer?: Answering | undefined
  /** Money and rows of whoever asks, committed with the change. Where the command changes nothing they are not written. */
  readonly entry?: Entry | undefined
}

export interface Surroundings<Beside> extends Given {
  readonly now: DateTime.Utc
  readonly record: Recorder
  readonly beside: Beside
}

/** All that is committed together. */
export interface Derived<State> extends Entry {
  readonly after: Stored<State>
  /** Those of the changes that are the aggregate's own: when one of them is stale the command is decided again. */
  readonly own: ChangeSet
  /** Undefined when the order stays as it is. */
  readonly order: OrderCommand | undefined
}

type AnyAggregate<Id extends string, State extends WalletName, Fact, Beside> = Pick<
  Aggregate<Id, State, never, Fact, never, never, Beside>,
  "beside" | "consequences" | "evolve" | "idOf" | "orderOf" | "replacement" | "view"
>

/** After an accepted or refused command; without facts only the answer is left. */
export const derive = <Id extends string, State extends WalletName, Fact, Beside>(
  aggregate: AnyAggregate<Id, State, Fact, Beside>,
  before: Stored<State>,
  facts: ReadonlyArray<Fact>,
  surroundings: Surroundings<Beside>
): Derived<State> => {
  const { answer, beside, entry = noEntry, now, record } = surroundings
  if (facts.length === 0) {
    return {
      ...noEntry,
      after: before,
      own: [],
      order: undefined,
      changes: answerOf(answer, aggregate.view(before.state))
    }
  }
  const version = before.version + 1
  const movements: Array<Movement> = []
  const events: Array<Change> = []
  let { state } = before
  let { reserve } = entry
  let order: OrderCommand | undefined
  for (const fact of facts) {
    const consequence = aggregate.consequences(state, fact)
    state = aggregate.evolve(state, fact)
    movements.push(...consequence.movements)
    reserve += consequence.reserve
    order = consequence.order ?? order
    events.push(...announce(aggregate, { state, version }, consequence, record, now))
  }
  const id = aggregate.idOf(state)
  const own = [aggregate.replacement(before, state, now), ...(aggregate.beside?.changes(id, beside, facts) ?? [])]
  return {
    after: { state, version },
    own,
    order,
    movements: [...movements, ...entry.movements],
    reserve,
    changes: [...own, ...events, ...entry.changes, ...answerOf(answer, aggregate.view(state))]
  }
}

/** The event, with the object as it is after that very fact. */
export const announce = <Id extends string, State extends WalletName>(
  aggregate: Pick<AnyAggregate<Id, State, never, never>, "idOf" | "orderOf" | "view">,
  { state, version }: Stored<State>,
  { announced }: Consequence,
  record: Recorder,
  now: DateTime.Utc
): ChangeSet =>
  announced === undefined
    ? []
    : record(
        {
          type: announced,
          object: { ...aggregate.view(state) },
          objectId: aggregate.idOf(state),
          sequence: version,
          ...aggregate.orderOf!(state)
        },
        now
      )
