/**
 * Calls without a valid key. Pages, files, the reference and reports of leaked keys: each call takes room of the
 * client's address, and is shed if there is none (silences: U12). Calls with an unknown key, token or session: an
 * address that sends many of them is refused.
 */
import * as Wire from "@coffer/contract/Errors"
import { mcpPath } from "@coffer/contract/Mcp"
import { Context, Duration, Effect, Layer, Metric, Option, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { Admission } from "../../shared/http/Admission.ts"
import { addressParty } from "../../shared/http/addressParty.ts"
import { CurrentRecord, type RequestRecord } from "../../shared/http/CurrentRequest.ts"
import { inTime } from "../../platform/runtime/Deadline.ts"
import { busy, refuseField, refuseTemporarily } from "../../shared/http/replies.ts"
import { leakReportsMax, quotaWindow } from "@coffer/model/Limits"
import type { RequestKind } from "@coffer/model/Quotas"
import { unmovedMillis } from "../../platform/runtime/MerchantClocks.ts"
import { makeMemory, QuotaStore, type Taken } from "./QuotaStore.ts"
import { Leaks } from "../../access/keys/Leaks.ts"
import { parseJson } from "../../platform/runtime/codecs.ts"
import { onRealTime } from "../../platform/runtime/realTime.ts"
import { leakedKeysPath } from "./routes.ts"
import { AuditLog } from "../../access/operators/AuditLog.ts"
import { currentMillis } from "../../platform/runtime/clock.ts"
import { sha256 } from "../../platform/runtime/Secrets.ts"

/** The window of the counts: a minute. */
export const windowMillis = Duration.toMillis(quotaWindow)

/** The kind of work that a request is, for admission and quotas. */
export const kindOf = (record: Pick<RequestRecord, "method" | "route" | "url">): RequestKind => {
  const { method, route } = record
  // An archive of a buyer: a POST, so that the buyer's address is in the body and in no access log.
  if (method === "POST" && route === "/v1/exports") return "csv"
  // A message to the MCP server changes nothing by itself.
  if (method !== "GET" && method !== "HEAD") return route === mcpPath ? "reads" : "writes"
  return queryOf(record)
    .getAll("format")
    .some((format) => files.has(format))
    ? "csv"
    : "reads"
}

/** Formats of an answer that is a file: all count as CSV exports. */
const files: ReadonlySet<string> = new Set(["csv", "hledger", "beancount"])

const noQuery = new URLSearchParams()
/** Parsed as the endpoint will parse it: `csv` may be written `%63sv`. */
export const queryOf = ({ url }: Pick<RequestRecord, "url">): URLSearchParams => {
  const query = url.indexOf("?")
  return query < 0 ? noQuery : new URLSearchParams(url.slice(query))
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

/** The same for a page, and `late` if it has waited for too long: by default the page for no room. */
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

/** In front of all routes of the layers that it is provided to. Refuses with the envelope. */
export const { layer } = HttpRouter.middleware(
  Effect.map(make, (through) => (route) => through(route, Effect.catch(busy, Effect.die)))
)

// Visitors -----------------------------------------------------------------------
// A visitor has no key, and is counted by the client's address (spec: Limits).

/** The service for pages with such a quota. */
export type VisitorQuota = QuotaStore

/** Counts one `what` of the current visitor, unless `limit` are counted already. */
export const makeOfVisitors = Effect.map(
  QuotaStore,
  (store) =>
    (what: string, limit: number): Effect.Effect<Taken> =>
      Effect.gen(function* () {
        const { ip } = yield* CurrentRecord
        return yield* store.take(`${what}:${addressParty(ip)}`, limit, windowMillis, yield* unmovedMillis)
      })
)

/** The same, and refuses with `message` above the limit. */
export const makeLimitOfVisitors = Effect.map(makeOfVisitors, (take) =>
  Effect.fnUntraced(function* (what: string, limit: number, message: string) {
    const { allowed, retryAfterMillis } = yield* take(what, limit)
    if (allowed) return
    return yield* refuseTemporarily(
      Duration.millis(retryAfterMillis),
      (request_id) => new Wire.RateLimited({ message, request_id }),
      "visits"
    )
  })
)

// Leaked keys --------------------------------------------------------------------
// `POST /leaked_keys`: finders of a leaked key report it here, without a key of their own (docs/security.md; silences:
// U29). The answer is the same for every text, and takes the same time for a guess as for an active key.

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

// Failed credentials -------------------------------------------------------------
// Unknown keys, tokens and sessions. They are counted; one of each address and minute is logged and written to the
// audit log, and some sixty of all addresses. An address that sends many different ones is locked out before the next
// look-up, unless that one is cached here. A repeated credential is refused from memory and does not count against its
// address again: it is not a guess, but a program whose key was reset (docs/decisions/0090).

const kinds = ["merchant", "operator", "person"] as const
type Kind = (typeof kinds)[number]

export class FailedCredentials extends Context.Service<
  FailedCredentials,
  {
    /** Refuses an address that has sent too many, and counts what it refuses. */
    readonly check: (of: Kind, ip: string) => Effect.Effect<void, Wire.RateLimited>
    /** Remembers an unknown credential. One that existed once is not a guess. */
    readonly note: (of: Kind, ip: string, credential: string, hasEnded?: boolean) => Effect.Effect<void>
    /** Whether it was unknown a short time ago, and counts it. */
    readonly isRemembered: (of: Kind, credential: string) => Effect.Effect<boolean>
    /** How many addresses or credentials are remembered. */
    readonly size: () => number
  }
>()("@coffer/edge/FailedCredentials") {}

const tooManyInvalid = "Too many invalid keys from this address. Correct the key, and wait for Retry-After."

/** Failures of one address in a minute. */
const failuresMax = 300
/** How long an unknown credential is remembered after its last use. It will never exist. */
const rememberedMillis = 10 * 60_000
/** Addresses that are remembered, and credentials likewise. */
export const addressesMax = 20_000
/** Entries of a minute for all addresses together: a client that has many must not fill the audit log. */
const samplesMax = 60

const refused = Metric.counter("coffer_credentials_refused_total", {
  description: "Unknown keys, tokens and sessions, and those refused because their address had sent too many",
  incremental: true
})
const countOf = (of: Kind) => Metric.withAttributes(refused, { of })

/** A merchant's key that was sent as an operator's token is still a valid key. */
const digestOf = (of: Kind, credential: string) => sha256(`${of} ${credential}`)

export const layerFailedCredentials = Layer.effect(
  FailedCredentials,
  Effect.gen(function* () {
    const log = yield* AuditLog
    const scope = yield* Effect.scope
    const failures = makeMemory({ keysMax: addressesMax })
    const samples = makeMemory({ keysMax: addressesMax })
    /** One count for all addresses. Among theirs in `samples` it would be dropped as the oldest. */
    const written = makeMemory({ keysMax: 1 })
    /** When an address may send again. */
    const until = new Map<string, number>()
    /** The end of the memory, by digest; the most recently used comes last. */
    const remembered = new Map<string, number>()
    const remember = (digest: string, now: number) => {
      remembered.delete(digest)
      if (remembered.size >= addressesMax) remembered.delete(remembered.keys().next().value ?? "")
      remembered.set(digest, now + rememberedMillis)
    }
    yield* Effect.forEach(kinds, (of) => Metric.update(countOf(of), 0), { discard: true })

    const sample = Effect.fnUntraced(
      function* (of: Kind, ip: string) {
        yield* Effect.logWarning(
          `an unknown key, token or session (${of}) came from ${ip}; more of this minute are only counted`
        )
        yield* log.write({ act: `credentials.${of}`, phase: "refused", target: ip, status: 401 })
      },
      Effect.ignoreCause({ log: "Warn" })
    )

    return FailedCredentials.of({
      check: Effect.fnUntraced(function* (of, ip) {
        const from = addressParty(ip)
        const left = (until.get(from) ?? 0) - (yield* currentMillis)
        if (left <= 0) return void until.delete(from)
        yield* Metric.update(countOf(of), 1)
        return yield* refuseTemporarily(
          Duration.millis(left),
          (request_id) => new Wire.RateLimited({ message: tooManyInvalid, request_id }),
          "invalid_keys"
        )
      }),
      isRemembered: Effect.fnUntraced(function* (of, credential) {
        const now = yield* currentMillis
        const digest = digestOf(of, credential)
        if ((remembered.get(digest) ?? 0) <= now) return false
        remember(digest, now)
        yield* Metric.update(countOf(of), 1)
        return true
      }),
      note: Effect.fnUntraced(function* (of, ip, credential, hasEnded = false) {
        const now = yield* currentMillis
        const from = addressParty(ip)
        remember(digestOf(of, credential), now)
        yield* Metric.update(countOf(of), 1)
        const isFirst = samples.take(from, 1, windowMillis, now).allowed
        if (isFirst && written.take("", samplesMax, windowMillis, now).allowed) {
          yield* Effect.forkIn(sample(of, ip), scope)
        }
        if (hasEnded) return
        const { remaining, resetMillis } = failures.take(from, failuresMax, windowMillis, now)
        if (remaining > 0) return
        // The address that was refused first is let in first.
        if (until.size >= addressesMax) until.delete(until.keys().next().value ?? "")
        until.set(from, now + resetMillis)
      }),
      size: () => Math.max(failures.size(), samples.size(), until.size, remembered.size)
    })
  })
)
