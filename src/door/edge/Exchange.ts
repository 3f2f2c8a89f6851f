/**
 * The start of every request and the end of every response, on the short path and through the framework alike: the
 * request id, the error envelope, the log and the metrics (spec: General rules, 3; Errors).
 */
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { deprecationHeaders, Deprecations } from "@coffer/contract/deprecations"
import { prefixes } from "@coffer/model/Ids"
import { type Cause, Clock, Context, Effect, Exit, References } from "effect"
import { HttpServerResponse } from "effect/http"
import { Admission } from "../../shared/http/Admission.ts"
import type { Body } from "../../shared/http/Body.ts"
import { Clients } from "../../shared/http/Clients.ts"
import { CurrentRecord, type RequestRecord } from "../../shared/http/CurrentRequest.ts"
import { Draining } from "../../shared/http/Draining.ts"
import type { Holding } from "../../shared/http/Holdings.ts"
import { asProblem } from "../../shared/http/problem.ts"
import type { LoggedBody } from "../../shared/logs/logRow.ts"
import { Logs } from "../../shared/logs/Logs.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { ClockSkew } from "../../platform/postgres/ClockSkew.ts"
import {
  CurrentDeadline,
  Deadline,
  graceMillis,
  inTimeWith,
  requestMillis,
  RequestTime
} from "../../platform/runtime/Deadline.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { makeAccessLog, makeApiLog } from "./CallLogs.ts"
import { asConsoleRead, isConsoleRead } from "./consoleReads.ts"
import * as ClientAddress from "../../shared/http/clientAddress.ts"
import { answerFailure, isNoRoute, makeAnswerNoRoute, addEnvelope, unavailable } from "./Unanswered.ts"
import { makeCount } from "./Health.ts"
import { pathOf, type Route, rowsOf } from "./routes.ts"
import { isShared } from "./staticContent.ts"

/** A request as it arrived, with the address that routes know. */
export interface Incoming extends Pick<
  RequestRecord,
  "method" | "url" | "params" | "sent" | "behind" | "ofConsole" | "isOfOperatorsPage" | "isAtAdmin" | "shop"
> {
  /** Looked up by the method and the address. */
  readonly at: Route
  readonly body: Body
  /** The body for the log; read after the answer is made. */
  readonly logged: () => Effect.Effect<LoggedBody>
  /** The connection, as it was when the request came: Node forgets it when it has ended. */
  readonly connection: Connection
  /** The response to write to. */
  readonly response: ServerResponse
  /** Set when processing begins. */
  record?: RequestRecord
  /** The memory of the answer, until the client has read it. */
  held?: Holding | undefined
  /** Set while the log reads a body that no handler has read. The memory of the request is given back after that. */
  reading?: { isSent: boolean } | undefined
}

interface Connection {
  readonly remoteAddress?: string | undefined
  readonly bytesRead: number
}

type Response = HttpServerResponse.HttpServerResponse

type AddServices = <Services>(context: Context.Context<Services>) => Context.Context<Services>

/**
 * Answers a request by a route, with the services that `addServices` adds to its context. Run it uninterruptible, with
 * a route that may be interrupted in a fiber of its own. It fails only if that was because the client has left.
 */
type Answer = <E, R>(
  incoming: Incoming,
  route: Effect.Effect<Response, E, R>,
  addServices?: AddServices
) => Effect.Effect<Response, E, R>

/** Smaller answers are not counted while no client reads them: the buffers of a socket hold as much. */
const unreadMin = 16_384

/** The status of an act whose client has left: there was no answer, and the outcome is unknown. */
const unknownStatus = 503

export const make = Effect.gen(function* () {
  const ids = yield* NewIds
  const logs = yield* Logs
  const clientAddress = yield* ClientAddress.make
  const time = yield* RequestTime
  const skew = yield* ClockSkew
  const { conclude, release } = yield* makeConclude
  const answerNoRoute = makeAnswerNoRoute(yield* Merchants, yield* Admission)

  const begin = (incoming: Incoming, clock: Clock.Clock) => {
    const arrived = clock.currentTimeMillisUnsafe()
    const requestId = ids.at(prefixes.request, arrived, clock)
    const ip = clientAddress(incoming.connection.remoteAddress, incoming.sent["x-forwarded-for"])
    const record = newRecord(incoming, { requestId, ip, arrived })
    incoming.record = record
    logs.begun(record)
    record.leaveLog = logs.ended
    return record
  }

  const failed = <E>({ response }: Incoming, record: RequestRecord, cause: Cause.Cause<E>) =>
    isNoRoute(cause) ? answerNoRoute(record) : answerFailure(cause, !response.destroyed, record)

  // Every request passes here: everything except the wait for the route is synchronous.
  const answer: Answer = <E, R>(incoming: Incoming, route: Effect.Effect<Response, E, R>, addServices?: AddServices) =>
    Effect.withFiber<Response, E, R>((fiber) => {
      const clock = fiber.getRef(Clock.Clock)
      const record = begin(incoming, clock)
      const deadline = new Deadline(requestMillis, time)
      const context = withRecord(fiber.context as Context.Context<R>, { record, deadline }, addServices)
      const orElse = () => Effect.succeed(unavailable(record))
      const effect = skew.isTooLarge() && isWrite(record) ? orElse() : route

      const end = (answered: Effect.Effect<Response, E>) =>
        Effect.flatMapEager(closeActAfter(record, answered, context), (response) => {
          deadline.lift()
          return conclude(incoming, record, response, clock.currentTimeMillisUnsafe(), deadline.doneBy)
        })
      const ended = Effect.matchCauseEffect(
        Effect.interruptible(inTimeWith(context, { effect, orElse, grace: graceMillis })),
        {
          onSuccess: (response) => end(Effect.succeed(addEnvelope(response, record))),
          onFailure: (cause) => end(Effect.provideContext(failed(incoming, record, cause), context))
        }
      )
      return Effect.onExitPrimitive(ended, (exit) =>
        Exit.isFailure(exit) ? Effect.sync(() => logs.ended(record)) : undefined
      )
    })

  return { answer, release }
})

/** Everything that is done once the answer is known: counts, logs, headers. */
const makeConclude = Effect.gen(function* () {
  const draining = yield* Draining
  const logCall = yield* makeApiLog
  const logAccess = yield* makeAccessLog
  const { finish, owe, release } = yield* makeCounts
  const count = yield* makeCount
  const isProxy = yield* ClientAddress.makeIsProxy
  const documents = `${(yield* Settings).publicUrl}/docs`
  const aboutDeprecations = `${documents}/versioning#deprecation`
  const deprecations = yield* Deprecations
  const deprecationAt = ({ pattern }: Route, method: string) => deprecations[`${method} ${pattern}`]
  const isAnyDeprecated = Object.keys(deprecations).length > 0

  const log = (incoming: Incoming, record: RequestRecord, response: Response, answered: number) => {
    const logged = logCall(record, { answered, response, body: incoming.logged })
    if (incoming.body.isTouched || record.account === undefined) return logged
    // No handler has read the body, so it may still be arriving. The answer does not wait for it.
    incoming.reading = { isSent: false }
    return logged.pipe(
      Effect.provideService(CurrentRecord, record),
      Effect.ensuring(
        Effect.sync(() => {
          const isSent = incoming.reading?.isSent === true
          incoming.reading = undefined
          if (isSent) release(incoming)
        })
      ),
      Effect.forkDetach({ startImmediately: true })
    )
  }

  /** A balancer of ours sends the next call of the key there; nobody else learns of runners. */
  const ownerFor = ({ connection }: Incoming, owner: string | undefined) =>
    owner !== undefined && isProxy(connection.remoteAddress ?? "") ? owner : undefined

  const conclude = (
    incoming: Incoming,
    record: RequestRecord,
    response: Response,
    answered: number,
    doneBy: string | undefined
  ) => {
    finish(record)
    owe(incoming, record, response)
    const millis = answered - record.arrived
    count(record.method, incoming.at, response.status, millis)
    const deprecation = isAnyDeprecated ? deprecationAt(incoming.at, record.method) : undefined
    const isDeprecated = deprecation !== undefined
    const accessed = logAccess?.(record, { route: incoming.at, status: response.status, millis, isDeprecated })
    const logged =
      accessed === undefined
        ? log(incoming, record, response, answered)
        : Effect.flatMapEager(accessed, () => log(incoming, record, response, answered))
    const made = Effect.mapEager(logged, () => {
      const explained = asProblem(response, { accept: record.sent["accept"], documents, fine: record.reason })
      const sent = withHeaders(explained, record, { isDraining: draining.now, owner: ownerFor(incoming, doneBy) })
      return deprecation === undefined ? sent : addWarnings(sent, deprecationHeaders(deprecation, aboutDeprecations))
    })
    return isConsoleRead(record) ? Effect.flatMapEager(made, (sent) => asConsoleRead(record, sent)) : made
  }

  return { conclude, release }
})

/** Writes the second entry of an operator's act, whatever its outcome. */
const closeActAfter = <E, R>(
  record: RequestRecord,
  answered: Effect.Effect<Response, E>,
  context: Context.Context<R>
) => {
  const { closeAct } = record
  if (closeAct === undefined) return answered
  const closed = Effect.onExit(answered, (exit) => closeAct(Exit.isSuccess(exit) ? exit.value.status : unknownStatus))
  return Effect.provideContext(closed, context)
}

/** A wrong clock would write its time into a row. */
const isWrite = ({ method }: RequestRecord) => method !== "GET" && method !== "HEAD"

/** Counts the memory and the room that a request and its answer take up, and gives them back. */
const makeCounts = Effect.map(Effect.all([Admission, Clients]), ([admission, { answers, bodies, building }]) => {
  /** The answer is made: releases what was needed for that. */
  const finish = (record: RequestRecord) => {
    if (record.visit === undefined) return
    admission.move(record.visit, "paused")
    if (record.rowsTaken !== undefined) building.give(record.visit, record.rowsTaken)
    record.rowsTaken = undefined
  }

  /** Releases the request's memory and room. Called when the answer is sent, or the client has left. */
  const release = (incoming: Incoming) => {
    const { held, reading, record } = incoming
    if (reading !== undefined) {
      reading.isSent = true
      return
    }
    if (held !== undefined) answers.close(held)
    incoming.held = undefined
    if (record === undefined) return
    finish(record)
    if (record.body !== undefined) bodies.close(record.body)
    record.body = undefined
    if (record.visit !== undefined) admission.move(record.visit, "left")
    record.visit = undefined
  }

  /** Counts the answer as its reader's. */
  const owe = (incoming: Incoming, { visit }: RequestRecord, { body }: Response) => {
    const size = body._tag === "Uint8Array" ? body.contentLength : body._tag === "Stream" ? Infinity : 0
    if (size <= unreadMin || visit === undefined) return
    const held = answers.open(visit, readerOf(incoming.response))
    incoming.held = held
    if (body._tag === "Uint8Array") {
      if (!isShared(body.body)) answers.add(held, size)
      return
    }
    // A streamed answer. Its maker reports when it works, and how many bytes wait for the client.
    incoming.record!.stream = {
      making: () => {
        admission.move(visit, "in")
        answers.add(held, -held.bytes)
      },
      sending: (bytes) => {
        admission.move(visit, "paused")
        answers.add(held, bytes)
      }
    }
  }

  return { finish, owe, release }
})

const newRecord = (
  { at, behind, body, connection, isAtAdmin, isOfOperatorsPage, method, ofConsole, params, sent, shop, url }: Incoming,
  own: Pick<RequestRecord, "requestId" | "arrived" | "ip">
): RequestRecord => ({
  ...own,
  method,
  url,
  path: pathOf(url),
  route: at.pattern,
  params,
  sent,
  text: body.text,
  connection,
  rows: rowsOf(at, url),
  behind,
  ofConsole,
  isOfOperatorsPage,
  isAtAdmin,
  shop,
  account: undefined,
  ahead: 0,
  visit: undefined,
  quotas: {}
})

/** Adds all services in one update: each update of a context costs some microseconds. */
const withRecord = <R>(
  context: Context.Context<R>,
  { deadline, record }: { readonly record: RequestRecord; readonly deadline: Deadline },
  addServices?: AddServices
) => {
  const extended = context.pipe(
    Context.add(CurrentRecord, record),
    Context.add(CurrentDeadline, deadline),
    Context.add(References.CurrentLogAnnotations, {
      ...Context.get(context, References.CurrentLogAnnotations),
      request_id: record.requestId
    })
  )
  return addServices === undefined ? extended : addServices(extended)
}

/** How to authenticate, which each 401 must say (RFC 9110). */
const challengeOf = ({ isOfOperatorsPage, ofConsole, path }: RequestRecord): string => {
  if (path.startsWith("/console/") || ofConsole !== undefined || isOfOperatorsPage === true)
    return 'Cookie realm="console"'
  return path.startsWith("/operator/") ? 'Bearer realm="operator"' : 'ApiKey realm="merchant", header="X-Api-Key"'
}

/** Adds the headers that every response has. */
const withHeaders = (
  response: Response,
  record: RequestRecord,
  { isDraining, owner }: { readonly isDraining: boolean; readonly owner: string | undefined }
): Response =>
  HttpServerResponse.setHeaders(response, {
    "x-request-id": record.requestId,
    // Answers contain users' texts: no browser may render one as a page.
    "x-content-type-options": "nosniff",
    // Answers contain keys, secrets and checkout tokens.
    "cache-control": response.headers["cache-control"] ?? "no-store",
    ...record.headers,
    ...(response.status === 401 ? { "www-authenticate": challengeOf(record) } : {}),
    ...(owner === undefined ? {} : { "coffer-owner": owner }),
    // An open connection would delay the shutdown.
    ...(isDraining ? { connection: "close" } : {})
  })

/** A refusal has a `Link` header of its own. */
const addWarnings = (response: Response, headers: Readonly<Record<string, string>>): Response => {
  const link = [response.headers["link"], headers["link"]].filter((each) => each !== undefined).join(", ")
  return HttpServerResponse.setHeaders(response, { ...headers, link })
}

// Readers ------------------------------------------------------------------------

/** The handle of Node's socket. Node has no public API for the bytes that the system has not accepted. */
interface Written {
  readonly bytesWritten: number
  readonly writeQueueSize: number
}
const handleOf = (socket: Socket | null) => (socket as { readonly _handle?: Written | null } | null)?._handle

/**
 * The reader of an answer: how many bytes it has received, and whether any wait for it. The socket is kept here: Node
 * detaches it from a response that has ended.
 */
const readerOf = ({ socket }: Pick<ServerResponse, "socket">) => ({
  isWaiting: () => (handleOf(socket)?.writeQueueSize ?? 0) > 0,
  moved: () => {
    const handle = handleOf(socket)
    return handle == null ? 0 : handle.bytesWritten - handle.writeQueueSize
  },
  cut: () => void socket?.destroy()
})
