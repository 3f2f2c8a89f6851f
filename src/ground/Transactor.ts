/**
 * The only way to write business rows: group commit. Change sets wait in a bounded queue; a lane takes all that are
 * waiting and writes them in ONE Postgres transaction, one statement in all. Nothing waits for a timer: while
 * one transaction is being flushed the next batch gathers. Each set is all or nothing on its own: one that meets a
 * stale version or a taken key is left out, and the others are written without it (docs/architecture.md, section 4).
 */
import { Cause, Context, Deferred, Effect, Layer, Option, Queue } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { atOnce, conflictOf, plan, type Plan, type Statement } from "./Batch.ts"
import { type ChangeSet, type CommitError, NotCommitted } from "./Change.ts"
import { Faults } from "./Faults.ts"
import { Signals } from "./Signals.ts"

/** How many transactions may be in flight. */
const lanes = 2
/** Change sets that one transaction takes. */
const batchMax = 256
/** Change sets that may wait in a lane; beyond it a caller is told to come back. */
const waitingMax = 8_192
/** How often a batch that met a deadlock is written again before its sets fail. */
const deadlockRetriesMax = 5

interface Waiting {
  readonly changes: ChangeSet
  readonly done: Deferred.Deferred<void, CommitError>
}

export class Transactor extends Context.Service<
  Transactor,
  {
    /** Durable when it succeeds. Sets with one `lane` key are written in the order in which they were submitted. */
    readonly commit: (lane: string, changes: ChangeSet) => Effect.Effect<void, CommitError>
    /** Queues at once, in the caller's synchronous block; waiting comes after. Undefined when the queue is full. */
    readonly submit: (lane: string, changes: ChangeSet) => Effect.Effect<void, CommitError> | undefined
  }
>()("@coffer/ground/Transactor") {}

class Conflict {
  readonly _tag = "Conflict"
  readonly statement: Statement
  readonly keys: ReadonlyArray<string>
  constructor(statement: Statement, keys: ReadonlyArray<string>) {
    this.statement = statement
    this.keys = keys
  }
}

export const layer = Layer.effect(
  Transactor,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const faults = yield* Faults

    const execute = Effect.fnUntraced(function* (statement: Statement) {
      const rows = yield* sql.unsafe<{ readonly key: string }>(statement.text, statement.params)
      if (rows.length === statement.keys.length) return
      const written = new Set(rows.map(({ key }) => key))
      return yield* Effect.fail(
        new Conflict(
          statement,
          statement.keys.filter((key) => !written.has(key))
        )
      )
    })

    /** On a connection of its own: other statements would wait behind the disk. */
    const writeAtOnce = ({ statements }: Plan<Waiting>) => {
      const { params, text } = atOnce(statements)
      return Effect.scoped(Effect.flatMap(sql.reserve, (connection) => connection.execute(text, params, undefined)))
    }

    /** Finds out which row it is that does not go in. */
    const writeSingly = ({ statements }: Plan<Waiting>) =>
      sql.withTransaction(Effect.forEach(statements, execute, { discard: true }))

    const writeAll = (batch: Plan<Waiting>) =>
      batch.statements.length === 0
        ? Effect.void
        : Effect.asVoid(writeAtOnce(batch)).pipe(
            Effect.catchIf(
              (error) => !isLost(error),
              () => writeSingly(batch)
            )
          )

    const writeOnce = (batch: Plan<Waiting>) =>
      faults
        .around("Transactor.write", writeAll(batch), () => batch.statements.map(({ table }) => table).join("+"))
        .pipe(
          Effect.as(undefined),
          // A rollback on a broken connection dies instead of failing; the lane has to outlive that too.
          Effect.catchCause((cause) =>
            Effect.succeed(Option.getOrElse(Cause.findErrorOption(cause), () => "lost" as const))
          )
        )

    const write = Effect.fnUntraced(function* (sets: ReadonlyArray<Waiting>) {
      const blamed: Array<readonly [Waiting, CommitError]> = []
      yield* writeOthers(sets, blamed)
      // What they met may be in this very batch; who hears that it exists goes and looks for it.
      for (const [set, error] of blamed) fail(set, error)
    })

    const writeOthers = Effect.fnUntraced(function* (
      sets: ReadonlyArray<Waiting>,
      blamed: Array<readonly [Waiting, CommitError]>
    ): Effect.fn.Return<void> {
      let left = sets
      for (let deadlocks = 0; left.length > 0;) {
        const batch = plan(left)
        const failure = yield* writeOnce(batch)
        if (failure === undefined) {
          for (const { done } of batch.accepted) Deferred.doneUnsafe(done, Effect.void)
          // Only now is it certain that what they rely on is not there.
          for (const [set, error] of batch.refused) fail(set, error)
          for (const { table } of batch.statements) signals.raise(table)
          return
        }
        if (failure === "lost" || isLost(failure)) {
          yield* Effect.logError("a batch lost its connection", { sets: left.length })
          for (const set of left) fail(set, new NotCommitted({ reason: "unknown" }))
          return
        }
        if (failure._tag === "Conflict") {
          const found = blamedBy(batch, failure)
          blamed.push(...found)
          left = left.filter((set) => !found.has(set))
        } else if (isDeadlock(failure) && deadlocks < deadlockRetriesMax) {
          deadlocks++
        } else if (left.length > 1) {
          // One set holds something that Postgres does not take: let it fail alone.
          for (const set of left) yield* writeOthers([set], blamed)
          return
        } else {
          yield* Effect.logError("a change set was refused", { reason: String(failure.reason.cause) })
          for (const set of left) fail(set, new NotCommitted({ reason: "rejected" }))
          return
        }
      }
    })

    const queues = yield* Effect.forEach(Array.from({ length: lanes }), () => Queue.bounded<Waiting>(waitingMax))
    for (const queue of queues) {
      yield* Effect.forkScoped(
        Queue.takeBetween(queue, 1, batchMax).pipe(
          // A batch that was taken is finished even while the service closes.
          Effect.flatMap((sets) => Effect.uninterruptible(write(sets))),
          // Lets the replies of this batch, and the requests that follow them, run before the next is gathered.
          Effect.andThen(Effect.yieldNow),
          Effect.forever
        )
      )
    }

    const submit = (lane: string, changes: ChangeSet) => {
      const done = Deferred.makeUnsafe<void, CommitError>()
      const queued = Queue.offerUnsafe(queues[laneOf(lane)]!, { changes, done })
      return queued ? Deferred.await(done) : undefined
    }

    return Transactor.of({
      submit,
      commit: (lane, changes) =>
        Effect.suspend(() =>
          changes.length === 0
            ? Effect.void
            : (submit(lane, changes) ?? Effect.fail(new NotCommitted({ reason: "overloaded" })))
        )
    })
  })
)

const blamedBy = (batch: Plan<Waiting>, { keys, statement }: Conflict): ReadonlyMap<Waiting, CommitError> => {
  const blamed = new Map<Waiting, CommitError>()
  for (const key of keys) {
    // Of a chain of updates the first read the wrong version, and those after it were decided on the first.
    for (const set of batch.setsOf(statement.table, key)) blamed.set(set, conflictOf(statement, key))
  }
  return blamed
}

const isDeadlock = ({ reason }: SqlError.SqlError): boolean =>
  reason._tag === "DeadlockError" || reason._tag === "SerializationError"

/** The answer did not come: the batch may or may not be in the database. */
const isLost = (failure: SqlError.SqlError | Conflict): boolean =>
  failure._tag === "SqlError" && failure.reason._tag === "ConnectionError"

const fail = ({ done }: Waiting, error: CommitError) => Deferred.doneUnsafe(done, Effect.fail(error))

const laneOf = (key: string): number => {
  let hash = 0
  for (let index = 0; index < key.length; index++) hash = (hash * 31 + key.charCodeAt(index)) | 0
  return Math.abs(hash) % lanes
}
