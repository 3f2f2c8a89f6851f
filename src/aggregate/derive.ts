/**
 * From a decision to what is committed: one synchronous step without effects. Everything that needs an effect (where
 * events go, the clock, the row beside the object) is read before and comes in as surroundings. Pure.
 */
import type { Consequence } from "@coffer/rules/Consequence"
import type { OrderCommand } from "@coffer/rules/order/Order"
import type { Movement } from "@coffer/rules/wallet/post"
import type { DateTime } from "effect"
import type { Recorder } from "../events/Events.ts"
import { type Answering, answerOf } from "../idempotency/Answering.ts"
import type { Change, ChangeSet } from "../platform/commit/Change.ts"
import { instruct, type PerformedCommand } from "../wallets/Instructions.ts"
import { type Entry, type Instruction, noEntry } from "../wallets/Wallets.ts"
import type { Aggregate, Kind, Stored } from "./Aggregate.ts"

/** The parts of a change that come with its command. */
export interface PerformOptions {
  /** The answer to the request is committed with the change. */
  readonly answer?: Answering | undefined
  /** Money and rows of the caller. They are committed with the change; a command that changes nothing commits none. */
  readonly entry?: Entry | undefined
}

export interface Surroundings extends PerformOptions {
  readonly now: DateTime.Utc
  readonly record: Recorder
}

/** All that is committed together. */
export interface Derived<State> extends Entry {
  readonly after: Stored<State>
  /** Those of the changes that are the aggregate's own: when one of them is stale the command is decided again. */
  readonly own: ChangeSet
  /** Undefined when the order stays as it is. */
  readonly order: OrderCommand | undefined
}

/** The change that the facts of a command make. Without facts only the answer is left. */
export const derive = <K extends Kind>(
  aggregate: Aggregate<K>,
  before: Stored<K["State"]>,
  facts: ReadonlyArray<K["Fact"]>,
  surroundings: Surroundings & { readonly related: K["Related"]; readonly command: K["Command"] }
): Derived<K["State"]> => {
  const { answer, related, command, entry = noEntry, now } = surroundings
  if (facts.length === 0) {
    const changes = answerOf(answer, aggregate.view(before.state))
    return { ...noEntry, after: before, own: [], order: undefined, changes }
  }
  const version = before.version + 1
  const movements: Array<Movement> = []
  const created: Array<Change> = []
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
    created.push(...(aggregate.creates?.(state, fact) ?? []))
    events.push(...announce(aggregate, { state, version }, consequence, surroundings))
  }
  const relatedChanges = aggregate.related?.changes(aggregate.idOf(state), related, facts) ?? []
  const own = [aggregate.replacement(before, state, now), ...relatedChanges]
  return {
    after: { state, version },
    own,
    order,
    movements: [...movements, ...entry.movements],
    reserve,
    changes: [...own, ...created, ...events, ...entry.changes, ...answerOf(answer, aggregate.view(state))],
    instructions: [
      ...instructionsOf(aggregate, { id: aggregate.idOf(state), version: before.version, command, answer }),
      ...entry.instructions
    ]
  }
}

const instructionsOf = <K extends Kind>(
  { instruction }: Aggregate<K>,
  performed: PerformedCommand<K["Id"], K["Command"]>
): ReadonlyArray<Instruction> => (instruction === undefined ? [] : [instruct(instruction, performed)])

/** All that is committed for a new object. */
export const deriveNew = <K extends Kind>(
  aggregate: Aggregate<K>,
  state: K["State"],
  consequence: Consequence,
  { changes, instructions }: Pick<Entry, "changes" | "instructions">,
  surroundings: Surroundings
): Derived<K["State"]> => {
  const after = { state, version: 1 }
  const own = [aggregate.insertion(state)]
  const events = announce(aggregate, after, consequence, surroundings)
  const answer = answerOf(surroundings.answer, aggregate.view(state))
  const { movements, order, reserve } = consequence
  const all = [...own, ...events, ...changes, ...answer]
  return { after, own, order, movements, reserve, changes: all, instructions }
}

/** The event, with the object as it is after that very fact. */
const announce = <K extends Kind>(
  aggregate: Aggregate<K>,
  { state, version }: Stored<K["State"]>,
  { announced }: Consequence,
  { now, record }: Surroundings
): ChangeSet => {
  if (announced === undefined) return []
  const object = { ...aggregate.view(state) }
  const about = { objectId: aggregate.idOf(state), ...aggregate.orderOf!(state) }
  return record({ type: announced, object, sequence: version, ...about }, now)
}
