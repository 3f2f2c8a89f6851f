/** A running service as an operator sees it: metrics, readiness, and where everything is. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Sharding } from "effect/cluster"
import { shapes } from "../../../src/platform/cluster/messages.ts"
import { ClockSkew, MachineTime } from "../../../src/platform/postgres/ClockSkew.ts"
import { holdsShards } from "../../../src/door/edge/Health.ts"
import { buildVersion } from "../../../src/platform/runtime/Vitals.ts"
import { eventually } from "../../kit/Process.ts"
import { start } from "../../kit/Service.ts"

const textOf = (url: string, headers: Record<string, string> = {}) =>
  Effect.promise(() => fetch(url, { headers }).then((response) => response.text()))

/** The value of a metric whose labels contain these. */
const valueOf = (text: string, name: string, ...labels: ReadonlyArray<string>): number | undefined => {
  const line = text.split("\n").find((each) => each.startsWith(name) && labels.every((label) => each.includes(label)))
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(" ")))
}

describe("metrics", () => {
  it.live("count requests by the pattern of their route, never by what a client wrote", () =>
    Effect.gen(function* () {
      const { api, baseUrl, merchant } = yield* start()
      const counted = (text: string, ...labels: ReadonlyArray<string>) =>
        valueOf(text, "coffer_http_requests_total", ...labels)
      const first = yield* textOf(`${baseUrl}/metrics`)
      const read = ['route="/v1/orders/{ref}"', 'method="GET"']
      assert.strictEqual(counted(first, ...read, 'status="200"'), 0)
      yield* api.get("/v1/orders/TRD_SB_00000000000000000000000000", merchant.sandboxKey)
      yield* api.get("/v1/orders/cart-4712", merchant.sandboxKey)
      yield* api.get("/nowhere/4711", merchant.sandboxKey)
      yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100 })
      const text = yield* textOf(`${baseUrl}/metrics`)
      assert.strictEqual(counted(text, ...read, 'status="404"'), 2)
      assert.strictEqual(counted(text, 'route="/v1/orders"', 'method="POST"', 'status="201"'), 1)
      assert.strictEqual(counted(text, 'route="none"', 'method="GET"', 'status="404"'), 1)
      assert.notMatch(text, /471[12]/)
    })
  )

  it.live("are all described, and those of the process are there from the start", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* start()
      const text = yield* textOf(`${baseUrl}/metrics`)
      const own = [...text.matchAll(/^# TYPE (coffer_\w+) /gm)].map(([, name]) => name!)
      assert.deepStrictEqual(
        own.filter((name) => !text.includes(`# HELP ${name} `)),
        []
      )
      const kinds = [...text.matchAll(/^# TYPE (coffer_\w+) (\w+)$/gm)].map(([, name, kind]) => ({ name: name!, kind }))
      for (const { kind, name } of kinds) {
        if (kind === "counter") assert.match(name, /_total$/)
        else assert.notMatch(name, /_total$/)
        // Durations are in seconds.
        assert.notMatch(name, /milli|micro|nano|_ms\b|minute|hour|_days?\b/)
        if (/duration|delay|_age|latency|expires|overdue|skew/.test(name)) assert.match(name, /_seconds(_total)?$/)
      }
      const labels = [`version="${buildVersion}"`, `messages="${shapes.join(" ")}"`, `node="${process.versions.node}"`]
      assert.strictEqual(valueOf(text, "coffer_build_info", ...labels), 1)
      assert.isAbove(valueOf(text, "coffer_heap_used_bytes")!, 0)
      assert.isAbove(valueOf(text, "coffer_heap_limit_bytes")!, valueOf(text, "coffer_heap_used_bytes")!)
      assert.isDefined(valueOf(text, "coffer_event_loop_delay_seconds", 'quantile="0.99"'))
      assert.strictEqual(valueOf(text, "effect_cluster_runners"), 1)
      assert.isBelow(Math.abs(valueOf(text, "coffer_clock_skew_seconds")!), 30)
    })
  )
})

describe("/readyz", () => {
  it.live("says no, and why, when this machine's clock is too far from Postgres' for webhooks to be believed", () =>
    Effect.gen(function* () {
      let wrongBy = 0
      const machineTime = Effect.sync(() => Date.now() + wrongBy * 1_000)
      const { api, baseUrl, context } = yield* start({ beneath: Layer.succeed(MachineTime, machineTime) })
      const { measure } = Context.get(context, ClockSkew)
      const ready = Effect.andThen(measure, api.get("/readyz"))
      assert.strictEqual((yield* ready).status, 200)
      wrongBy = -290
      assert.strictEqual((yield* ready).status, 200)
      wrongBy = 310
      const refused = yield* ready
      assert.strictEqual(refused.status, 503)
      assert.match(refused.body.reason, /of this machine and of Postgres are 3\d\d s apart/)
      assert.isAbove(valueOf(yield* textOf(`${baseUrl}/metrics`), "coffer_clock_skew_seconds")!, 300)
    })
  )
})

describe("a runner whose clock is beyond the limit", () => {
  it.live("gives up its shards and takes no writes, and does both again when its clock is right", () =>
    Effect.gen(function* () {
      let wrongBy = 0
      const machineTime = Effect.sync(() => Date.now() + wrongBy * 1_000)
      const running = yield* start({ beneath: Layer.succeed(MachineTime, machineTime) })
      const { api, context } = running
      const { sandboxKey } = yield* api.newMerchant()
      const { measure } = Context.get(context, ClockSkew)
      const owns = () => holdsShards(Context.get(context, Sharding.Sharding))
      const create = api.post("/v1/orders", sandboxKey, { amount: 1000 })
      assert.strictEqual((yield* create).status, 201)
      wrongBy = 400
      yield* measure
      const refused = yield* create
      assert.deepStrictEqual([refused.status, refused.headers.has("retry-after")], [503, true])
      assert.strictEqual((yield* api.get("/v1/orders", sandboxKey)).status, 200)
      yield* eventually(
        "its shards to be given up",
        Effect.sync(() => !owns())
      )
      wrongBy = 0
      yield* measure
      yield* eventually("its shards to be back", Effect.sync(owns))
      assert.strictEqual((yield* create).status, 201)
    })
  )
})

describe("GET /", () => {
  it.live("leads to the reference, the document and the health of the service, as JSON or as a page", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* start()
      const { links } = JSON.parse(yield* textOf(baseUrl))
      assert.deepStrictEqual([links.docs, links.openapi, links.health], ["/docs", "/openapi.json", "/healthz"])
      const page = yield* textOf(baseUrl, { accept: "text/html,application/xhtml+xml" })
      for (const path of Object.values(links)) assert.include(page, `href="${path}"`)
    })
  )
})
