/** Traces, logs and metrics go to a collector when one is named, and nothing is made of them when none is. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect, Metric, Option, References } from "effect"
import * as Telemetry from "../../src/ground/Telemetry.ts"

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

it.live("without a collector no span is made", () =>
  Effect.gen(function* () {
    assert.isFalse(yield* References.TracerEnabled)
  }).pipe(Effect.provide(Telemetry.layer(Option.none())))
)
