/**
 * Sends traces, logs and metrics to an OpenTelemetry collector, if OTEL_EXPORTER_OTLP_ENDPOINT names one. Otherwise no
 * spans are made, since spans that nobody collects cost a twentieth of the throughput (docs/effect.md).
 *
 * Secrets are removed where batches are serialized. Every span and every log passes there, so a new span cannot leak
 * them either.
 */
import { isSecretName, redactedText, redactText } from "@coffer/rules/redaction"
import { Effect, Layer, Option, References } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp, OtlpSerialization } from "effect/observability"
import { Instance } from "./Instance.ts"
import { version } from "./Vitals.ts"

export const layer = (endpoint: Option.Option<URL>) =>
  Option.match(endpoint, {
    onNone: () => Layer.succeed(References.TracerEnabled, false),
    onSome: (url) =>
      Layer.unwrap(
        Effect.map(Instance, (instance) =>
          Otlp.layer({
            baseUrl: url.href.replace(/\/+$/, ""),
            resource: {
              serviceName: "coffer",
              serviceVersion: version,
              attributes: { "service.instance.id": instance }
            }
          }).pipe(Layer.provide(withoutSecrets), Layer.provide(FetchHttpClient.layer))
        )
      )
  })

const withoutSecrets = Layer.effect(
  OtlpSerialization.OtlpSerialization,
  Effect.map(OtlpSerialization.OtlpSerialization, ({ logs, metrics, traces }) => ({
    traces: (data) => traces(cut(data)),
    logs: (data) => logs(cut(data)),
    metrics
  }))
).pipe(Layer.provide(OtlpSerialization.layerJson))

/** Changes texts alone, so the batch keeps its shape. */
const cut = <A>(data: A): A => cutValue(data) as A

const cutValue = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(cutValue)
  if ("key" in value && "value" in value && isSecretAttribute(String(value.key))) {
    return { key: value.key, value: { stringValue: redactedText } }
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      typeof field === "string" && texts.has(name) ? cutText(field) : cutValue(field)
    ])
  )
}

const isSecretAttribute = (key: string): boolean => key === "url.query" || isSecretName(key)

/** Fields with text: an attribute's value, a log's body, a span's name, an error's message. Not ids and times. */
const texts: ReadonlySet<string> = new Set(["stringValue", "name", "message"])

/** A word of a path, of which any letter may be escaped: the router reads such a path as well. */
const word = (letters: string) =>
  [...letters].map((letter) => `(?:${letter}|%${letter.charCodeAt(0).toString(16)})`).join("")

/**
 * Addresses that give access: of checkouts, receipts and files, and those to which Stripe sends events. Not the
 * patterns of routes, nor paths of our own sources.
 */
const rooms = [...["checkout", "receipts", "files"].map(word), `${word("channels")}/${word("stripe")}`].join("|")
const addresses = new RegExp(`/(${rooms})/(?!:|\\w+\\.ts\\b)[^\\s/?#"'<>]+`, "gi")
const queries = /\?[^\s"'#]+/g

const cutText = (text: string): string =>
  redactText(text.replace(addresses, `/$1/${redactedText}`).replace(queries, `?${redactedText}`))
