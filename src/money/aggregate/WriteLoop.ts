/**
 * The one way from a command to committed rows: load, decide, derive, commit, and again when another runner wrote first
 * (docs/decisions/0019). Between load and commit everything is plain and synchronous. Commands for an object that has
 * an owner are taken in turn there (docs/decisions/0022). For the others the row's version decides who was first.
 */
import type { Consequence } from "@coffer/rules/Consequence"
import { type OrderCommand, RefundRefused } from "@coffer/rules/order/Order"
import type { InsufficientBalance, Movement } from "@coffer/rules/wallet/post"
import type { WalletName } from "@coffer/rules/wallet/Wallet"
import { type DateTime, Effect, type Scope } from "effect"
import { Events, type Recorder } from "../../webhooks/events/Events.ts"
import type { OwnerUnavailable } from "../../platform/cluster/ask.ts"
import { makeTurns, showTurns } from "../../platform/cluster/turns.ts"
import {
  AlreadyExists,
  type Change,
  type ChangeSet,
  type CommitError,
  type Described,
  type Instruction,
  isOvertaken,
  keyOf,
  NotCommitted,
  renumberedMax,
  StaleVersion
} from "../../platform/commit/Change.ts"
import { bringsNumbers } from "../../platform/commit/numbered.ts"
import { Transactor } from "../../platform/commit/Transactor.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { type CarriedOut, instruct, Instructions, type PerformedCommand } from "../wallets/Instructions.ts"
import { type Entry, noEntry, type Wallets } from "../wallets/Wallets.ts"
import type { Aggregate, Kind, Stored } from "./Aggregate.ts"
import { type Answering, answerOf, laneOf } from "../../shared/idempotency/Answering.ts"
import { LastUsed } from "../../platform/runtime/lastUsed.ts"

/** The failures of any write. The caller may send it again. */
export type WriteFailure = NotCommitted | OwnerUnavailable

/** Why the entry of a command, and so the whole command, may be refused. */
export type EntryFailure = StaleVersion | AlreadyExists | InsufficientBalance

/** The rooms that change money and orders. Calls go one way: refund, dispute → order → wallet. */
export interface Rooms<State, E> {
  readonly post: Wallets["Service"]["post"]
  /** Only for aggregates whose facts have consequences for an order. */
  readonly order?: (state: State, command: OrderCommand, entry: Entry) => Effect.Effect<unknown, E>
}

/** The changes and the answer that are committed with a new object. */
interface Creation extends Pick<PerformOptions, "answer"> {
  readonly changes?: ChangeSet
  /** How the creation is sent to another runner. */
  readonly instruction?: Instruction
  /** Creations with one lane are written in the order in which they came. */
  readonly lane?: string
}

export interface WriteLoop<K extends Kind, E = never> {
  /** The object after the command. A refusal comes after the commit of the facts that it came with. */
  readonly perform: (
    id: K["Id"],
    command: K["Command"],
    options?: Performing<K>
  ) => Effect.Effect<K["State"], K["Refusal"] | K["Missing"] | WriteFailure | EntryFailure | E>
  /** A new object has no version that could guard it. Its unique index is the guard. */
  readonly create: (
    state: K["State"],
    consequence: Consequence,
    creation?: Creation
  ) => Effect.Effect<K["State"], WriteFailure | Exclude<EntryFailure | E, StaleVersion>>
  /** Derives what is committed for a creation that another runner has described. */
  readonly carryOutNew: (
    state: K["State"],
    consequence: Consequence,
    creation?: Creation
  ) => Effect.Effect<CarriedOut, CommitError>
  /** The object as its caller has just read it, which spares the next command its own read. */
  readonly offer: (stored: Stored<K["State"]>) => void
}

interface Performing<K extends Kind> extends PerformOptions {
  /** The object as its caller has written it last: a hint, like a snapshot. */
  readonly known?: Stored<K["State"]> | undefined
}

/** Commands that may wait for one object. */
const waitingMax = 1_024

export const makeWriteLoop = <K extends Kind, E = never>(
  aggregate: Aggregate<K>,
  rooms: Rooms<K["State"], E>
): Effect.Effect<WriteLoop<K, E>, never, Transactor | Events | Instructions | Scope.Scope> =>
  Effect.gen(function* () {
    const commit = makeCommit(yield* Transactor, rooms)
    const events = yield* Events
    const snapshots = new Snapshots<K["State"]>(aggregate.owned?.rememberedMax ?? 0)
    const turns = makeTurns(waitingMax)
    if (aggregate.owned !== undefined) yield* showTurns(aggregate.owned.kind, turns)
    const decide = makeDecide(aggregate, events)
    const deriveCreation = makeDeriveCreation(aggregate, events)
    if (aggregate.instruction !== undefined) {
      yield* (yield* Instructions).define(aggregate.instruction, makeDecideAgain(aggregate, decide))
    }

    const performNow = Effect.fnUntraced(function* (id: K["Id"], command: K["Command"], options: Performing<K> = {}) {
      let hint = snapshots.take(id) ?? options.known
      let { answer } = options
      for (let attempt = 1, renumbered = 0; attempt <= aggregate.attemptsMax; attempt++) {
        const { decision, derived } = yield* decide(id, command, hint, { ...options, answer })
        const outcome = yield* Effect.result(commit(id, derived))
        if (outcome._tag === "Success") {
          snapshots.set(id, derived.after)
          for (const fact of decision.events) yield* aggregate.alarm?.(fact, id) ?? Effect.void
          // Commit first: a refusal may come with facts that must not be lost.
          if (decision.refusal !== undefined) return yield* Effect.fail(decision.refusal)
          return derived.after.state
        }
        const { failure } = outcome
        hint = undefined
        // The caller has to make new numbers for its entry; most entries bring none.
        if (isOvertaken(failure) && !bringsNumbers(options.entry?.changes ?? []) && renumbered++ < renumberedMax) {
          attempt--
          continue
        }
        // Model: models/writes.pml.
        if (isSuperseded(derived.own, failure)) continue
        if (!isAnswerStale(failure) || aggregate.outlivesRequest !== true) {
          return yield* isForCaller(options.entry, failure) ? Effect.fail(failure) : overloaded
        }
        answer = undefined
      }
      return yield* overloaded
    })

    const create = Effect.fnUntraced(function* (state: K["State"], consequence: Consequence, creation: Creation = {}) {
      const { answer, lane = laneOf(answer) ?? aggregate.idOf(state) } = creation
      const derived = yield* deriveCreation(state, consequence, creation)
      const isStale = (failure: unknown) => failure instanceof StaleVersion
      yield* Effect.catchIf(commit(lane, derived), isStale, () => overloaded)
      return state
    })

    const perform: WriteLoop<K, E>["perform"] = (id, command, options) =>
      aggregate.owned === undefined
        ? performNow(id, command, options)
        : turns.inTurn(id, performNow(id, command, options))

    return {
      perform,
      create,
      carryOutNew: deriveCreation,
      offer: (stored) => snapshots.offer(aggregate.idOf(stored.state), stored)
    }
  })

/** Reads what a decision needs, and decides. After the last read nothing yields until the commit. */
export const makeDecide = <K extends Kind>(aggregate: Aggregate<K>, events: Events["Service"]) =>
  Effect.fnUntraced(function* (
    id: K["Id"],
    command: K["Command"],
    hint: Stored<K["State"]> | undefined,
    { answer, entry }: PerformOptions
  ) {
    let before = hint ?? (yield* aggregate.load(id))
    const record = yield* events.recorder(before.state)
    const related = aggregate.related === undefined ? undefined : yield* aggregate.related.read(id)
    const now = yield* currentTime
    let decision = aggregate.decide(before.state, command, related)
    // Trust the snapshot only for accepted changes; re-read before refusing.
    if (hint !== undefined && (decision.refusal !== undefined || decision.events.length === 0)) {
      before = yield* aggregate.load(id)
      decision = aggregate.decide(before.state, command, related)
    }
    // A refusal is not stored as an answer.
    const kept = decision.refusal === undefined ? answer : undefined
    const surroundings = { answer: kept, entry, now, record, related, command }
    return { decision, derived: derive(aggregate, before, decision.events, surroundings) }
  })

/** Derives what is committed for a new object. */
const makeDeriveCreation = <K extends Kind>(aggregate: Aggregate<K>, events: Events["Service"]) =>
  Effect.fnUntraced(function* (state: K["State"], consequence: Consequence, creation: Creation = {}) {
    const { answer, changes = [], instruction } = creation
    const record = consequence.announced === undefined ? recordNothing : yield* events.recorder(state)
    const instructions = instruction === undefined ? noEntry.instructions : [instruction]
    const surroundings = { answer, record, now: yield* currentTime }
    return deriveNew(aggregate, state, consequence, { changes, instructions }, surroundings)
  })

/** The one place that commits a decision. */
const makeCommit =
  <State extends WalletName, E>(transactor: Transactor["Service"], rooms: Rooms<State, E>) =>
  (lane: string, { after, changes, instructions, movements, order, reserve }: Derived<State>): Committing<E> => {
    if (order !== undefined) return rooms.order!(after.state, order, { movements, reserve, changes, instructions })
    return movements.length === 0 && reserve === 0
      ? transactor.commit(lane, changes)
      : rooms.post(after.state, { movements, reserve, changes, instructions })
  }

type Committing<E> = Effect.Effect<unknown, CommitError | InsufficientBalance | OwnerUnavailable | E>

const recordNothing = () => []

const overloaded = Effect.fail(new NotCommitted({ reason: "overloaded" }))

/**
 * For a command without an entry: no other object's row is written with it, and the money it takes was promised before.
 */
export const withoutEntry = {
  StaleVersion: () => overloaded,
  AlreadyExists: Effect.die,
  InsufficientBalance: Effect.die
} as const

/** Another write changed the object first, so the decision was made on an old row. */
const isSuperseded = (own: ChangeSet, failure: unknown): boolean =>
  isAbout(own, failure) ||
  // The order has already performed this very command, and the answer was lost.
  (failure instanceof RefundRefused && failure.reason === "not_promised")

const isAnswerStale = (failure: unknown) => failure instanceof StaleVersion && failure.table === "idempotency_keys"

/** A stale row that came with the entry: the caller has to read it again. */
const isForCaller = (entry: Entry | undefined, failure: unknown) =>
  !(failure instanceof StaleVersion) || (entry !== undefined && isAbout(entry.changes, failure))

const isAbout = (changes: ChangeSet, failure: unknown): boolean =>
  (failure instanceof StaleVersion || failure instanceof AlreadyExists) &&
  changes.some((change) => change.table === failure.table && keyOf(change) === failure.key)

// From a decision to the rows that are committed --------------------------------
// One synchronous step without effects. Everything that needs an effect (where events go, the clock, the row beside the
// object) is read before and comes in as surroundings. Pure.

/** The parts of a change that come with its command. */
export interface PerformOptions {
  /** The answer to the request, committed with the change. */
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
  /** The aggregate's own changes: when one of them is stale, the command is decided again. */
  readonly own: ChangeSet
  /** Undefined when the order stays as it is. */
  readonly order: OrderCommand | undefined
}

/** The change that follows from the facts of a command; without facts only the answer. */
export const derive = <K extends Kind>(
  aggregate: Aggregate<K>,
  before: Stored<K["State"]>,
  facts: ReadonlyArray<K["Fact"]>,
  surroundings: Surroundings & { readonly related: K["Related"]; readonly command: K["Command"] }
): Derived<K["State"]> => {
  const { answer, related, command, entry = noEntry, now } = surroundings
  if (facts.length === 0) {
    const changes = answerOf(answer, () => aggregate.view(before.state))
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
    changes: [...own, ...created, ...events, ...entry.changes, ...answerOf(answer, () => aggregate.view(state))],
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
  { changes, instructions }: Described,
  surroundings: Surroundings
): Derived<K["State"]> => {
  const after = { state, version: 1 }
  const own = [aggregate.insertion(state)]
  const events = announce(aggregate, after, consequence, surroundings)
  const answer = answerOf(surroundings.answer, () => aggregate.view(state))
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

// A command that another runner has performed, decided again here (`wallets/Instructions.ts`) ----

/**
 * Derives what is committed for a command that another runner has performed. If the object is not at the version that
 * the other runner has seen, the command fails as stale, and the other runner reads the object again.
 */
const makeDecideAgain = <K extends Kind>(aggregate: Aggregate<K>, decide: ReturnType<typeof makeDecide<K>>) =>
  Effect.fnUntraced(function* ({ answer, command, id, version }: PerformedCommand<K["Id"], K["Command"]>) {
    // The object does not exist, so no runner has performed this command.
    const { decision, derived } = yield* Effect.mapError(
      decide(id, command, undefined, { answer }),
      () => new NotCommitted({ reason: "rejected" })
    )
    if (decision.events.length > 0 && derived.after.version === version + 1) return { ...derived, performed: command }
    const row = aggregate.replacement(derived.after, derived.after.state, yield* currentTime)
    return yield* new StaleVersion({ table: row.table, key: keyOf(row) })
  })

// Snapshots ----------------------------------------------------------------------
// Objects as they were read or written last, so that the next command need not read them again. Only a hint: the
// version fences what is accepted, and nothing is refused without a fresh read. Model: models/shards.pml.

/** A command takes its object out: until it has ended, the row in the database is not known. */
export class Snapshots<State> extends LastUsed<Stored<State>> {
  /** Remembers the object as a reader has seen it, unless an equal or newer version is remembered. */
  offer(id: string, stored: Stored<State>): void {
    const remembered = this.get(id)
    if (remembered === undefined || remembered.version < stored.version) this.set(id, stored)
  }
}
