/**
 * Reads that most requests need: all of one turn of the event loop become one query. The library's resolvers
 * (`SqlResolver`) do the same, but reuse the Sets of their batches, so that everything that has passed through one
 * would become old (`renewed.ts`).
 */
import { Array, Context, Effect, Option, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { defectOf } from "./trouble.ts"

type Rows = Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

interface Waiting<Question, Answer, E> {
  readonly question: Question
  readonly resume: (answer: Effect.Effect<Answer, E>) => void
  hasLeft: boolean
}

/** `answersOf`: one answer for each question, in their order. It runs in the context of the first that has asked. */
const gather = <Question, Answer, E>(
  sql: SqlClient.SqlClient,
  answersOf: (questions: Array.NonEmptyReadonlyArray<Question>) => Effect.Effect<ReadonlyArray<Answer>, E>
) => {
  let open: Array<Waiting<Question, Answer, E>> | undefined

  const answerAll = (batch: ReadonlyArray<Waiting<Question, Answer, E>>) =>
    Effect.suspend(() => {
      open = undefined
      const callers = batch.filter(({ hasLeft }) => !hasLeft)
      const questions = callers.map(({ question }) => question)
      if (!Array.isReadonlyArrayNonEmpty(questions)) return Effect.void
      return Effect.matchCause(answersOf(questions), {
        onSuccess: (answers) => callers.forEach(({ resume }, index) => resume(Effect.succeed(answers[index]!))),
        onFailure: (cause) => callers.forEach(({ resume }) => resume(Effect.failCause(cause)))
      })
    })

  return (question: Question): Effect.Effect<Answer, E> =>
    Effect.withFiber(({ context }) => {
      // Inside a transaction a read must see its own writes.
      if (Option.isSome(Context.getOption(context, sql.transactionService))) {
        return Effect.map(answersOf([question]), ([answer]) => answer!)
      }
      return Effect.callback<Answer, E>((resume) => {
        const waiting = { question, resume, hasLeft: false }
        if (open === undefined) {
          open = [waiting]
          Effect.runForkWith(context)(Effect.andThen(Effect.yieldNow, answerAll(open)))
        } else open.push(waiting)
        return Effect.sync(() => void (waiting.hasLeft = true))
      })
    })
}

/** Rows by their keys. `select`: the rows with these keys, in any order. */
export const batchedById = <Row>(
  sql: SqlClient.SqlClient,
  options: {
    readonly row: Schema.Codec<Row, unknown>
    readonly idOf: (row: Row) => string
    readonly select: (ids: ReadonlyArray<string>) => Rows
  }
): ((id: string) => Effect.Effect<Option.Option<Row>>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(options.row))
  return gather(sql, (ids) =>
    options.select(ids).pipe(
      Effect.flatMap(decode),
      Effect.map((rows) => {
        const byId = new Map(rows.map((row) => [options.idOf(row), row] as const))
        return ids.map((id) => Option.fromUndefinedOr(byId.get(id)))
      }),
      Effect.catch((error) => Effect.die(defectOf(error)))
    )
  )
}

/** Answers to questions of any kind. `select`: a row for each question, in their order. */
export const batchedInOrder = <Question, Row>(
  sql: SqlClient.SqlClient,
  options: {
    readonly row: Schema.Codec<Row, unknown>
    readonly select: (questions: Array.NonEmptyReadonlyArray<Question>) => Rows
  }
): ((question: Question) => Effect.Effect<Row, SqlError.SqlError>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(options.row))
  return gather(sql, (questions) =>
    options.select(questions).pipe(
      Effect.flatMap((rows) => Effect.catch(decode(rows), (error) => Effect.die(defectOf(error)))),
      Effect.tap(({ length }) =>
        length === questions.length ? Effect.void : Effect.die(`${length} rows for ${questions.length} questions`)
      )
    )
  )
}
