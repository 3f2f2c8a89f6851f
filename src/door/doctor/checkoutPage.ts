/**
 * Compares the checkout page as buyers get it, once a day, with the one that this process sends (PCI DSS 11.6.1): a
 * proxy or network in front of the service may have added a script, or removed a header.
 */
import { Mode, TradeNo } from "@coffer/model/Ids"
import { DateTime, Effect, Metric, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { sha256Source } from "../../shared/pages/pageScript.ts"
import { boundedFetch } from "../../shared/http/boundedFetch.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { reachable } from "../../platform/runtime/places.ts"
import type { Settings } from "../../platform/runtime/Settings.ts"
import { OrderLinks } from "../../shared/signedUrls/OrderLinks.ts"

const altered = Metric.gauge("coffer_checkout_page_altered", {
  description: "1 while the checkout page at PUBLIC_URL differs from the one that the service sends; else 0"
})
const age = Metric.gauge("coffer_checkout_page_look_age_seconds", {
  description: "Time since the checkout page was last fetched at PUBLIC_URL; +Inf if never"
})

/** Looks at the metrics, one a minute, from one look at the page to the next. */
const looksPerPage = 24 * 60
/** The same after a page that could not be fetched. */
const looksPerFailure = 60
/** How many pages in a row, one a minute, must differ before it is reported: runners of two versions send two pages. */
const differingMin = 30

const guards = ["content-security-policy", "x-content-type-options", "referrer-policy", "cache-control", "x-robots-tag"]

interface SentPage {
  readonly status: number
  readonly headers: Headers
  readonly html: string
}

/** The parts of a page that can run or load something, each with its name in a sentence. */
const activeParts = ({ headers, html, status }: SentPage): ReadonlyArray<string> => [
  `the status ${status}`,
  ...guards.map((name) => `the header ${name}: ${headers.get(name) ?? "none"}`),
  ...["link", "refresh"].flatMap((name) => (headers.has(name) ? [`the header ${name}: ${headers.get(name)}`] : [])),
  ...Array.from(
    html.matchAll(/<(script|style)\b([^>]*)>([\s\S]*?)<\/\1/gi),
    ([, name, attributes, text]) => `a ${name}${attributes} with the hash ${sha256Source(text!)}`
  ),
  ...Array.from(html.matchAll(/<(?:i?frame|object|embed|link|base|form|meta)\b[^>]*>/gi), ([tag]) => tag),
  ...Array.from(html.matchAll(/<input\b[^>]*?\sname="?([^"\s>]*)/gi), ([, name]) => `a field ${name}`),
  ...Array.from(html.matchAll(/<[^>]*\s((?:on\w+|formaction)\s*=[^\s>]*)/gi), ([, attribute]) => attribute!)
]

/** Added parts, and removed parts. */
const differences = (inner: SentPage, outer: SentPage): ReadonlyArray<string> => {
  const [before, after] = [activeParts(inner), activeParts(outer)]
  return [
    ...findMissing(before, after).map((part) => `added: ${part}`),
    ...findMissing(after, before).map((part) => `missing: ${part}`)
  ]
}

/** The items of `parts` that `others` has fewer of. */
const findMissing = (others: ReadonlyArray<string>, parts: ReadonlyArray<string>) => {
  const left = [...others]
  return parts.filter((part) => {
    const at = left.indexOf(part)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** A browser's User-Agent, so it gets the buyer's page; `lang` in the address avoids the redirect. */
const read = (url: string) =>
  Effect.gen(function* () {
    const sent = { accept: "text/html", "user-agent": "Mozilla/5.0 (Coffer looks at its own page)" }
    const options = { method: "GET", headers: sent, body: undefined }
    const response = yield* Effect.tryPromise((signal) => boundedFetch(`${url}?lang=en`, { ...options, signal }))
    const { headers, status } = response
    const page: SentPage = { status, headers, html: yield* Effect.tryPromise(() => response.text()) }
    return page
  })

type Read = Pick<Settings["Service"], "host" | "noOutbound" | "port" | "publicUrl">

const decodeOrders = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({ trade_no: TradeNo, merchant_id: Schema.String, mode: Mode, expires_at: Schema.DateTimeUtc })
  )
)

/** The address of an unpaid order, a live one if possible; otherwise of a page for an invalid link. */
const unpaidPage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { signed } = yield* OrderLinks
  const rows = yield* decodeOrders(
    yield* sql`select trade_no, merchant_id, mode, expires_at from orders where status = 'pending'
      order by due_at desc limit 100`
  )
  const order = rows.find(({ mode }) => mode === "live") ?? rows[0]
  if (order === undefined) return "/checkout/none"
  const linked = { tradeNo: order.trade_no, merchantId: order.merchant_id, expiresAt: order.expires_at }
  return new URL(signed.checkout(linked)).pathname
})

/** One look at the metrics. Without https in `PUBLIC_URL`, or with NO_OUTBOUND, no page is fetched. */
export const makeLook = ({ host, noOutbound, port, publicUrl }: Read) => {
  let looks = 0
  let lastSeen = -Infinity
  let differing = 0
  const own = `http://${reachable(host)}:${port}`
  const outside = new URL(publicUrl).origin

  const compare = Effect.gen(function* () {
    const path = yield* unpaidPage
    const outer = yield* read(outside + path)
    const inner = yield* read(own + path)
    lastSeen = DateTime.toEpochMillis(yield* currentTime)
    const found = differences(inner, outer)
    differing = found.length === 0 ? 0 : differing + 1
    looks = differing > 0 && differing < differingMin ? 1 : looksPerPage
    if (differing >= differingMin) {
      yield* Effect.logError(
        `the checkout page at ${outside} differs from the one that the service sends: ${found.join("; ")}`
      )
    }
  })
  const compared = Effect.catchCause(compare, (cause) => {
    looks = looksPerFailure
    return Effect.logDebug("the checkout page could not be fetched from outside", cause)
  })

  const isLookedAt = !noOutbound && publicUrl.startsWith("https:")
  return Effect.gen(function* () {
    if (isLookedAt && --looks <= 0) yield* compared
    yield* Metric.update(altered, differing >= differingMin ? 1 : 0)
    yield* Metric.update(age, (DateTime.toEpochMillis(yield* currentTime) - lastSeen) / 1_000)
  })
}
