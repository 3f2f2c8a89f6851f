/**
 * Limits requests per minute for each merchant and environment. Writes, reads, CSV exports and calls
 * of the sandbox's test helpers are counted separately, and so are those that people make from the console.
 * The check runs after the key and before idempotency and validation, so replays and refused requests count, too (spec:
 * Limits; silences: G10, U1, P6). Responses say how much is left, as the IETF's draft of the RateLimit headers does.
 */
import { Caller, Quotas } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import type { Account } from "@coffer/model/Account"
import { quotaWindow } from "@coffer/model/Limits"
import { quotaOf, type QuotaKind, type QuotaOverrides, type RequestKind } from "@coffer/model/Quotas"
import { Context, Duration, Effect, Layer, Metric } from "effect"
import { unmovedMillis, unmovedMillisOf } from "../platform/runtime/MovedClock.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import * as PostgresQuotas from "./PostgresQuotas.ts"
import { failures, layerMemory, layerRedis, QuotaStore, type Taken } from "./QuotaStore.ts"
import { addressParty } from "../http/addressParty.ts"
import { CurrentRecord, type RequestRecord } from "../http/CurrentRequest.ts"
import { Clients } from "../http/Clients.ts"
import { refuseTemporarily, refuseWith } from "../http/replies.ts"

const windowMillis = Duration.toMillis(quotaWindow)

export const layer = Layer.effect(
  Quotas,
  Effect.gen(function* () {
    const store = yield* QuotaStore
    const { building } = yield* Clients

    /** An answer with many objects is made in its turn. */
    const takeTurn = (record: RequestRecord) => {
      const { rows, visit } = record
      return visit?.kind !== "reads" || rows === 0
        ? Effect.void
        : building.take(visit, rows, () => {
            record.rowsTaken = rows
          })
    }

    // Every request passes here, so this takes few steps and no generator (docs/performance-notes.md).
    const check = Effect.withFiber((fiber) => {
      const { merchantId, mode } = Context.getUnsafe(fiber.context, Caller)
      const record = fiber.getRef(CurrentRecord)
      const kind = isHelper(record) ? "helpers" : (record.visit?.kind ?? kindOf(record))
      const limit = quotaOf(record.quotas, kind)
      // A page that people look at takes nothing from the merchant's own servers.
      const counted = record.ofConsole === undefined ? kind : `console:${kind}`
      const take = store.take(`${merchantId}:${mode}:${counted}`, limit, windowMillis, unmovedMillisOf(fiber))
      return Effect.flatMap(take, (taken) => {
        // Kept on the record, so that refusals and errors carry them, too.
        record.headers = headersOf(kind, limit, taken)
        record.isCounted = taken.allowed
        return taken.allowed
          ? takeTurn(record)
          : refuseWith(
              (request_id) =>
                new Wire.RateLimited({ message: `More than ${limit} ${names[kind]} within a minute.`, request_id })
            )
      })
    })
    return Quotas.of((httpEffect) => Effect.andThen(check, httpEffect))
  })
)

/** How much of its quotas an account has used in this minute, for programs and for people. */
export const makeQuotaUse = Effect.map(QuotaStore, (store) =>
  Effect.fnUntraced(function* ({ merchantId, mode }: Account, quotas: QuotaOverrides) {
    const kinds = quotaKinds.filter((kind) => kind !== "helpers" || mode === "sandbox")
    const counted = kinds.flatMap((kind) => [
      { kind, by: "keys" as const, key: `${merchantId}:${mode}:${kind}` },
      { kind, by: "console" as const, key: `${merchantId}:${mode}:console:${kind}` }
    ])
    const used = yield* store.used(
      counted.map(({ key }) => key),
      windowMillis,
      yield* unmovedMillis
    )
    return counted.map(({ by, kind }, place) => ({
      kind,
      by,
      limit: quotaOf(quotas, kind),
      used: used?.[place] ?? null
    }))
  })
)
export const quotaWindowSeconds = windowMillis / 1_000

const quotaKinds: ReadonlyArray<QuotaKind> = ["writes", "reads", "csv", "helpers"]

const names: Record<QuotaKind, string> = {
  writes: "writes",
  reads: "reads",
  csv: "CSV exports",
  helpers: "calls of test helpers"
}

const isHelper = ({ path }: Pick<RequestRecord, "path">): boolean => path.startsWith("/v1/test_helpers/")

export const kindOf = ({ method, url }: Pick<RequestRecord, "method" | "url">): RequestKind => {
  // An archive of a buyer: the address stands in its body, so that no log of addresses has it.
  if (method === "POST" && /^\/v1\/exports(\?|$)/.test(url)) return "csv"
  if (method !== "GET" && method !== "HEAD") return "writes"
  const query = url.indexOf("?")
  if (query < 0) return "reads"
  // Parsed as the endpoint will parse it: it may be written `format=%63sv`.
  return new URLSearchParams(url.slice(query)).getAll("format").includes("csv") ? "csv" : "reads"
}

const headersOf = (kind: QuotaKind, limit: number, { allowed, remaining, resetMillis, retryAfterMillis }: Taken) => ({
  "ratelimit-policy": `"${kind}";q=${limit};w=${windowMillis / 1_000}`,
  ratelimit: `"${kind}";r=${remaining};t=${seconds(resetMillis)}`,
  ...(allowed ? {} : { "retry-after": String(Math.max(1, seconds(retryAfterMillis))) })
})

/** Rounded up, so that waiting this long is long enough. */
const seconds = (millis: number): number => Math.ceil(millis / 1_000)

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

// Where requests are counted -----------------------------------------------------

/** In Redis where there is one, else in Postgres for several runners, else in memory. */
export const layerStore = Layer.unwrap(
  Effect.gen(function* () {
    const { redisUrl, runner } = yield* Settings
    yield* Metric.update(failures, 0)
    if (redisUrl !== undefined) return layerRedis(redisUrl)
    if (runner === undefined) return layerMemory
    yield* Effect.logInfo(
      "REDIS_URL is not set: Postgres counts requests for all runners, one statement or less for each"
    )
    return PostgresQuotas.layer
  })
)
