/**
 * Handles an API request, from its parameters to its answer, in one step of the event loop, so that it is atomic. A
 * repeated Idempotency-Key gets the first answer.
 */
import { createHash } from "node:crypto"
import { Result } from "effect"
import type { Route } from "../api/operations.ts"
import { checkAnswer } from "../facts/checkAnswer.ts"
import { readParameters } from "../facts/readParameters.ts"
import { jsonText } from "../json.ts"
import type { Book } from "../state/Book.ts"
import { byItself, type World } from "../state/World.ts"
import { expand } from "../wire/expand.ts"
import { apiError, type Failure, idempotencyError, notSimulated, type Outcome } from "../wire/failure.ts"
import { type FormHash, Upload } from "../wire/form.ts"

export interface ApiRequest {
  readonly book: Book
  readonly route: Route
  readonly path: string
  readonly form: FormHash
  readonly requestId: string
  readonly idempotencyKey: string | undefined
}

export interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** Seconds that a key is remembered: Stripe removes keys when they are at least 24 hours old. */
const keyLife = 24 * 60 * 60
const keyLengthMax = 255

export const answer = (world: World, request: ApiRequest): Answer => {
  const { book, idempotencyKey: key } = request
  if (key === undefined || request.route.name.startsWith("GET ") || request.route.name.startsWith("DELETE ")) {
    return answerOf(run(world, request))
  }
  const fingerprint = fingerprintOf(request)
  const before = book.get("x.answer", key)
  if (before !== undefined && before.created + keyLife > world.seconds()) {
    return before.fingerprint === fingerprint ? again(before) : refused(key, before.operation)
  }
  if (key.length > keyLengthMax) {
    return answerOf(
      Result.fail(idempotencyError(`Keys for idempotent requests have at most ${keyLengthMax} characters.`, 400))
    )
  }
  const outcome = run(world, request)
  const first = answerOf(outcome)
  if (wasBegun(outcome)) remember(world, request, first)
  return first
}

/** Invalid parameters do not use up the key: the corrected request may use it. */
const wasBegun = (outcome: Outcome<object>): boolean =>
  Result.isSuccess(outcome) || (outcome.failure.isValidation !== true && outcome.failure.status < 500)

/** Stores the answer for the request's key. */
export const remember = (world: World, request: ApiRequest, { body, status }: Answer): void => {
  const { book, idempotencyKey, path, requestId } = request
  if (idempotencyKey === undefined) return
  const fingerprint = fingerprintOf(request)
  book.put("x.answer", {
    id: idempotencyKey,
    operation: path,
    fingerprint,
    requestId,
    status,
    body,
    created: world.seconds()
  })
}

const again = (before: { readonly status: number; readonly body: string; readonly requestId: string }): Answer => ({
  status: before.status,
  body: before.body,
  headers: { "idempotent-replayed": "true", "original-request": before.requestId }
})

const refused = (key: string, path: string): Answer =>
  answerOf(
    Result.fail(
      idempotencyError(
        "Keys for idempotent requests can only be used with the same parameters they were first used with. " +
          `Use another key than '${key}', which was first used for ${path}.`,
        400
      )
    )
  )

export const keyInUse = (key: string): Answer =>
  answerOf(
    Result.fail(
      idempotencyError(
        `There is currently another in-progress request using this Idempotency Key (${key}).`,
        409,
        "idempotency_key_in_use"
      )
    )
  )

/** Equal for equal parameters, in any order. */
const fingerprintOf = ({ form, path, route }: ApiRequest): string =>
  createHash("sha256")
    .update(`${route.name} ${path} ${jsonText(sorted(form))}`)
    .digest("hex")

const sorted = (value: unknown): unknown => {
  if (value instanceof Upload) return createHash("sha256").update(value.data).digest("hex")
  if (typeof value !== "object" || value === null) return value
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => [key, sorted(each)])
}

/** The request's parameters, checked for the operation. */
const parametersFor = ({ form, route }: ApiRequest) =>
  Result.gen(function* () {
    const params = yield* readParameters(route.name, form)
    for (const name of Object.keys(params)) {
      if (!(route.operation.simulates as ReadonlyArray<string>).includes(name)) {
        return yield* notSimulated(`the parameter ${name}`, name)
      }
    }
    return params
  })

const run = (world: World, request: ApiRequest): Outcome<object> =>
  Result.gen(function* () {
    const { book, path, route } = request
    const params = yield* Result.mapError(parametersFor(request), (failure) => ({ ...failure, isValidation: true }))
    world.cause = { id: request.requestId, idempotencyKey: request.idempotencyKey ?? null }
    const paths = (params["expand"] ?? []) as ReadonlyArray<string>
    const outcome = route.operation.run({ world, book, id: route.id, path }, params as never)
    world.cause = byItself
    const expanded = yield* expand(book, world.seconds(), yield* outcome, paths)
    const problems = world.settings.check ? checkAnswer(expanded) : []
    return problems.length === 0
      ? expanded
      : yield* Result.fail(apiError(`A mistake of the simulator: this answer is not Stripe's. ${problems.join("; ")}`))
  })

export const answerOf = (outcome: Outcome<object>): Answer =>
  Result.match(outcome, {
    onSuccess: (object) => ({ status: 200, body: jsonText(object), headers: {} }),
    onFailure: ({ error, headers = {}, status }: Failure) => ({ status, body: jsonText({ error }), headers })
  })
