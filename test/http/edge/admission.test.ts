/** A service under overload refuses at once, reads first, and still answers the rest (silences: U12). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import {
  Admission,
  type AdmissionGroup,
  groupShares,
  roomMax,
  writesPerRead
} from "../../../src/shared/http/Admission.ts"
import { Clients } from "../../../src/shared/http/Clients.ts"
import type { Reply } from "../../kit/Api.ts"
import { head, sendRaw } from "../../kit/callers/Raw.ts"
import { type Running, start } from "../../kit/Service.ts"

interface Given extends Running {
  readonly admission: Admission["Service"]
}
class Service extends Context.Service<Service, Given>()("test/admission") {}

const service = Layer.effect(
  Service,
  Effect.gen(function* () {
    const running = yield* start()
    const admission = Context.get(running.context as Context.Context<Admission>, Admission)
    const { tick } = admission
    // It measures how late the loop is on its own.
    yield* Effect.callback<void>((resume) => {
      Object.assign(admission, { tick: () => resume(Effect.void) })
    })
    // The start made the loop late; from here on it is on time, however busy this machine is with other tests.
    for (let count = 0; count < 10; count++) tick(0)
    Object.assign(admission, { tick: () => undefined })
    return { ...running, admission }
  })
)

const refused = (reply: { status: number; body: { error: string }; headers: Pick<Headers, "get"> }, what: string) => {
  assert.deepStrictEqual([reply.status, reply.body.error], [503, "internal_error"], what)
  assert.strictEqual(reply.headers.get("retry-after"), "1")
}

const none = { reads: 0, csv: 0, writes: 0, public: 0, operator: 0 }

const shedCounts = Effect.gen(function* () {
  const { api } = yield* Service
  const { text } = yield* api.get("/metrics")
  const lines = Array.from(text.matchAll(/^coffer_http_requests_shed_?\w*\{[^}]*kind="(\w+)"[^}]*\} (\d+)/gm))
  return Object.fromEntries(lines.map(([, kind, count]) => [kind, Number(count)]))
})

/** As if so many requests were running. */
const filled = (
  admission: Admission["Service"],
  group: AdmissionGroup,
  party: string,
  count: number,
  kind: "reads" | "writes"
) => Array.from({ length: count }, () => admission.enter({ group, party, kind })!)

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

layer(service, { excludeTestServices: true })("a service with too much in work", (it) => {
  it.effect("has the count of what it shed from the start, with zero", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* shedCounts, { ...none })
    })
  )

  it.effect("refuses only the largest party's reads and exports, with 503 and Retry-After", () =>
    Effect.gen(function* () {
      const { admission, api, baseUrl } = yield* Service
      const [most, other] = [yield* api.newMerchant(), yield* api.newMerchant()]
      const inside = filled(admission, "sandbox", most.merchantId, roomMax, "reads")

      refused(yield* api.get("/v1/orders", most.sandboxKey), "a list")
      refused(yield* api.get("/v1/orders?format=csv", most.sandboxKey), "an export")
      const long = yield* sendRaw(baseUrl, head(`GET ${baseUrl}/v1/orders`, { "X-Api-Key": most.sandboxKey }))
      assert.deepStrictEqual([long.status, long.headers["retry-after"]], [503, "1"])

      for (const reply of [
        yield* api.post("/v1/orders", most.sandboxKey, { amount: 100 }),
        yield* api.get("/v1/orders", other.sandboxKey),
        yield* api.get("/v1/orders?format=csv", other.sandboxKey),
        yield* api.get("/healthz"),
        yield* api.get("/readyz"),
        yield* api.get("/metrics")
      ]) {
        assert.include([200, 201], reply.status)
      }
      // Room for two, and then for one export: answered requests no longer count.
      for (const visit of inside.slice(roomMax / 2 - 2)) admission.move(visit, "left")
      for (let index = 0; index < 10; index++) {
        assert.strictEqual((yield* api.get("/v1/balance", most.sandboxKey)).status, 200)
        assert.strictEqual((yield* api.get("/v1/orders/none", most.sandboxKey)).status, 404)
        assert.strictEqual((yield* api.get("/v1/orders?format=csv", most.sandboxKey)).status, 200)
      }
      for (const visit of inside.slice(0, roomMax / 2 - 2)) admission.move(visit, "left")
      assert.deepStrictEqual(yield* shedCounts, { ...none, reads: 2, csv: 1 })
    })
  )

  it.effect("counts the objects that an answer may hold: of a list as many as asked for, of a timeline a hundred", () =>
    Effect.gen(function* () {
      const { api, context, merchant } = yield* Service
      const { building } = Context.get(context as Context.Context<Clients>, Clients)
      const { give, take } = building
      const [taken, given]: [Array<number>, Array<number>] = [[], []]
      Object.assign(building, {
        take: (...all: Parameters<typeof take>) => (taken.push(all[1]), take(...all)),
        give: (...all: Parameters<typeof give>) => (given.push(all[1]), give(...all))
      })
      const { trade_no } = (yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100 })).body.data
      for (const path of ["", "?limit=7", `/${trade_no}`, `/${trade_no}/timeline`]) {
        assert.strictEqual((yield* api.get(`/v1/orders${path}`, merchant.sandboxKey)).status, 200)
      }
      Object.assign(building, { give, take })
      assert.deepStrictEqual(
        [taken, given],
        [
          [20, 7, 100],
          [20, 7, 100]
        ]
      )
    })
  )

  it.effect("refuses only writes of the party that has most of them under way", () =>
    Effect.gen(function* () {
      const { admission, api, merchant } = yield* Service
      const most = yield* api.newMerchant()
      const inside = filled(admission, "sandbox", most.merchantId, writesPerRead * roomMax, "writes")
      refused(yield* api.post("/v1/orders", most.sandboxKey, { amount: 100 }), "a write")
      assert.strictEqual((yield* api.get("/v1/orders", most.sandboxKey)).status, 200)
      assert.strictEqual((yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100 })).status, 201)
      for (const visit of inside) admission.move(visit, "left")
      assert.strictEqual((yield* api.post("/v1/orders", most.sandboxKey, { amount: 100 })).status, 201)
    })
  )

  it.effect(
    "refuses pages, files, the reference and calls without a valid key, and no merchant, operator or probe",
    () =>
      Effect.gen(function* () {
        const { admission, api, merchant } = yield* Service
        const { body } = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100 })
        const checkout = new URL(body.data.checkout_url).pathname
        const asked: ReadonlyArray<readonly [what: string, otherwise: number, ask: Effect.Effect<Reply>]> = [
          ["the reference", 200, api.get("/docs/try")],
          ["the document", 200, api.get("/openapi.json")],
          ["links", 200, api.get("/")],
          ["a file", 404, api.get("/files/none")],
          ["no key", 401, api.get("/v1/orders")],
          ["a bad key", 401, api.get("/v1/orders", "svc_test_none")],
          ["a bad key for no address of ours", 404, api.get("/v1/none", "svc_test_none")],
          ["a bad token", 401, api.call("GET", "/operator/v1/merchants/none", { headers: bearer("none") })],
          ["no address of ours", 404, api.get("/nowhere")]
        ]
        const page = api.call("GET", checkout)
        const form = { "Content-Type": "application/x-www-form-urlencoded" }
        const step = api.call("POST", checkout, { raw: "step=pay&method=alipay", headers: form })

        const inside = [
          ...filled(admission, "public", "127.0.0.1", groupShares.public * roomMax, "reads"),
          ...filled(admission, "public", "127.0.0.1", groupShares.public * roomMax * writesPerRead, "writes")
        ]
        for (const [what, , ask] of asked) refused(yield* ask, what)
        for (const reply of [yield* page, yield* step]) {
          assert.deepStrictEqual([reply.status, reply.headers.get("retry-after")], [503, "1"])
          assert.match(reply.headers.get("content-type") ?? "", /^text\/html/)
          assert.include(reply.text, 'href="?"')
        }
        for (const reply of [
          yield* api.get("/v1/orders", merchant.sandboxKey),
          yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100 }),
          yield* api.operator("GET", `/merchants/${merchant.merchantId}`),
          yield* api.get("/healthz"),
          yield* api.get("/readyz"),
          yield* api.get("/metrics")
        ]) {
          assert.include([200, 201], reply.status)
        }
        // Room for one of each: answered requests no longer count.
        for (const visit of [inside[0]!, inside.at(-1)!]) admission.move(visit, "left")
        for (const [what, status, ask] of [...asked, ...asked]) assert.strictEqual((yield* ask).status, status, what)
        for (const reply of [yield* page, yield* step, yield* page, yield* step]) assert.strictEqual(reply.status, 200)
        for (const visit of inside.slice(1, -1)) admission.move(visit, "left")
      })
  )

  it.effect("refuses the operator's calls by a number of their own", () =>
    Effect.gen(function* () {
      const { admission, api, merchant } = yield* Service
      const call = api.operator("GET", `/merchants/${merchant.merchantId}`)
      const inside = filled(admission, "operator", "operator", groupShares.operator * roomMax, "reads")
      refused(yield* call, "the operator")
      assert.strictEqual((yield* api.get("/v1/orders", merchant.sandboxKey)).status, 200)
      assert.strictEqual((yield* api.get("/v1/orders")).status, 401)
      admission.move(inside[0]!, "left")
      for (let count = 0; count < 3; count++) assert.strictEqual((yield* call).status, 200)
      for (const visit of inside.slice(1)) admission.move(visit, "left")
    })
  )
})
