/**
 * Writes change sets until each is written, answered, or found behind a lock. A set that Postgres refuses fails alone,
 * and the others are written without it (docs/architecture.md, section 4). A batch of them is one transaction.
 */
import { Cause, Effect, Metric, Option } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import {
  type Answer,
  oneStatement,
  conflictOf,
  goodIn,
  tryLocks,
  type Plan,
  plan,
  type Statement,
  textAlone
} from "./statements.ts"
import { type CommitError, isOvertaken, NotCommitted } from "./Change.ts"
import * as evidence from "./evidence.ts"
import { Faults } from "../runtime/Faults.ts"
import { readHorizons, type Numbered, numberedBody, type Overtaken, paramsOf } from "./numbered.ts"
import { NewIds } from "../runtime/NewIds.ts"
import type { OpenSet, OpenSets } from "./openSets.ts"
import { Exclusive } from "../postgres/Postgres.ts"
import type { DatabaseHealth } from "../postgres/DatabaseHealth.ts"
import { isUnsent, refusalOf, type Trouble, troubleOf } from "../postgres/trouble.ts"
import type { Wakeups } from "./Wakeups.ts"

/** How often a batch is retried after a deadlock, or after a lock that is gone when it is looked for. */
const retriesMax = 5
/** How often a batch is sent that ends its connection: it may be what ends Postgres. */
const lossesMax = 8

const ignore = () => undefined

/** The change sets that a lock keeps from being written. */
export interface Blocked {
  /** The sets that are not written, in their order. */
  readonly sets: ReadonlyArray<OpenSet>
  /** The sets among them that meet a locked row; empty if that is unknown. */
  readonly blocked: ReadonlySet<OpenSet>
}

/** How often the connection was lost meanwhile. */
interface Losses {
  count: number
}

/** Sets that failed, with the error of each. */
type Failed = Array<readonly [OpenSet, CommitError]>

interface Services {
  readonly sets: OpenSets
  readonly wakeups: Wakeups["Service"]
  readonly writer: Writer
  readonly health: Pick<DatabaseHealth["Service"], "note" | "back">
}

export const makeWrite = ({ health: { back, note }, sets, wakeups, writer }: Services) => {
  const resolve = makeResolve({ sets, wakeups, writer })

  /** Writes the sets that no lock blocks. The rest is returned. `onWritten` is called before the last replies. */
  const write = Effect.fnUntraced(function* (
    waiting: ReadonlyArray<OpenSet>,
    onWritten: () => void = ignore
  ): Effect.fn.Return<Blocked | undefined> {
    const failed: Failed = []
    const blocked = yield* writeOthers(waiting, failed, onWritten)
    // Fail these after the commit: callers read the colliding row back, and it may be in this very batch.
    for (const [set, error] of failed) sets.fail(set, error)
    return blocked
  })

  const writeOthers = Effect.fnUntraced(function* (
    waiting: ReadonlyArray<OpenSet>,
    failed: Failed,
    onWritten: () => void = ignore
  ): Effect.fn.Return<Blocked | undefined> {
    let left = waiting
    let retries = 0
    const losses: Losses = { count: 0 }
    while (true) {
      // Meanwhile a caller may have got the answer that its set is not written.
      left = left.filter(sets.isOpen)
      if (left.length === 0) return undefined
      const batch = plan(left)
      for (const set of left) set.writing = true
      const outcome: Outcome = yield* writer.writeOnce(batch)
      for (const set of left) set.writing = false
      switch (outcome._tag) {
        case "Written":
          if (batch.refused.length === 0) onWritten()
          note("sets", undefined, batch.accepted.length)
          for (const set of batch.accepted) if (!outcome.taken.has(set)) sets.succeed(set)
          for (const { table } of batch.statements) wakeups.raise(table)
          // The plan left these out because of earlier sets. If an earlier set was not written, they may be now.
          left = [...(yield* resolve(outcome.taken, failed, losses)), ...batch.refused.map(([set]) => set)]
          if (outcome.taken.size > 0) continue
          for (const [set, error] of batch.refused) sets.fail(set, error)
          return undefined
        case "Conflict": {
          const unread = yield* resolve(outcome.blamed, failed, losses)
          left = left.filter((set) => unread.has(set) || !outcome.blamed.has(set))
          continue
        }
        case "Collided":
          if (retries++ < retriesMax) continue
          return sets.failAll(left, "overloaded")
        case "Locked": {
          const blocked = yield* writer.blockedIn(batch)
          // A locked row affects one merchant. A locked table shows no row, and may block all.
          if (blocked.size === 0) sets.stalls()
          if (blocked.size === 0 && retries++ === 0) continue
          return { sets: left, blocked }
        }
        case "Lost":
          for (const set of batch.accepted) set.doubts = [...set.doubts, batch.accepted]
          if (++losses.count < lossesMax && (yield* back(sets.millisLeft(left)))) continue
          return sets.failAll(left, "unknown")
        case "Away":
          if (yield* back(sets.millisLeft(left))) continue
          return sets.failAll(left, "overloaded")
        case "NotNow":
          if (outcome.refusal !== undefined) note("sets", outcome.refusal, left.length)
          return sets.failAll(left, outcome.reason)
        case "Rejected":
          if (left.length > 1) return yield* writeOneByOne(left, (set) => writeOthers([set], failed))
          note("sets", outcome.refusal, 1)
          // DatabaseHealth logs it.
          if (outcome.refusal !== undefined) return sets.failAll(left, "overloaded")
          yield* Effect.logError("a change set was refused", { reason: outcome.reason })
          return sets.failAll(left, "rejected")
      }
    }
  })

  return write
}

/** One set has a value that Postgres refuses: it fails alone. */
const writeOneByOne = Effect.fnUntraced(function* (
  all: ReadonlyArray<OpenSet>,
  write: (set: OpenSet) => Effect.Effect<Blocked | undefined>
) {
  for (const [index, set] of all.entries()) {
    const blocked = yield* write(set)
    if (blocked !== undefined) return { sets: all.slice(index), blocked: new Set([set]) }
  }
  return undefined
})

// A batch whose commit was not answered ------------------------------------------

/**
 * A set in doubt that cannot be written may be written already. Either all of its transactions have ended, or they
 * will find the conflict as well, but for what decision 0264 names. Returns the sets that could not be looked
 * for. Model: models/writes.pml.
 */
const makeResolve = ({ sets, wakeups, writer }: Omit<Services, "health">) =>
  Effect.fnUntraced(function* (blamed: Blamed, failed: Failed, losses: Losses) {
    const unread = new Set<OpenSet>()
    for (const [set, error] of blamed) {
      const found = set.doubts.length === 0 ? "absent" : yield* writer.find(set, isOvertaken(error))
      if (found === undefined) {
        if (losses.count++ < lossesMax) unread.add(set)
        else failed.push([set, error])
        continue
      }
      if (found === "written") {
        sets.succeed(set)
        for (const { table } of set.changes) wakeups.raise(table)
        continue
      }
      if (found === "absent") sets.clearDoubts(set)
      failed.push([set, error])
    }
    return unread
  })

// One batch ----------------------------------------------------------------------
// It is written in one transaction. The outcome says that it was written, or why not and which sets are to blame.

export type Outcome =
  /** All but the sets whose key is taken. */
  | { readonly _tag: "Written"; readonly taken: Blamed }
  /** These cannot be written; the others may be. */
  | { readonly _tag: "Conflict"; readonly blamed: Blamed }
  | { readonly _tag: "Collided" }
  /** Another transaction holds a lock. */
  | { readonly _tag: "Locked" }
  /** The answer did not come, and the batch may be written. */
  | { readonly _tag: "Lost" }
  /** Postgres is away or takes no writes, and nothing was written. */
  | { readonly _tag: "Away" }
  /** Nothing was written. */
  | { readonly _tag: "NotNow"; readonly reason: NotCommitted["reason"]; readonly refusal?: string | undefined }
  /** `refusal`: the SQLSTATE, if it says nothing about the sets. Some sets may not need what is missing. */
  | { readonly _tag: "Rejected"; readonly reason: string; readonly refusal?: string | undefined }

type Blamed = ReadonlyMap<OpenSet, CommitError>

class Conflict {
  readonly _tag = "Conflict"
  readonly statement: Statement
  readonly keys: ReadonlyArray<string>
  constructor(statement: Statement, keys: ReadonlyArray<string>) {
    this.statement = statement
    this.keys = keys
  }
}

const lost = Metric.counter("coffer_batches_lost_total", {
  description: "Batches of change sets whose commit was not answered",
  incremental: true
})

export type Writer = Effect.Success<ReturnType<typeof makeWriter>>

/** Accounts of a batch to which lists have shown a later number than it brings. */
class HorizonPassed {
  readonly _tag = "HorizonPassed"
  readonly overtaken: ReadonlyArray<Overtaken>
  constructor(overtaken: ReadonlyArray<Overtaken>) {
    this.overtaken = overtaken
  }
}

type Failure = SqlError.SqlError | Conflict | HorizonPassed

export const makeWriter = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const runExclusive = yield* Exclusive
  const faults = yield* Faults
  const ids = yield* NewIds
  yield* Metric.update(lost, 0)

  const writeOnce = (batch: Plan<OpenSet>): Effect.Effect<Outcome> =>
    faults
      .around("Transactor.write", write(sql, runExclusive, batch), () =>
        [...new Set(batch.statements.map(({ table }) => table))].join("+")
      )
      .pipe(
        Effect.catchCause((cause) =>
          Option.match(Cause.findErrorOption(cause), {
            // The lane has to outlive a defect too.
            onNone: () => logLostBatch(Effect.logError("a batch was lost", cause)),
            onSome: (error) =>
              error._tag === "HorizonPassed" ? overtakenBy(ids, batch, error) : failedBy(batch, error)
          })
        )
      )

  return { writeOnce, blockedIn: (batch: Plan<OpenSet>) => blockedIn(sql, batch), find: yield* evidence.makeFind(sql) }
})

type RunExclusive = Exclusive["Service"]

const write = (
  sql: SqlClient.SqlClient,
  runExclusive: RunExclusive,
  batch: Plan<OpenSet>
): Effect.Effect<Outcome, Failure> =>
  batch.statements.length === 0
    ? Effect.succeed(written)
    : Effect.catchIf(
        writeInOneStatement(runExclusive, batch),
        (error) => error._tag === "SqlError" && isOfSome(troubleOf(error)),
        () => writeSingly(sql, batch)
      )

/** The sets of the batch that are not affected can be written. */
const isOfSome = (trouble: Trouble | undefined) => trouble === undefined || trouble === "unusable"

/** On an exclusive connection: other statements would wait behind the disk. */
const writeInOneStatement = (
  runExclusive: RunExclusive,
  batch: Plan<OpenSet>
): Effect.Effect<Outcome, SqlError.SqlError | HorizonPassed> => {
  const { params, text } = oneStatement(batch)
  return Effect.flatMap(runExclusive<Answer>(text, params), ([row]) => {
    const answer = row!
    const { overtaken } = answer
    return overtaken === undefined || overtaken === null || overtaken.length === 0
      ? Effect.succeed(outcomeOf(batch, answer))
      : Effect.fail(new HorizonPassed(overtaken))
  })
}

/** The overtaken sets. Numbers that are made from now on are later. */
const overtakenBy = (ids: NewIds["Service"], { accepted, accounts }: Plan<OpenSet>, { overtaken }: HorizonPassed) =>
  Effect.sync((): Outcome => {
    const blamed = new Map<OpenSet, CommitError>()
    for (const { place, shown } of overtaken) {
      const account = accounts[place - 1]!
      ids.pass(account, shown)
      for (const set of accepted) {
        if (set.changes.some((change) => (numberedBody(change, account) ?? "~") <= shown)) {
          blamed.set(set, new NotCommitted({ reason: "overtaken" }))
        }
      }
    }
    return { _tag: "Conflict", blamed }
  })

/** Finds the row that cannot be written. */
const writeSingly = (sql: SqlClient.SqlClient, { accounts, statements }: Plan<OpenSet>) =>
  sql
    .withTransaction(
      Effect.andThen(
        checkHorizons(sql, accounts),
        Effect.forEach(
          statements,
          Effect.fnUntraced(function* (statement) {
            const rows = yield* sql.unsafe<{ readonly key: string }>(textAlone(statement), statement.params)
            if (rows.length !== statement.keys.length)
              yield* Effect.fail(new Conflict(statement, findMissing(statement, rows)))
          }),
          { discard: true }
        )
      )
    )
    .pipe(Effect.as(written))

const checkHorizons = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, accounts: ReadonlyArray<Numbered>) {
  if (accounts.length === 0) return
  const rows = yield* sql.unsafe<Overtaken & { readonly lowest: string }>(readHorizons, paramsOf(accounts))
  const overtaken = rows.filter(({ lowest, shown }) => shown >= lowest)
  if (overtaken.length > 0) return yield* Effect.fail(new HorizonPassed(overtaken))
})

const failedBy = (batch: Plan<OpenSet>, error: SqlError.SqlError | Conflict): Effect.Effect<Outcome> => {
  if (error._tag === "Conflict") return Effect.succeed({ _tag: "Conflict", blamed: blamedBy(batch, error) })
  switch (troubleOf(error)) {
    case "collided":
      return Effect.succeed({ _tag: "Collided" })
    case "locked":
      return Effect.succeed({ _tag: "Locked" })
    case "refused":
      return Effect.succeed({ _tag: "NotNow", reason: "overloaded", refusal: refusalOf(error) })
    case "readOnly":
      return Effect.succeed({ _tag: "Away" })
    case "lost":
      if (isUnsent(error)) return Effect.succeed({ _tag: "Away" })
      return logLostBatch(
        Effect.logWarning(`a batch of ${batch.accepted.length} change sets was lost: its commit was not answered`)
      )
    case "unusable":
    case undefined:
      return Effect.succeed({ _tag: "Rejected", reason: String(error.reason.cause), refusal: refusalOf(error) })
  }
}

/** It is unknown whether the batch was written. */
const logLostBatch = (log: Effect.Effect<void>): Effect.Effect<Outcome> =>
  Effect.as(Effect.andThen(log, Metric.update(lost, 1)), { _tag: "Lost" } as const)

/** Sets that would change a row that another program has locked; none when the rows are free, or cannot be asked. */
const blockedIn = (sql: SqlClient.SqlClient, batch: Plan<OpenSet>): Effect.Effect<ReadonlySet<OpenSet>> =>
  Effect.forEach(
    batch.statements.filter(({ op }) => op === "update"),
    (statement) =>
      Effect.map(sql.unsafe<{ readonly key: string }>(...tryLocks(statement)), (rows) =>
        findMissing(statement, rows).flatMap((key) => batch.setsOf(statement.table, key))
      )
  ).pipe(
    Effect.map((found) => new Set(found.flat())),
    Effect.catchCause(() => Effect.succeed(new Set<OpenSet>()))
  )

const written: Outcome = { _tag: "Written", taken: new Map() }

const outcomeOf = (batch: Plan<OpenSet>, answer: Answer): Outcome => {
  const blamed = new Map<OpenSet, CommitError>()
  for (const [index, statement] of batch.statements.entries()) {
    const good = goodIn(answer, index)
    if (good === undefined) continue
    const keys = findMissing(
      statement,
      good.map((key) => ({ key }))
    )
    // A set has the first of its reasons, in the order in which tables are written.
    for (const [set, error] of blamedBy(batch, new Conflict(statement, keys))) {
      if (!blamed.has(set)) blamed.set(set, error)
    }
  }
  return answer.done === 1 ? { _tag: "Written", taken: blamed } : { _tag: "Conflict", blamed }
}

const findMissing = ({ keys }: Statement, rows: ReadonlyArray<{ readonly key: string }>) => {
  const found = new Set(rows.map(({ key }) => key))
  return keys.filter((key) => !found.has(key))
}

const blamedBy = (batch: Plan<OpenSet>, { keys, statement }: Conflict): Blamed => {
  const blamed = new Map<OpenSet, CommitError>()
  for (const key of keys) {
    // The first of a chain of updates read the wrong version, and those after it were decided on the first.
    for (const set of batch.setsOf(statement.table, key)) blamed.set(set, conflictOf(statement, key))
  }
  return blamed
}
