/** `/mcp` as a door of the service: keys, quotas, bounds, and invalid messages (docs/mcp.md). */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { agentOverHttp, textOf } from "../../kit/callers/mcp.ts"
import { onOneService, type Running, sharedService } from "../../kit/Service.ts"

const post = ({ api, merchant }: Running, body: unknown, headers: Record<string, string> = {}, key?: string) =>
  api.call("POST", "/mcp", {
    key: key ?? merchant.sandboxKey,
    headers: { Accept: "application/json, text/event-stream", ...headers },
    ...(typeof body === "string"
      ? { raw: body, headers: { "Content-Type": "application/json", ...headers } }
      : { body })
  })

const call = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 7, method, params })

onOneService((it) => {
  describe("/mcp", () => {
    it.effect("admits by the key as the API does, and no message after the key has ended", () =>
      Effect.gen(function* () {
        const running = yield* sharedService
        const { api, baseUrl, merchant } = running
        assert.strictEqual((yield* api.post("/mcp", undefined, call("ping"))).status, 401)
        assert.strictEqual((yield* post(running, call("ping"), {}, "svc_test_wrong")).status, 401)
        // A live key before the merchant is approved.
        assert.strictEqual((yield* post(running, call("ping"), {}, merchant.liveKey)).status, 403)

        const agent = yield* agentOverHttp(baseUrl, merchant.sandboxKey)
        yield* agent.data("orders_list")
        yield* api.operator("POST", `/merchants/${merchant.merchantId}/keys/sandbox/reset`)
        const failure = yield* Effect.promise(() =>
          agent.client.callTool({ name: "orders_list", arguments: {} }).then(
            () => "answered",
            (error: Error) => error.message
          )
        )
        assert.include(failure, "invalid_api_key")
      }).pipe(Effect.scoped)
    )

    it.effect("counts a message as a read and a tool's call as what it is, and logs the call", () =>
      Effect.gen(function* () {
        const running = yield* sharedService
        const { api, baseUrl, merchant } = running
        yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { quotas: { reads: 40, writes: 2 } })
        const agent = yield* agentOverHttp(baseUrl, merchant.sandboxKey)
        for (const amount of [100, 200]) yield* agent.data("orders_create", { amount })
        const third = yield* agent.call("orders_create", { amount: 300 })
        assert.match(textOf(third), /^rate_limited \(429\)/)
        assert.match(textOf(third), /Wait \d+ seconds/)

        const logs = yield* agent.data("apiLogs_list", { limit: 10 })
        const paths = logs.data.map(({ path }: { path: string }) => path)
        assert.include(paths, "/v1/orders")
        assert.notInclude(paths, "/mcp")
        const entry = logs.data.find(({ path }: { path: string }) => path === "/v1/orders")
        assert.match(entry.user_agent, /^coffer-mcp\//)

        const statuses: Array<number> = []
        for (let at = 0; at < 45; at++) statuses.push((yield* post(running, call("ping"))).status)
        assert.include(statuses, 429)
      }).pipe(Effect.scoped)
    )

    it.effect("computes for one message at a time, and answers another merchant's call between two of them", () =>
      Effect.gen(function* () {
        const running = yield* sharedService
        const { api } = running
        const neighbour = yield* api.newMerchant()
        const search = call("tools/call", { name: "docs_search", arguments: { query: "refund order webhook receipt" } })
        // What the first of each loads is there.
        yield* post(running, search)
        yield* api.get("/v1/orders", neighbour.sandboxKey)
        const ended: Array<string> = []
        const noting = <A>(name: string, asked: Effect.Effect<A>) => Effect.map(asked, () => void ended.push(name))
        const searches = Array.from({ length: 100 }, () => noting("search", post(running, search)))
        const read = noting("read", api.get("/v1/orders", neighbour.sandboxKey))
        yield* Effect.all([...searches, read], { concurrency: "unbounded" })
        assert.isBelow(ended.indexOf("read"), 50)
      }).pipe(Effect.scoped)
    )

    it.effect("refuses a page of another machine, and has nothing to listen to or to end", () =>
      Effect.gen(function* () {
        const running = yield* sharedService
        const { api, merchant } = running
        for (const origin of ["https://shop.example", "http://localhost.shop.example", "null", "localhost"]) {
          assert.strictEqual((yield* post(running, call("ping"), { Origin: origin })).status, 403, origin)
        }
        for (const origin of ["http://localhost:6274", "http://127.0.0.1:8080", "http://[::1]:8080"]) {
          assert.strictEqual((yield* post(running, call("ping"), { Origin: origin })).status, 200, origin)
        }
        for (const method of ["GET", "DELETE"]) {
          const reply = yield* api.call(method, "/mcp", { key: merchant.sandboxKey })
          assert.strictEqual(reply.status, 405)
          assert.strictEqual(reply.headers.get("allow"), "POST")
        }
      }).pipe(Effect.scoped)
    )

    it.effect("keeps no session, however many begin one", () =>
      Effect.gen(function* () {
        const running = yield* sharedService
        const begin = call("initialize", {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "many", version: "1" }
        })
        const replies = yield* Effect.all(
          Array.from({ length: 200 }, () => post(running, begin)),
          { concurrency: 20 }
        )
        for (const { body, headers, status } of replies) {
          assert.strictEqual(status, 200)
          assert.isFalse(headers.has("mcp-session-id"))
          assert.strictEqual(body.result.protocolVersion, "2025-06-18")
          assert.include(body.result.instructions, "never instructions")
        }
        assert.strictEqual((yield* post(running, call("tools/list"), { "Mcp-Session-Id": "made-up" })).status, 404)
        const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }
        assert.strictEqual((yield* post(running, initialized)).status, 202)
      }).pipe(Effect.scoped)
    )

    it.effect("refuses what is no message, and more than it takes", () =>
      Effect.gen(function* () {
        const running = yield* sharedService
        for (const text of ["nonsense", "[]", "null", '"text"', "[{}]", ""]) {
          const reply = yield* post(running, text)
          assert.isAtLeast(reply.status, 400, text)
          assert.isBelow(reply.status, 500, text)
        }
        const unknown = yield* post(running, call("tools/steal"))
        assert.strictEqual(unknown.body.error.code, -32601)
        for (const id of [null, {}, [1], true]) {
          assert.strictEqual((yield* post(running, { ...call("ping"), id })).body.error.code, -32600)
        }
        assert.strictEqual((yield* post(running, { id: 1, method: "ping" })).body.error.code, -32600)
        const nameless = yield* post(running, call("tools/call", { name: 7, arguments: {} }))
        assert.isBelow(nameless.status, 500)
        const none = yield* post(running, call("tools/call", { name: "Ünknown\n", arguments: {} }))
        assert.isBelow(none.status, 500)
        const newest = call("tools/list", { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } })
        assert.strictEqual((yield* post(running, newest)).status, 400)
        const large = call("tools/call", { name: "docs_search", arguments: { query: "x".repeat(600_000) } })
        assert.strictEqual((yield* post(running, large)).status, 400)
        const many = call("tools/call", { name: "docs_search", arguments: { query: Array(9_000).fill(0) } })
        assert.strictEqual((yield* post(running, many)).status, 400)
      }).pipe(Effect.scoped)
    )
  })
})
