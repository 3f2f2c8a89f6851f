/**
 * Traces, logs and metrics to an OpenTelemetry collector when OTEL_EXPORTER_OTLP_ENDPOINT names one. Without it no span
 * is made, since spans that nobody collects cost a twentieth of the throughput (docs/effect.md).
 */
import { Layer, Option, References } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp } from "effect/observability"

export const layer = (endpoint: Option.Option<URL>) =>
  Option.match(endpoint, {
    onNone: () => Layer.succeed(References.TracerEnabled, false),
    onSome: (url) =>
      Layer.provide(
        Otlp.layerJson({ baseUrl: url.href.replace(/\/+$/, ""), resource: { serviceName: "coffer" } }),
        FetchHttpClient.layer
      )
  })
