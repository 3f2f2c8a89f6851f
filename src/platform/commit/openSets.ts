/**
 * Change sets that wait for their commit. Each ends within `commitMillis`, or within the time left for its request. A
 * set that is in no transaction then, and was in none whose commit was not answered, is certainly not written; the
 * outcome of the others is unknown. Checking all sets four times a second costs less than a timer for each.
 */
import { Deferred, Effect, Exit, Metric } from "effect"
import type { Account } from "@coffer/model/Account"
import { type ChangeSet, type CommitError, NotCommitted } from "./Change.ts"
import { commitMillis, lockMillis } from "../runtime/patience.ts"
import { realMillis } from "../runtime/realTime.ts"
import { numberedBody } from "./numbered.ts"
import { tables } from "./Table.ts"
import { RenewedSet } from "../runtime/renewed.ts"

export interface OpenSet {
  readonly lane: string
  readonly changes: ChangeSet
  readonly done: Deferred.Deferred<void, CommitError>
  /** When its caller gets an answer at the latest. */
  readonly until: number
  readonly since: number
  /** A transaction with the set is under way. */
  writing: boolean
  /** Transactions with the set whose commit was not answered: it may be written. */
  doubts: ReadonlyArray<ReadonlyArray<OpenSet>>
}
const none: ReadonlyArray<never> = []

export type OpenSets = Effect.Success<typeof makeOpenSets>

const lookEvery = 250
/** A longer gap between two checks means that this process was paused. Answers that have arrived are read first. */
const pauseMin = 1_000

/** How long a set keeps newer rows of its account out of lists. Then it is overtaken, and gets new numbers. */
const holdsListsMillis = 1_000

const waiting = Metric.gauge("coffer_change_sets_waiting", { description: "Change sets that wait for their commit" })
const stale = Metric.counter("coffer_stale_versions_total", {
  description: "Change sets that were decided on a stale version of a row, by table",
  incremental: true
})
const ended = Metric.counter("coffer_change_sets_total", {
  description:
    "Change sets that have ended, by outcome; stale and taken: another writer was first; overtaken: a list has shown " +
    "a later number; unknown: the outcome is unknown",
  incremental: true
})
const byOutcome = {
  written: Metric.withAttributes(ended, { outcome: "written" }),
  stale: Metric.withAttributes(ended, { outcome: "stale" }),
  taken: Metric.withAttributes(ended, { outcome: "taken" }),
  overloaded: Metric.withAttributes(ended, { outcome: "overloaded" }),
  unknown: Metric.withAttributes(ended, { outcome: "unknown" }),
  rejected: Metric.withAttributes(ended, { outcome: "rejected" }),
  overtaken: Metric.withAttributes(ended, { outcome: "overtaken" })
}
const outcomeOf = (error: CommitError): keyof typeof byOutcome => {
  switch (error._tag) {
    case "StaleVersion":
      return "stale"
    case "AlreadyExists":
      return "taken"
    case "NotCommitted":
      return error.reason
  }
}

export const makeOpenSets = Effect.gen(function* () {
  const services = yield* Effect.context()
  const staleIn = new Map(tables().map(({ name }) => [name, Metric.withAttributes(stale, { table: name })]))
  const open = new RenewedSet<OpenSet>()
  let stalledSince: number | undefined
  let idleSince = 0
  let looked = realMillis()
  /** Since the last check, which counts them together. */
  let written = 0

  const end = (set: OpenSet, exit: Exit.Exit<void, CommitError>) => {
    open.delete(set)
    Deferred.doneUnsafe(set.done, exit)
  }
  const fail = (set: OpenSet, failure: CommitError) => {
    // It has ended already: its batch gives it up too.
    if (!open.has(set)) return
    const error = set.doubts.length === 0 ? failure : new NotCommitted({ reason: "unknown" })
    if (error._tag === "StaleVersion") staleIn.get(error.table)?.updateUnsafe(1, services)
    byOutcome[outcomeOf(error)].updateUnsafe(1, services)
    end(set, Exit.fail(error))
  }

  const look = () => {
    const now = realMillis()
    const paused = now - looked > pauseMin
    looked = now
    waiting.updateUnsafe(open.size, services)
    byOutcome.written.updateUnsafe(written, services)
    written = 0
    if (open.size > 0) idleSince = now
    // Only trying shows whether writing works again.
    else if (now - idleSince > commitMillis) stalledSince = undefined
    if (paused) return
    for (const set of open) {
      if (now >= set.until) fail(set, new NotCommitted({ reason: set.writing ? "unknown" : "overloaded" }))
    }
  }

  for (const counter of [...staleIn.values(), ...Object.values(byOutcome)]) counter.updateUnsafe(0, services)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sync(look), Effect.sleep(lookEvery))))

  return {
    open: (lane: string, changes: ChangeSet, within: number): OpenSet => {
      const done = Deferred.makeUnsafe<void, CommitError>()
      const since = realMillis()
      const set: OpenSet = { lane, changes, done, since, until: since + within, writing: false, doubts: none }
      open.add(set)
      return set
    },
    /** False if its caller has the answer "not written" already: then it must not be written any more. */
    isOpen: (set: OpenSet) => open.has(set),
    /** Less time is left than one wait for a lock may take: the set could end with an unknown outcome. */
    isTooLate: (set: OpenSet) => set.until - realMillis() < lockMillis,
    /** Until the last of these sets gets its answer. */
    millisLeft: (sets: ReadonlyArray<OpenSet>) => Math.max(...sets.map(({ until }) => until)) - realMillis(),
    /** It is certain that no transaction has written the set, nor will. */
    clearDoubts: (set: OpenSet) => {
      set.doubts = none
    },
    succeed: (set: OpenSet) => {
      stalledSince = undefined
      written++
      end(set, Exit.void)
    },
    fail,
    failAll: (sets: ReadonlyArray<OpenSet>, reason: NotCommitted["reason"]): undefined => {
      if (reason !== "rejected") stalledSince ??= realMillis()
      for (const set of sets) fail(set, new NotCommitted({ reason }))
    },
    /** The lowest number of an account's waiting sets. A set that has waited for long does not hold lists back. */
    lowestOf: (account: Account): string | undefined => {
      const from = realMillis() - holdsListsMillis
      let lowest: string | undefined
      for (const { changes, since } of open) {
        if (since < from) continue
        for (const change of changes) {
          const body = numberedBody(change, account)
          if (body !== undefined && (lowest === undefined || body < lowest)) lowest = body
        }
      }
      return lowest
    },
    stalls: () => {
      stalledSince ??= realMillis()
    },
    stalledMillis: () => (stalledSince === undefined ? 0 : realMillis() - stalledSince)
  }
})
