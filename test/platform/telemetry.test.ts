/** Traces, logs and metrics go to a collector when one is named, and nothing is made of them when none is. */
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect, Metric, Option, References } from "effect"
import { Instance } from "../../src/platform/runtime/Instance.ts"
import * as Telemetry from "../../src/platform/runtime/Telemetry.ts"

/** What was posted, by path. */
const collector = Effect.acquireRelease(
  Effect.callback<{ readonly url: URL; readonly posts: Map<string, string>; readonly close: () => void }>((resume) => {
    const posts = new Map<string, string>()
    const server = createServer((request, response) => {
      const parts: Array<Buffer> = []
      request.on("data", (part: Buffer) => parts.push(part))
      request.on("end", () => {
        posts.set(request.url!, (posts.get(request.url!) ?? "") + Buffer.concat(parts).toString())
        response.end("{}")
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
      resume(Effect.succeed({ url, posts, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

it.live("what was done is sent to the collector, at the latest when the service ends", () =>
  Effect.gen(function* () {
    const { posts, url } = yield* collector
    yield* Metric.update(Metric.counter("things_done"), 1).pipe(
      Effect.andThen(Effect.logInfo("a thing was done")),
      Effect.withSpan("doing a thing"),
      Effect.provide(Telemetry.layer(Option.some(url)))
    )
    assert.include(posts.get("/v1/traces"), "doing a thing")
    assert.include(posts.get("/v1/logs"), "a thing was done")
    assert.include(posts.get("/v1/metrics"), "things_done")
  })
)

it.live("each batch says which program it is of, in which version, and which start of it", () =>
  Effect.gen(function* () {
    const { posts, url } = yield* collector
    yield* Effect.logInfo("a thing was done").pipe(
      Effect.withSpan("doing a thing"),
      Effect.provide(Telemetry.layer(Option.some(url))),
      Effect.provideService(Instance, "this start")
    )
    const { version } = JSON.parse(readFileSync("package.json", "utf8"))
    for (const path of ["/v1/traces", "/v1/logs"]) {
      for (const [key, value] of [
        ["service.name", "coffer"],
        ["service.version", version],
        ["service.instance.id", "this start"]
      ]) {
        assert.include(posts.get(path), JSON.stringify({ key, value: { stringValue: value } }))
      }
    }
  })
)

it.live("no checkout token, file address, query string, card number or key leaves in a span or a log", () =>
  Effect.gen(function* () {
    const { posts, url } = yield* collector
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
        // A name that nobody thought of.
        came_from: [`https://pay.example/checkout/${secrets[0]}/events`, `card ${secrets[3]}`],
        told: `svc_live_${body} and ${body}.png`,
        kept: "order TRD_SB_01KARWCVD8QZ4T7XM2N9B5HCJG is paid?"
      })
      yield* Effect.logInfo(`refused /checkout/${secrets[0]} to ${secrets[3]}`)
      yield* Effect.logInfo(`signed with whsec_${body}`)
      yield* Effect.fail(new Error(`no such page: /checkout/${secrets[0]}?a=${secrets[2]}`))
    }).pipe(
      Effect.withSpan(`GET /files/${secrets[1]}`),
      Effect.ignore,
      Effect.provide(Telemetry.layer(Option.some(url)))
    )
    const sent = [...posts].map(([path, body]) => path + body).join("\n")
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
    const { posts, url } = yield* collector
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
          Effect.provide(Telemetry.layer(Option.some(url)))
        )
      }
    }
    const sent = [...posts.values()].join("\n")
    assert.notInclude(sent, signature)
    for (const kept of ["/channels/stripe/:token", "GET /receipts/[redacted]"]) assert.include(sent, kept)
  })
)

it.live("without a collector no span is made", () =>
  Effect.gen(function* () {
    assert.isFalse(yield* References.TracerEnabled)
  }).pipe(Effect.provide(Telemetry.layer(Option.none())))
)
