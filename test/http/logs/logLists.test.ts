/** GET /v1/logs: its filters, its pages, and its refusals (spec: Events and logs; List conventions). */
import { Api } from "@coffer/contract/Api"
import { idBodyAfter } from "@coffer/model/Ids"
import { assert, it as test, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import { Logs } from "../../../src/shared/logs/Logs.ts"
import { successes } from "../../../src/shared/logs/LogStore.ts"
import { flushed, type Log, loggedMerchant } from "../../kit/rows/logs.ts"
import { callOf } from "../../kit/rows/logStore.ts"
import { asRunner, type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/logLists") {}

const fresh = Effect.flatMap(Service, loggedMerchant)

layer(Layer.effect(Service, start()), { excludeTestServices: true })("GET /v1/logs", (it) => {
  it.effect("answers a list with retention_days inside data", () =>
    Effect.gen(function* () {
      const { key, api, list } = yield* fresh
      yield* api.get("/v1/balance", key)
      const { body, status } = yield* list("?path=/v1/balance")
      assert.strictEqual(status, 200)
      const { data, ...rest } = body.data
      assert.deepStrictEqual(rest, {
        object: "list",
        resource: "api_log",
        has_more: false,
        url: "/v1/logs",
        retention_days: 30
      })
      assert.strictEqual(data.length, 1)
    })
  )

  it.effect("filters: status and its class, path, error_code, request_id, and all of them together", () =>
    Effect.gen(function* () {
      const { api, key, logsOf } = yield* fresh
      const { body } = yield* api.post("/v1/orders", key, { amount: 1 })
      yield* api.get(`/v1/orders/${body.data.trade_no}`, key)
      yield* api.get("/v1/orders/none", key)
      yield* api.get("/v1/balance?currency=EUR", key)
      yield* api.post("/v1/test_helpers/channel", key, { reachable: false })
      yield* api.post(`/v1/orders/${body.data.trade_no}/expire`, key)

      const order = `/v1/orders/${body.data.trade_no}`
      for (const [query, expected] of [
        ["status=201", ["201 /v1/orders"]],
        ["status=404", ["404 /v1/orders/none"]],
        ["status=4xx", ["400 /v1/balance", "404 /v1/orders/none"]],
        ["status=5xx", [`502 ${order}/expire`]],
        ["status=2xx&path=/v1/orders", ["201 /v1/orders"]],
        ["status=418", []],
        ["status=1xx", []],
        ["path=/v1/orders", ["201 /v1/orders"]],
        [`path=${order}`, [`200 ${order}`]],
        ["path=/v1/order", []],
        ["path=/v1/orders%25", []],
        ["path=%00", []],
        ["error_code=processor_error", [`502 ${order}/expire`]],
        ["error_code=invalid_request", ["400 /v1/balance"]],
        ["error_code=nothing", []],
        ["error_code=%00", []],
        [`request_id=${body.request_id}`, ["201 /v1/orders"]],
        [`request_id=${body.request_id}&status=404`, []],
        ["request_id=req_0", []],
        ["status=404&path=/v1/orders/none&error_code=order_not_found", ["404 /v1/orders/none"]]
      ] as const) {
        const found = yield* logsOf(`?${query}`)
        assert.deepStrictEqual(
          found.map(({ path, status }: Log) => `${status} ${path}`),
          [...expected],
          query
        )
      }
    })
  )

  it.effect("a range of created includes its ends, in ISO 8601 or in seconds", () =>
    Effect.gen(function* () {
      const { api, key, logsOf } = yield* fresh
      yield* api.get("/v1/balance", key)
      const [log] = yield* logsOf("?path=/v1/balance")
      const millis = Date.parse(log.created_at)
      const iso = (offset: number) => encodeURIComponent(new Date(millis + offset).toISOString())
      for (const [query, length] of [
        [`created[gte]=${iso(0)}&created[lte]=${iso(0)}`, 1],
        [`created[gte]=${iso(1)}`, 0],
        [`created[lte]=${iso(-1)}`, 0],
        [`created[gte]=${Math.floor(millis / 1000)}`, 1],
        [`created[gte]=${Math.floor(millis / 1000) + 1}`, 0],
        [`created[lte]=${Math.floor(millis / 1000)}`, 1],
        [`created[lte]=${Math.floor(millis / 1000) - 1}`, 0],
        ["created[gte]=0", 1]
      ] as const) {
        assert.strictEqual((yield* logsOf(`?path=/v1/balance&${query}`)).length, length, query)
      }
    })
  )

  it.effect("newest first; starting_after goes on, ending_before goes back, has_more says whether more follows", () =>
    Effect.gen(function* () {
      const { api, key, list } = yield* fresh
      const ids: Array<string> = []
      for (let count = 0; count < 7; count++) {
        ids.unshift((yield* api.get("/v1/balance", key)).body.request_id)
      }
      for (const [query, expected, more] of [
        ["", ids, false],
        ["&limit=3", ids.slice(0, 3), true],
        ["&limit=7", ids, false],
        [`&limit=3&starting_after=${ids[2]}`, ids.slice(3, 6), true],
        [`&limit=3&starting_after=${ids[5]}`, ids.slice(6), false],
        [`&starting_after=${ids[6]}`, [], false],
        [`&limit=2&ending_before=${ids[6]}`, ids.slice(4, 6), true],
        [`&limit=2&ending_before=${ids[2]}`, ids.slice(0, 2), false],
        [`&ending_before=${ids[0]}`, [], false]
      ] as const) {
        const { body } = yield* list(`?path=/v1/balance${query}`)
        assert.deepStrictEqual(
          [body.data.data.map(({ request_id }: Log) => request_id), body.data.has_more],
          [[...expected], more],
          query
        )
      }
    })
  )

  it.effect("20 by default, and a filter that is rare still fills its page", () =>
    Effect.gen(function* () {
      const { api, key, list } = yield* fresh
      yield* Effect.forEach(Array.from({ length: 25 }), () => api.get("/v1/balance", key), { concurrency: 8 })
      const { body } = yield* list()
      assert.strictEqual(body.data.data.length, 20)
      assert.isTrue(body.data.has_more)
      assert.strictEqual((yield* list("?path=/v1/balance&limit=100")).body.data.data.length, 25)
    })
  )

  it.effect("what cannot be asked is 400 with its param", () =>
    Effect.gen(function* () {
      const { api, key, merchant, list } = yield* fresh
      const stranger = yield* fresh
      const foreign = (yield* stranger.api.get("/v1/balance", stranger.key)).body.request_id
      const own = (yield* api.get("/v1/balance", key)).body.request_id
      const order = (yield* api.post("/v1/orders", key, { amount: 1 })).body.data.trade_no
      yield* flushed(yield* Service)
      for (const [query, param] of [
        ["limit=0", "limit"],
        ["limit=101", "limit"],
        ["limit=abc", "limit"],
        ["limit=1.5", "limit"],
        ["status=40", "status"],
        ["status=4XX", "status"],
        ["status=4x", "status"],
        ["status=600", "status"],
        ["status=0xx", "status"],
        ["status=abc", "status"],
        ["status=", "status"],
        ["status=404,409", "status"],
        ["created[gte]=yesterday", "created[gte]"],
        ["created[lte]=", "created[lte]"],
        [`starting_after=${foreign}`, "starting_after"],
        [`ending_before=${foreign}`, "ending_before"],
        [`starting_after=${order}`, "starting_after"],
        [`starting_after=${own.toLowerCase()}`, "starting_after"],
        ["starting_after=req_00000000000000000000000000", "starting_after"],
        ["starting_after=", "starting_after"],
        ["ending_before=%00", "ending_before"]
      ] as const) {
        const { body, status } = yield* list(`?${query}`)
        assert.deepStrictEqual([status, body.error, body.param], [400, "invalid_request", param], query)
      }
      const both = yield* list(`?starting_after=${own}&ending_before=${own}`)
      assert.deepStrictEqual([both.status, both.body.error], [400, "invalid_request"])
      const csv = yield* list("?format=csv")
      assert.deepStrictEqual([csv.status, csv.body.param], [400, "format"])
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { approved: true })
      const otherMode = yield* list(`?starting_after=${own}`, merchant.liveKey)
      assert.deepStrictEqual([otherMode.status, otherMode.body.param], [400, "starting_after"])
    })
  )
})

test("no endpoint has another success than those that status=2xx asks for", () => {
  const statuses = Object.values(OpenApi.fromApi(Api).paths).flatMap(({ delete: del, get, post }) =>
    [del, get, post].flatMap((endpoint) => Object.keys(endpoint?.responses ?? {}).map(Number))
  )
  assert.isNotEmpty(statuses)
  assert.deepStrictEqual(
    statuses.filter((status) => status < 400 && !successes.includes(status)),
    []
  )
})

for (const several of [false, true]) {
  test.live(
    `a call is in GET /v1/logs when it is answered, while an earlier one is at work, of ${several ? "several runners" : "one"}`,
    () =>
      Effect.gen(function* () {
        const running = yield* start({ env: several ? yield* asRunner : {} })
        const { api, context } = running
        const { merchantId, sandboxKey: key } = running.merchant
        const idsOf = (query: string) =>
          Effect.map(api.get(`/v1/logs?path=/v1/balance${query}`, key), ({ body }) =>
            body.data.data.map(({ request_id }: Log) => request_id)
          )
        const call = Effect.map(api.get("/v1/balance", key), ({ body }) => String(body.request_id))
        const logs = Context.get(context, Logs)
        const first = yield* call
        // A slow upload: it has its number, and no answer.
        const account = { merchantId, mode: "sandbox" as const }
        const slow = { requestId: `req_${idBodyAfter(first.slice(4))}`, account: account as never }
        logs.begun(slow)
        const second = yield* call
        assert.deepStrictEqual(yield* idsOf(""), [second, first])
        assert.deepStrictEqual(yield* idsOf(`&request_id=${second}`), [second])
        assert.deepStrictEqual(yield* idsOf(`&starting_after=${second}`), [first])
        assert.deepStrictEqual(yield* idsOf(`&ending_before=${first}`), [], "a follower would miss the slow one")
        const { created_at } = (yield* api.get(`/v1/logs?request_id=${first}`, key)).body.data.data[0]
        assert.notInclude(yield* idsOf(`&created[gte]=${created_at}`), second)
        logs.append(
          { ...callOf(0, { merchantId: merchantId as never }), requestId: slow.requestId, at: yield* DateTime.now },
          slow
        )
        yield* flushed(running)
        assert.deepStrictEqual(yield* idsOf(""), [second, slow.requestId, first])
        if (!several) assert.deepStrictEqual(yield* idsOf(`&ending_before=${first}`), [second, slow.requestId])
      }).pipe(Effect.scoped)
  )
}

test.live("a look of who follows GET /v1/logs is not in it, unless it is refused", () =>
  Effect.gen(function* () {
    const running = yield* start()
    const { api, key, logsOf } = yield* loggedMerchant(running)
    const first = (yield* api.get("/v1/balance", key)).body.request_id
    assert.strictEqual((yield* api.get("/v1/logs", key)).status, 200)
    for (let look = 0; look < 3; look++) {
      assert.strictEqual((yield* api.get(`/v1/logs?ending_before=${first}`, key)).status, 200)
    }
    assert.strictEqual((yield* api.get("/v1/logs?ending_before=req_none", key)).status, 400)
    assert.deepStrictEqual(
      (yield* logsOf("?path=/v1/logs")).map(({ status }: Log) => status),
      [400, 200]
    )
  }).pipe(Effect.scoped)
)
