/**
 * Sends traces, logs and metrics to an OpenTelemetry collector, if OTEL_EXPORTER_OTLP_ENDPOINT names one. Otherwise no
 * spans are made, since spans without a collector cost a twentieth of the throughput (docs/effect.md).
 *
 * A trace begins with a request or with work on a row. A statement alone begins none: polls that find nothing would be
 * nearly all traces.
 *
 * Secrets are removed where batches are serialized. Every span and every log passes there, so a new span cannot leak
 * them either.
 */
import { isSecretName, redactedText, redactText } from "@coffer/rules/redaction"
import { Effect, Layer, Option, Redacted, References, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp, OtlpSerialization } from "effect/observability"
import type { Collector } from "./collector.ts"
import { Instance, version } from "./Vitals.ts"

export const layer = (collector: Option.Option<Collector>) =>
  Option.match(collector, {
    onNone: () => Layer.succeed(References.TracerEnabled, false),
    onSome: ({ headers, serviceName, url }) =>
      Layer.unwrap(
        Effect.map(Instance, (instance) =>
          Otlp.layer({
            baseUrl: url.href.replace(/\/+$/, ""),
            headers: Redacted.value(headers),
            resource: { serviceName, serviceVersion: version, attributes: { "service.instance.id": instance } }
          }).pipe(Layer.provide(withoutSecrets), Layer.provide(FetchHttpClient.layer))
        )
      ).pipe((sending) => Layer.provideMerge(sampled, sending))
  })

const sampled = Layer.effect(
  Tracer.Tracer,
  Effect.map(Tracer.Tracer, (tracer) =>
    Tracer.make({
      span: (options) => tracer.span({ ...options, sampled: options.sampled && !isStatementWithoutParent(options) })
    })
  )
)

/** A statement, or a transaction, of no request and no work. */
const isStatementWithoutParent = ({ kind, name, parent }: Parameters<Tracer.Tracer["span"]>[0]) =>
  Option.isNone(parent) && (kind === "client" || name === "sql.transaction")

const withoutSecrets = Layer.effect(
  OtlpSerialization.OtlpSerialization,
  Effect.map(OtlpSerialization.OtlpSerialization, ({ logs, metrics, traces }) => ({
    traces: (data) => traces(cut(data)),
    logs: (data) => logs(cut(data)),
    metrics
  }))
).pipe(Layer.provide(OtlpSerialization.layerJson))

/** Changes texts, so the batch keeps its shape. A request's route is kept and not its address. */
const cut = <A>(data: A): A => cutValue(data) as A

const cutValue = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(cutValue)
  if ("key" in value && "value" in value && isSecretAttribute(String(value.key))) {
    return { key: value.key, value: { stringValue: redactedText } }
  }
  const isRequest = "kind" in value && value.kind === ofServer
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      isRequest && name === "attributes"
        ? cutValue(field.filter(({ key }: { readonly key: string }) => !addressNames.has(key)))
        : typeof field === "string" && texts.has(name)
          ? cutText(field)
          : cutValue(field)
    ])
  )
}

/** The kind of a span of a received request. */
const ofServer = 2
/** An address may have a merchant's numbers and a buyer's token in it. */
const addressNames: ReadonlySet<string> = new Set(["url.full", "url.path", "url.query"])

const isSecretAttribute = (key: string): boolean => key === "url.query" || isSecretName(key)

/** Fields with text: an attribute's value, a log's body, a span's name, an error's message. Not ids and times. */
const texts: ReadonlySet<string> = new Set(["stringValue", "name", "message"])

/** A word of a path, of which any letter may be escaped: the router reads such a path as well. */
const word = (letters: string) =>
  [...letters].map((letter) => `(?:${letter}|%${letter.charCodeAt(0).toString(16)})`).join("")

/**
 * Addresses that give access: of checkouts, receipts and files, and those to which acquirers send events. Not the
 * patterns of routes, nor paths of our own sources.
 */
const rooms = [...["checkout", "receipts", "files"].map(word), `${word("channels")}/(?:\\w|%[\\da-f]{2})+`].join("|")
const addresses = new RegExp(`/(${rooms})/(?!:|\\{\\w+\\}|\\w+\\.ts\\b)[^\\s/?#"'<>]+`, "gi")
const queries = /\?[^\s"'#]+/g

const cutText = (text: string): string =>
  redactText(text.replace(addresses, `/$1/${redactedText}`).replace(queries, `?${redactedText}`))
