/** `/v1`: who asks, how often, what goes wrong on purpose, and the answer. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Fiber, Result } from "effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { makeRoutes } from "../api/operations.ts"
import type { Parts } from "../control/Command.ts"
import { apiVersion } from "../facts/table.ts"
import type { Book } from "../state/Book.ts"
import type { FormHash } from "../wire/form.ts"
import { apiError, type Failure, invalid, type Outcome } from "../wire/failure.ts"
import { type Answer, answer, answerOf, type Asked, keyInUse, remember } from "./answer.ts"
import { bookOf } from "./credentials.ts"
import type { Struck } from "./faults.ts"
import { parametersOf, targetOf } from "./request.ts"
import { makeRates } from "./rates.ts"

/** Real milliseconds that a request without an answer is held, if its client does not give up before. */
const hangMax = 120_000

export const makeApi = (parts: Parts) => {
  const { engine, faults, fates, keep, revoked, world } = parts
  const routeOf = makeRoutes(() => fates.shift())
  const rates = makeRates(world)
  const inUse = new Set<string>()

  const refused = (failure: Failure) => ({ requestId: world.newId("req", 14), given: answerOf(Result.fail(failure)) })

  /** Reads it whole before anything is decided. The bytes of a file are answered as they are. */
  const read = Effect.fnUntraced(function* (
    request: HttpServerRequest
  ): Effect.fn.Return<Outcome<Asked | HttpServerResponse.HttpServerResponse>> {
    const { path, query } = targetOf(request.url)
    const book = bookOf(world, request.headers, revoked)
    if (Result.isFailure(book)) return Result.fail(book.failure)
    if (!rates.mayAsk(book.success)) return Result.fail(tooMany({}))
    const content = contentOf(book.success, request.method, path)
    if (content !== undefined) return Result.succeed(content)
    const route = routeOf(request.method, path)
    if (route === undefined) {
      return Result.fail(invalid(`Unrecognized request URL (${request.method}: ${path}).`, { status: 404 }))
    }
    const sent = yield* parametersOf(request, query)
    const isOfAnyVersion = request.headers["stripe-version"] === undefined
    const form = isOfAnyVersion ? Result.map(sent, withNamesOfToday) : sent
    return Result.map(form, (form): Asked => ({
      book: book.success,
      route,
      path,
      form,
      requestId: world.newId("req", 14),
      idempotencyKey: request.headers["idempotency-key"]
    }))
  })

  const act = (asked: Asked) => {
    const given = answer(world, asked)
    keep()
    return given
  }

  const keepAnswer = (asked: Asked, given: Answer) => {
    remember(world, asked, given)
    keep()
  }

  /** A request that goes on for a while keeps its key meanwhile, and ends even if its client has gone. */
  const actLater = (asked: Asked, seconds: number) => {
    const key = keyOf(asked)
    if (key !== undefined) inUse.add(key)
    return engine.waitUntil(world.clock.millis() + seconds * 1000).pipe(
      Effect.map(() => {
        if (key !== undefined) inUse.delete(key)
        return act(asked)
      }),
      Effect.forkDetach,
      Effect.flatMap(Fiber.join)
    )
  }

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const asked = yield* read(request)
    if (Result.isFailure(asked)) {
      const { given, requestId } = refused(asked.failure)
      return respond(given, requestId, undefined)
    }
    if (HttpServerResponse.isHttpServerResponse(asked.success)) return asked.success
    const it = asked.success
    const { path } = targetOf(request.url)
    const key = keyOf(it)
    if (key !== undefined && inUse.has(key)) return respond(keyInUse(it.idempotencyKey!), it.requestId, it)
    const fault = faults.strike(`${request.method} ${path}`, it.book.account)
    if (fault === undefined) return respond(act(it), it.requestId, it)
    return yield* goWrong(request, it, fault, { act, actLater, keepAnswer })
  })
}

/** A program that names no version of the API, such as stripe-cli, may use the name of before. */
const withNamesOfToday = ({ payment_method_types: methods, ...form }: FormHash): FormHash =>
  methods === undefined ? form : { allowed_payment_method_types: methods, ...form }

interface Ways {
  readonly act: (asked: Asked) => Answer
  readonly actLater: (asked: Asked, seconds: number) => Effect.Effect<Answer>
  readonly keepAnswer: (asked: Asked, answer: Answer) => void
}

const goWrong = (request: HttpServerRequest, asked: Asked, fault: Struck, { act, actLater, keepAnswer }: Ways) => {
  const trouble = answerOf(Result.fail(apiError("An unknown error occurred.", fault.status)))
  if (fault.kind.endsWith("_after")) act(asked)
  switch (fault.kind) {
    case "timeout_before":
    case "timeout_after":
      return Effect.andThen(hang, cut(request))
    case "cut_before":
    case "cut_after":
      return cut(request)
    case "error_kept_before":
    case "error_kept_after":
      // As Stripe does when it fails after it has begun: the key has this answer for a day.
      keepAnswer(asked, trouble)
      return Effect.succeed(respond(trouble, asked.requestId, asked))
    case "error_before":
    case "error_after":
      return Effect.succeed(respond(trouble, asked.requestId, asked))
    case "refused": {
      // Refused after it was begun, such as for want of money: the key has this answer for a day, too.
      const given = refusal(fault)
      keepAnswer(asked, given)
      return Effect.succeed(respond(given, asked.requestId, asked))
    }
    case "rate_limited":
      return Effect.succeed(respond(answerOf(Result.fail(tooMany(fault))), asked.requestId, asked))
    case "slow":
      return Effect.map(actLater(asked, fault.seconds), (given) => respond(given, asked.requestId, asked))
    default:
      return Effect.succeed(respond(act(asked), asked.requestId, asked))
  }
}

/** Ends early when the client hangs up, which interrupts it. */
const hang = Effect.callback<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), hangMax)
  return Effect.sync(() => clearTimeout(timer))
})

/** The connection ends without an answer. */
const cut = (request: HttpServerRequest) =>
  Effect.sync(() => {
    NodeHttpServerRequest.toServerResponse(request).destroy()
    return HttpServerResponse.empty()
  })

const keyOf = ({ book, idempotencyKey }: Asked): string | undefined =>
  idempotencyKey === undefined ? undefined : `${book.key}/${idempotencyKey}`

const tooMany = ({
  reason = "global-rate",
  retry_after: seconds
}: Pick<Struck, "reason" | "retry_after">): Failure => ({
  ...invalid("Too many requests hit the API too quickly. Wait, and try again.", { status: 429, code: "rate_limit" }),
  headers: {
    "stripe-rate-limited-reason": reason,
    ...(seconds !== undefined && { "retry-after": String(seconds) })
  }
})

const refusal = ({ code = "balance_insufficient" }: Struck) =>
  answerOf(Result.fail(invalid(`This is refused for now, as a test wants it: ${code}.`, { code })))

const respond = ({ body, headers, status }: Answer, requestId: string, asked: Asked | undefined) =>
  HttpServerResponse.text(body, {
    status,
    contentType: "application/json",
    headers: {
      "request-id": requestId,
      "stripe-version": apiVersion,
      ...(asked?.idempotencyKey !== undefined && { "idempotency-key": asked.idempotencyKey }),
      ...headers
    }
  })

/** The bytes of a file. */
const contentOf = (book: Book, method: string, path: string) => {
  const id = /^\/v1\/files\/(\w+)\/contents$/.exec(path)?.[1]
  const content = id === undefined ? undefined : book.get("x.content", id)
  if (content === undefined || method !== "GET") return undefined
  return HttpServerResponse.uint8Array(Buffer.from(content.base64, "base64"), {
    contentType: "application/octet-stream"
  })
}
