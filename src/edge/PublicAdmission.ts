/**
 * Calls without a key: pages, files, the reference, reports of leaked keys. Each call is counted as work of the
 * client's address, and is refused if there is too much of it (silences: U12).
 */
import { Duration, Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Admission } from "../http/Admission.ts"
import { addressParty } from "../http/addressParty.ts"
import { CurrentRecord, type RequestRecord } from "../http/CurrentRequest.ts"
import { inTime } from "../platform/runtime/Deadline.ts"
import { busy, refuseField, refuseTemporarily } from "../http/replies.ts"
import * as Wire from "@coffer/contract/Errors"
import { leakReportsMax, quotaWindow } from "@coffer/model/Limits"
import { type RequestKind } from "@coffer/model/Quotas"
import { unmovedMillis } from "../platform/runtime/MovedClock.ts"
import { QuotaStore, type Taken } from "./QuotaStore.ts"
import { Leaks } from "../keys/Leaks.ts"
import { parseJson } from "../platform/runtime/codecs.ts"
import { onRealTime } from "../platform/runtime/realTime.ts"
import { leakedKeysPath } from "./routes.ts"

/** How often the same is counted: a minute. */
export const windowMillis = Duration.toMillis(quotaWindow)

/** The kind of work that a request is, for admission and quotas. */
export const kindOf = ({ method, url }: Pick<RequestRecord, "method" | "url">): RequestKind => {
  // An archive of a buyer: the address stands in its body, so that no log of addresses has it.
  if (method === "POST" && /^\/v1\/exports(\?|$)/.test(url)) return "csv"
  if (method !== "GET" && method !== "HEAD") return "writes"
  const query = url.indexOf("?")
  if (query < 0) return "reads"
  // Parsed as the endpoint will parse it: it may be written `format=%63sv`.
  return new URLSearchParams(url.slice(query)).getAll("format").includes("csv") ? "csv" : "reads"
}

type Route<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** The route, or `shed` when there is no room for it. */
export const make = Effect.map(
  Admission,
  (admission) =>
    <E, R, ShedE, ShedR>(route: Route<E, R>, shed: Route<ShedE, ShedR>): Route<E | ShedE, R | ShedR> =>
      Effect.flatMap(CurrentRecord, (record): Route<E | ShedE, R | ShedR> => {
        const { behind, ip } = record
        record.visit = admission.enter({ group: "public", party: addressParty(ip), kind: kindOf(record), behind })
        return record.visit === undefined ? shed : route
      })
)

/** The same of a page, and `late` when it has waited for too long: by default the page that is shown without room. */
export const makePage = Effect.map(
  make,
  (through) =>
    <E, R, ShedE, ShedR>(
      page: Route<E, R>,
      shed: Route<ShedE, ShedR>,
      late: Route<ShedE, ShedR> = shed
    ): Route<E | ShedE, R | ShedR> =>
      through(
        inTime<HttpServerResponse.HttpServerResponse, E | ShedE, R | ShedR>(page, () => late),
        shed
      )
)

/** In front of all routes of the layers that it is provided to. The refusal is the envelope's. */
export const { layer } = HttpRouter.middleware(
  Effect.map(make, (through) => (route) => through(route, Effect.catch(busy, Effect.die)))
)

// Visitors -----------------------------------------------------------------------
// A visitor has no key, and is counted by the client's address (spec: Limits).

/** The service that a page with such a quota needs. */
export type VisitorQuota = QuotaStore

/** Counts one `what` of the visitor whose request this is, unless `limit` are counted already. */
export const makeOfVisitors = Effect.map(
  QuotaStore,
  (store) =>
    (what: string, limit: number): Effect.Effect<Taken> =>
      Effect.gen(function* () {
        const { ip } = yield* CurrentRecord
        return yield* store.take(`${what}:${addressParty(ip)}`, limit, windowMillis, yield* unmovedMillis)
      })
)

/** The same, and refuses with `message` what is above the limit. */
export const makeLimitOfVisitors = Effect.map(makeOfVisitors, (take) =>
  Effect.fnUntraced(function* (what: string, limit: number, message: string) {
    const { allowed, retryAfterMillis } = yield* take(what, limit)
    if (allowed) return
    return yield* refuseTemporarily(
      Duration.millis(retryAfterMillis),
      (request_id) => new Wire.RateLimited({ message, request_id })
    )
  })
)

// Leaked keys --------------------------------------------------------------------
// `POST /leaked_keys`: anybody who finds a key in public reports it here, without a key of his own (docs/security.md;
// silences: U29). The answer is the same for every text, and comes no sooner for a guess than for a key that works.

/** An answer takes at least this long, so that the time of a revocation does not show. */
const answeredAfter = "150 millis"

const decodeReport = Schema.decodeUnknownOption(Schema.Struct({ key: Schema.String }))

export const layerLeakedKeys = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const leaks = yield* Leaks
    const limit = yield* makeLimitOfVisitors
    const through = yield* make

    const report = Effect.gen(function* () {
      yield* limit("leaks", leakReportsMax, `More than ${leakReportsMax} reports within a minute.`)
      const { requestId, text } = yield* CurrentRecord
      const body = Option.flatMap(parseJson(yield* text), decodeReport)
      if (Option.isNone(body)) return yield* refuseField("key", "Expected the text that was found")
      yield* Effect.all([leaks.report(body.value.key), onRealTime(Effect.sleep(answeredAfter))], {
        concurrency: "unbounded",
        discard: true
      })
      const data = { object: "leak_report", status: "received" }
      return HttpServerResponse.jsonUnsafe(
        { code: 202, message: "accepted", request_id: requestId, data },
        { status: 202 }
      )
    })
    const refused = Effect.catch(Effect.die)
    yield* router.add("POST", leakedKeysPath, through(refused(report), refused(busy)))
  })
)
