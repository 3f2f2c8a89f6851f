/**
 * Reads that most requests need: all of one turn of the event loop become one query. The library's resolvers
 * (`SqlResolver`) do the same, but reuse the Sets of their batches, so that everything that has passed through one
 * would become old (`renewed.ts`).
 */
import { Array, Context, Effect, Exit, Option, Schema } from "effect"
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

  const answerAll = Effect.fnUntraced(function* (batch: ReadonlyArray<Waiting<Question, Answer, E>>) {
    yield* Effect.yieldNow
    open = undefined
    const callers: Array<Waiting<Question, Answer, E>> = []
    const questions: Array<Question> = []
    for (const caller of batch) {
      if (caller.hasLeft) continue
      callers.push(caller)
      questions.push(caller.question)
    }
    if (!Array.isReadonlyArrayNonEmpty(questions)) return
    const answers = yield* Effect.exit(answersOf(questions))
    for (const [index, { resume }] of callers.entries()) {
      resume(Exit.isSuccess(answers) ? Effect.succeed(answers.value[index]!) : Effect.failCause(answers.cause))
    }
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
          Effect.runForkWith(context)(answerAll(open))
        } else open.push(waiting)
        return Effect.sync(() => void (waiting.hasLeft = true))
      })
    })
}

/** Rows by their keys. `select`: the rows with these keys, in any order. */
export const batchedById = <Row extends Readonly<Record<string, unknown>>>(
  sql: SqlClient.SqlClient,
  options: {
    readonly row: Schema.Codec<Row, unknown>
    /** The column of the key. */
    readonly key: string
    readonly select: (ids: ReadonlyArray<string>) => Rows
  }
): ((id: string) => Effect.Effect<Option.Option<Row>>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(options.row))
  return gather(
    sql,
    Effect.fnUntraced(
      function* (ids: ReadonlyArray<string>) {
        const byId = new Map<unknown, Row>()
        for (const row of yield* decode(yield* options.select(ids))) byId.set(row[options.key], row)
        return ids.map((id) => Option.fromUndefinedOr(byId.get(id)))
      },
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
  return gather(
    sql,
    Effect.fnUntraced(function* (questions: Array.NonEmptyReadonlyArray<Question>) {
      const rows = yield* options.select(questions)
      const answers = yield* Effect.catch(decode(rows), (error) => Effect.die(defectOf(error)))
      if (answers.length === questions.length) return answers
      return yield* Effect.die(`${answers.length} rows for ${questions.length} questions`)
    })
  )
}
