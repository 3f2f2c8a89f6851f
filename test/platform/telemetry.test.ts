/** Traces, logs and metrics go to a collector when one is named, and nothing is made of them when none is. */
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Console, Effect, Layer, Metric, Option, Redacted, References } from "effect"
import { type Collector, collectorOf } from "../../src/platform/runtime/collector.ts"
import { Instance } from "../../src/platform/runtime/Vitals.ts"
import * as Settings from "../../src/platform/runtime/Settings.ts"
import * as standardError from "../../src/platform/runtime/standardError.ts"
import * as Telemetry from "../../src/platform/runtime/Telemetry.ts"
import { collector } from "../kit/servers/collector.ts"

/** As the settings say it. */
const sentTo = (url: URL, others: Partial<Collector> = {}) =>
  Telemetry.layer(Option.some({ url, headers: Redacted.make({}), serviceName: "coffer", ...others }))

it.live("what was done is sent to the collector, at the latest when the service ends", () =>
  Effect.gen(function* () {
    const { posted, url } = yield* collector()
    yield* Metric.update(Metric.counter("things_done"), 1).pipe(
      Effect.andThen(Effect.logInfo("a thing was done")),
      Effect.withSpan("doing a thing"),
      Effect.provide(sentTo(url))
    )
    assert.include(posted("/v1/traces"), "doing a thing")
    assert.include(posted("/v1/logs"), "a thing was done")
    assert.include(posted("/v1/metrics"), "things_done")
  })
)

it.live("each batch says which program it is of, in which version, and which start of it", () =>
  Effect.gen(function* () {
    const { posted, url } = yield* collector()
    yield* Effect.logInfo("a thing was done").pipe(
      Effect.withSpan("doing a thing"),
      Effect.provide(sentTo(url)),
      Effect.provideService(Instance, "this start")
    )
    const { version } = JSON.parse(readFileSync("package.json", "utf8"))
    for (const path of ["/v1/traces", "/v1/logs"]) {
      for (const [key, value] of [
        ["service.name", "coffer"],
        ["service.version", version],
        ["service.instance.id", "this start"]
      ]) {
        assert.include(posted(path), JSON.stringify({ key, value: { stringValue: value } }))
      }
    }
  })
)

it.live("no checkout token, file address, query string, card number or key leaves in a span or a log", () =>
  Effect.gen(function* () {
    const { all, url } = yield* collector()
    const body = "Rk2-8yq_PZ3vB1nT0wXcD4eF5gH6iJ7kL8mN9oQ0rS1"
    const secrets = ["TRD_1.99.c2ln", "f1l3-name.pdf", "s3cr3t-query", "4111111111111111", "s3cr3t-cookie", body]
    yield* Effect.gen(function* () {
      yield* Effect.annotateCurrentSpan({
        "url.full": `https://pay.example/checkout/${secrets[0]}?lang=${secrets[2]}#part`,
        "url.path": `/files/${secrets[1]}`,
        "url.query": `q=${secrets[2]}`,
        "http.route": "/checkout/:token",
        "http.request.header.referer": `https://pay.example/base/checkout/${secrets[0]}`,
        "http.request.header.cookie": secrets[4],
        "http.response.header.location": `/files/${secrets[1]}?x=${secrets[2]}`,
        // An unforeseen name.
        came_from: [`https://pay.example/checkout/${secrets[0]}/events`, `card ${secrets[3]}`],
        told: `svc_live_${body} and ${body}.png`,
        kept: "order TRD_SB_01KARWCVD8QZ4T7XM2N9B5HCJG is paid?"
      })
      yield* Effect.logInfo(`refused /checkout/${secrets[0]} to ${secrets[3]}`)
      yield* Effect.logInfo(`signed with whsec_${body}`)
      yield* Effect.fail(new Error(`no such page: /checkout/${secrets[0]}?a=${secrets[2]}`))
    }).pipe(Effect.withSpan(`GET /files/${secrets[1]}`), Effect.ignore, Effect.provide(sentTo(url)))
    const sent = all.map(({ body, path }) => path + body).join("\n")
    for (const secret of secrets) assert.notInclude(sent, secret)
    for (const kept of [
      "https://pay.example/checkout/[redacted]",
      "GET /files/[redacted]",
      "/checkout/:token",
      "refused /checkout/[redacted] to [redacted]",
      "signed with whsec_[redacted]",
      "order TRD_SB_01KARWCVD8QZ4T7XM2N9B5HCJG is paid?"
    ]) {
      assert.include(sent, kept)
    }
  })
)

it.live("no token of a receipt or of Stripe's webhooks leaves, however its address is escaped", () =>
  Effect.gen(function* () {
    const { all, url } = yield* collector()
    const signature = "c2lnbmF0dXJlT2ZTb21lUmVjZWlwdF8xMjM0NTY3ODk"
    const payload = "TRD_SB_01KARWCVD8QZ4T7XM2N9B5HCJG"
    const paths = [
      "receipts",
      "%72eceipts",
      "recei%70ts",
      "channels/stripe",
      "c%68annels/%73tripe",
      "%63heckout",
      "fil%65s"
    ]
    for (const dot of [".", "%2e", "%2E"]) {
      for (const name of paths) {
        const path = `/${name}/${payload}${dot}${signature}`
        yield* Effect.logInfo(`refused ${path}`).pipe(
          Effect.andThen(Effect.annotateCurrentSpan({ "url.full": `https://pay.example${path}`, "url.path": path })),
          Effect.withSpan(`GET ${path}`, { attributes: { "http.route": "/channels/stripe/:token" } }),
          Effect.provide(sentTo(url))
        )
      }
    }
    const sent = all.map(({ body }) => body).join("\n")
    assert.notInclude(sent, signature)
    for (const kept of ["/channels/stripe/:token", "GET /receipts/[redacted]"]) assert.include(sent, kept)
  })
)

it.live("without a collector no span is made", () =>
  Effect.gen(function* () {
    assert.isFalse(yield* References.TracerEnabled)
  }).pipe(Effect.provide(Telemetry.layer(Option.none())))
)

/** The collector that the settings of an environment make. */
const collectorIn = (env: Record<string, string>) =>
  Settings.startup.pipe(
    Effect.flatMap(({ telemetry }) => collectorOf(telemetry)),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
  )

it.live("the standard settings name the headers, the service and what else is sent with each batch", () =>
  Effect.gen(function* () {
    const { all, posted, url } = yield* collector()
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: url.href,
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20s3cr3t, x-tenant = pay,",
      OTEL_SERVICE_NAME: "pay",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=a%2Cb,service.name=other,service.version=0"
    }
    yield* Effect.logInfo("a thing was done").pipe(
      Effect.withSpan("doing a thing"),
      Effect.provide(Telemetry.layer(yield* collectorIn(env))),
      Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
    )
    assert.isNotEmpty(all)
    for (const { headers } of all) {
      assert.deepInclude(headers, { authorization: "Bearer s3cr3t", "x-tenant": "pay" })
    }
    const { version } = JSON.parse(readFileSync("package.json", "utf8"))
    for (const [key, stringValue] of [
      ["service.name", "pay"],
      ["service.version", version],
      ["deployment.environment.name", "a,b"]
    ]) {
      assert.include(posted("/v1/traces"), JSON.stringify({ key, value: { stringValue } }))
    }
    const named = yield* collectorIn({ ...env, OTEL_SERVICE_NAME: "", OTEL_RESOURCE_ATTRIBUTES: "service.name=other" })
    assert.strictEqual(Option.getOrThrow(named).serviceName, "other")
    assert.isTrue(Option.isNone(yield* collectorIn({ OTEL_SERVICE_NAME: "pay" })))
  })
)

it.live("a setting of it that is wrong is named, and what may be a token is not shown", () =>
  Effect.gen(function* () {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.example:4318" }
    const [headers, attributes] = ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_RESOURCE_ATTRIBUTES"]
    const wrong = [
      ...["s3cr3t", "a b=s3cr3t", "a=s3cr3t%0Ab", "a=%E0s3cr3t", "=s3cr3t", "a=s3cr3t\u00e9", "a=b=s3cr3t"].map(
        (value) => [headers, value] as const
      ),
      ...["s3cr3t", "a=%E0s3cr3t", "=s3cr3t"].map((value) => [attributes, value] as const),
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:s3cr3t@collector.example"] as const,
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://collector.example/s3cr3t"] as const,
      ["OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector.example/?key=s3cr3t"] as const
    ]
    for (const [name, value] of wrong) {
      const { message } = yield* Effect.flip(collectorIn({ ...endpoint, [name!]: value }))
      assert.include(message, `${name} must`, value)
      assert.notInclude(message, "s3cr3t")
    }
  })
)

it.live("no header for the collector is in the log, also where the collector refuses what it gets", () =>
  Effect.gen(function* () {
    const { all, url } = yield* collector({ status: 401 })
    const lines: Array<string> = []
    const console = { ...(yield* Console.Console), error: (line: string) => void lines.push(line) }
    yield* Effect.logInfo("a thing was done").pipe(
      Effect.withSpan("doing a thing"),
      Effect.provide(sentTo(url, { headers: Redacted.make({ authorization: "Bearer s3cr3t", "x-own": "s3cr3t" }) })),
      Effect.provide(standardError.logger),
      Effect.provide(
        Layer.mergeAll(Layer.succeed(Console.Console, console), Layer.succeed(References.MinimumLogLevel, "All"))
      )
    )
    assert.isNotEmpty(all)
    assert.include(lines.join("\n"), "Disabling exporter")
    assert.notInclude(lines.join("\n"), "s3cr3t")
    assert.notInclude(all.map(({ body }) => body).join("\n"), "s3cr3t")
  })
)
