/** `/v1`: authentication, rate limits, injected faults, and the answer. */
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
import { type Answer, answer, answerOf, type ApiRequest, keyInUse, remember } from "./answer.ts"
import { bookOf } from "./credentials.ts"
import type { Struck } from "./faults.ts"
import { parametersOf, targetOf } from "./request.ts"
import { makeRates } from "./rates.ts"

/** How long an unanswered request is held, in real milliseconds, unless its client gives up before. */
const hangMax = 120_000

export const makeApi = (parts: Parts) => {
  const { engine, faults, fates, keep, revoked, world } = parts
  const routeOf = makeRoutes(() => fates.shift())
  const rates = makeRates(world)
  const inUse = new Set<string>()

  const refused = (failure: Failure) => ({ requestId: world.newId("req", 14), reply: answerOf(Result.fail(failure)) })

  /** Reads the whole request first. File content is answered unchanged. */
  const read = Effect.fnUntraced(function* (
    request: HttpServerRequest
  ): Effect.fn.Return<Outcome<ApiRequest | HttpServerResponse.HttpServerResponse>> {
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
    return Result.map(form, (form): ApiRequest => ({
      book: book.success,
      route,
      path,
      form,
      requestId: world.newId("req", 14),
      idempotencyKey: request.headers["idempotency-key"]
    }))
  })

  const act = (apiRequest: ApiRequest) => {
    const reply = answer(world, apiRequest)
    keep()
    return reply
  }

  const keepAnswer = (apiRequest: ApiRequest, reply: Answer) => {
    remember(world, apiRequest, reply)
    keep()
  }

  /** A long request holds its key, and completes even if its client has left. */
  const actLater = (apiRequest: ApiRequest, seconds: number) => {
    const key = keyOf(apiRequest)
    if (key !== undefined) inUse.add(key)
    return engine.waitUntil(world.clock.millis() + seconds * 1000).pipe(
      Effect.map(() => {
        if (key !== undefined) inUse.delete(key)
        return act(apiRequest)
      }),
      Effect.forkDetach,
      Effect.flatMap(Fiber.join)
    )
  }

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const received = yield* read(request)
    if (Result.isFailure(received)) {
      const { reply, requestId } = refused(received.failure)
      return respond(reply, requestId, undefined)
    }
    if (HttpServerResponse.isHttpServerResponse(received.success)) return received.success
    const apiRequest = received.success
    const { path } = targetOf(request.url)
    const key = keyOf(apiRequest)
    if (key !== undefined && inUse.has(key))
      return respond(keyInUse(apiRequest.idempotencyKey!), apiRequest.requestId, apiRequest)
    const fault = faults.strike(`${request.method} ${path}`, apiRequest.book.account)
    if (fault === undefined) return respond(act(apiRequest), apiRequest.requestId, apiRequest)
    return yield* goWrong(request, apiRequest, fault, { act, actLater, keepAnswer })
  })
}

/** A program without an API version, such as stripe-cli, may use the earlier name. */
const withNamesOfToday = ({ payment_method_types: methods, ...form }: FormHash): FormHash =>
  methods === undefined ? form : { allowed_payment_method_types: methods, ...form }

interface Ways {
  readonly act: (apiRequest: ApiRequest) => Answer
  readonly actLater: (apiRequest: ApiRequest, seconds: number) => Effect.Effect<Answer>
  readonly keepAnswer: (apiRequest: ApiRequest, answer: Answer) => void
}

const goWrong = (
  request: HttpServerRequest,
  apiRequest: ApiRequest,
  fault: Struck,
  { act, actLater, keepAnswer }: Ways
) => {
  const trouble = answerOf(Result.fail(apiError("An unknown error occurred.", fault.status)))
  if (fault.kind.endsWith("_after")) act(apiRequest)
  switch (fault.kind) {
    case "timeout_before":
    case "timeout_after":
      return Effect.andThen(hang, cut(request))
    case "cut_before":
    case "cut_after":
      return cut(request)
    case "error_kept_before":
    case "error_kept_after":
      // Like Stripe after a failure during processing: the key keeps this answer for a day.
      keepAnswer(apiRequest, trouble)
      return Effect.succeed(respond(trouble, apiRequest.requestId, apiRequest))
    case "error_before":
    case "error_after":
      return Effect.succeed(respond(trouble, apiRequest.requestId, apiRequest))
    case "refused": {
      // A refusal during processing, such as for lack of funds: the key keeps this answer for a day, too.
      const reply = refusal(fault)
      keepAnswer(apiRequest, reply)
      return Effect.succeed(respond(reply, apiRequest.requestId, apiRequest))
    }
    case "rate_limited":
      return Effect.succeed(respond(answerOf(Result.fail(tooMany(fault))), apiRequest.requestId, apiRequest))
    case "slow":
      return Effect.map(actLater(apiRequest, fault.seconds), (reply) =>
        respond(reply, apiRequest.requestId, apiRequest)
      )
    default:
      return Effect.succeed(respond(act(apiRequest), apiRequest.requestId, apiRequest))
  }
}

/** Ends early when the client hangs up, which interrupts it. */
const hang = Effect.callback<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), hangMax)
  return Effect.sync(() => clearTimeout(timer))
})

/** Closes the connection without an answer. */
const cut = (request: HttpServerRequest) =>
  Effect.sync(() => {
    NodeHttpServerRequest.toServerResponse(request).destroy()
    return HttpServerResponse.empty()
  })

const keyOf = ({ book, idempotencyKey }: ApiRequest): string | undefined =>
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

const respond = ({ body, headers, status }: Answer, requestId: string, apiRequest: ApiRequest | undefined) =>
  HttpServerResponse.text(body, {
    status,
    contentType: "application/json",
    headers: {
      "request-id": requestId,
      "stripe-version": apiVersion,
      ...(apiRequest?.idempotencyKey !== undefined && { "idempotency-key": apiRequest.idempotencyKey }),
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
