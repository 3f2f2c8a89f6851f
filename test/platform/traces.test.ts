/** The spans that a service with a collector sends of its requests and of its workers. */
import { assert, layer } from "@effect/vitest"
import { Console, Context, Effect, Layer, Option, Redacted, References, Scope } from "effect"
import * as Faults from "../../src/platform/runtime/Faults.ts"
import * as standardError from "../../src/platform/runtime/standardError.ts"
import * as Telemetry from "../../src/platform/runtime/Telemetry.ts"
import { collector, type ExportedSpan } from "../kit/servers/collector.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { start } from "../kit/Service.ts"

/** The spans of a service that answered some requests, was left alone for some rounds of its workers, and ended. */
const run = Effect.gen(function* () {
  const { spans, url } = yield* collector()
  const lines: Array<string> = []
  const console = { ...(yield* Console.Console), error: (line: string) => void lines.push(line) }
  const sending = Telemetry.layer(Option.some({ url, headers: Redacted.make({}), serviceName: "coffer" }))
  const life = yield* Scope.make()
  const { api, merchant } = yield* Scope.provide(
    start({
      env: { WORKER_POLL: "50 millis", ACCESS_LOG: "true" },
      beneath: Layer.mergeAll(
        sending,
        Layer.succeed(Console.Console, console),
        Layer.succeed(References.TracerEnabled, true)
      ),
      // Above the logger of the kit.
      faults: Layer.merge(Faults.layer, standardError.logger)
    }),
    life
  )
  const shop = merchantOf({ api, merchant })
  const made = yield* shop.post("/v1/orders", { amount: 2_000, out_trade_no: "buyer@shop.example" })
  yield* shop.get("/v1/orders/buyer@shop.example?expand=s3cr3t")
  yield* api.call("GET", new URL(made.body.data.checkout_url).pathname)
  yield* api.get("/v1/nothing/here")
  const rounds = Effect.map(api.get("/metrics"), ({ text }) =>
    Number(/^coffer_worker_rounds_total\{worker="expiry"\} (\d+)/m.exec(text)?.[1])
  )
  const before = yield* rounds
  yield* rounds.pipe(Effect.repeat({ until: (now) => now > before + 10 }))
  yield* Scope.close(life, yield* Effect.exit(Effect.void))
  return { spans: spans(), lines: lines.map((line) => JSON.parse(line)), made, merchant }
})

class Ran extends Context.Service<Ran, Effect.Success<typeof run>>()("test/platform/Ran") {}

const isRoot = ({ parentSpanId }: ExportedSpan) => parentSpanId === undefined
const attributesOf = ({ attributes }: ExportedSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

layer(Layer.effect(Ran, run), { excludeTestServices: true, timeout: "60 seconds" })("a trace", (it) => {
  it.effect("of a request is called by its method and route, and says whose it is", () =>
    Effect.gen(function* () {
      const { made, merchant, spans } = yield* Ran
      const create = spans.find(({ name }) => name === "POST /v1/orders")
      assert.isDefined(create)
      assert.deepInclude(attributesOf(create!), {
        "http.route": "/v1/orders",
        "http.response.status_code": 201,
        request_id: made.headers.get("x-request-id"),
        merchant_id: merchant.merchantId,
        mode: "sandbox"
      })
      const names = spans.filter(isRoot).map(({ name }) => name)
      assert.includeMembers(names, ["GET /v1/orders/{ref}", "GET /checkout/{token}", "GET"])
    })
  )

  it.effect("has the route of a request, and nothing of its address", () =>
    Effect.gen(function* () {
      const { made, spans } = yield* Ran
      const sent = JSON.stringify(spans)
      const token = new URL(made.body.data.checkout_url).pathname.split("/").at(-1)!
      for (const secret of ["buyer@shop.example", "buyer%40", "s3cr3t", token, "nothing/here"]) {
        assert.notInclude(sent, secret)
      }
    })
  )

  it.effect("begins with a request or with work, and with no probe and no poll that found nothing", () =>
    Effect.gen(function* () {
      const { spans } = yield* Ran
      const traces = new Set(spans.filter(isRoot).map(({ traceId }) => traceId))
      assert.isEmpty(spans.filter((span) => !traces.has(span.traceId)))
      const known = /^(GET|POST)( \/|$)|^Audits\.round$/
      assert.isEmpty(spans.filter((span) => isRoot(span) && !known.test(span.name)).map(({ name }) => name))
      assert.isEmpty(spans.filter(({ name }) => /metrics|readyz|healthz/.test(name)))
    })
  )

  it.effect("is named in each line of the log that was written in it, and in no other", () =>
    Effect.gen(function* () {
      const { lines, made, spans } = yield* Ran
      const requestId = made.headers.get("x-request-id")
      const line = lines.find(({ annotations }) => annotations.request_id === requestId)
      const create = spans.find(({ name }) => name === "POST /v1/orders")!
      assert.deepInclude(line, { trace_id: create.traceId, span_id: create.spanId })
      const probe = lines.find(({ annotations }) => annotations.route === "/metrics")
      assert.isDefined(probe)
      assert.notProperty(probe, "trace_id")
    })
  )
})
