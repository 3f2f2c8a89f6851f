/**
 * What the worst request that a route accepts costs (silences: G6). No valid body is refused for its size: the largest of
 * each endpoint is accepted, also with all the room beside it filled. Bytes and values are counted; how long each held
 * the event loop is printed, and not asserted, since this machine does other things beside.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Worker } from "node:worker_threads"
import { Api } from "@coffer/contract/Api"
import { bodyLimitsOf } from "@coffer/contract/bodyLimits"
import { OperatorApi } from "@coffer/contract/Operator"
import { checkoutFormBytesMax, checkoutFormFieldsMax, queryParametersMax } from "@coffer/model/Limits"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Reply } from "../../kit/Api.ts"
import { escaped, filled, largestBodies } from "../../kit/largest.ts"
import { operatorToken, type Running, start } from "../../kit/Service.ts"
import { fileOf, filePart, formOf, headersOfForm, modePart, upload } from "../../kit/uploads.ts"

class Service extends Context.Service<Service, Running>()("test/worstBodies") {}

const endpoints = [Api, OperatorApi].flatMap((api) =>
  (Object.values(api.groups) as ReadonlyArray<HttpApiGroup.Top>).flatMap(
    (group) => Object.values(group.endpoints) as ReadonlyArray<HttpApiEndpoint.Top>
  )
)
const nameOf = ({ method, path }: HttpApiEndpoint.Top) => `${method} ${path}`

/** 1.2 MB of JSON parse in some 10 ms; 2,000 values are canonicalised, sorted and decoded in 2. */
const [bytesMax, valuesMax] = [1_200_000, 2_000]

/** Longest gap between two turns of the event loop while it runs, client's part included; and its answer. */
const held = <A>(effect: Effect.Effect<A>) =>
  Effect.gen(function* () {
    const delays = monitorEventLoopDelay({ resolution: 1 })
    delays.enable()
    const answer = yield* effect
    delays.disable()
    return { answer, millis: delays.max / 1e6 }
  })

/** What each request needs to be there: all of them of one merchant, made anew. */
const world = Effect.gen(function* () {
  const { api, baseUrl } = yield* Service
  const { merchantId, sandboxKey: key } = yield* api.newMerchant()
  const order = Effect.map(api.post("/v1/orders", key, { amount: 1_000 }), ({ body }) => body.data.trade_no as string)
  const paid = Effect.tap(order, (no) => api.post(`/v1/test_helpers/orders/${no}/pay`, key))
  yield* Effect.replicateEffect(paid, 3)
  const refund = Effect.gen(function* () {
    const reply = yield* api.post("/v1/refunds", key, { trade_no: yield* paid, amount: 1 })
    return reply.body.data.refund_no as string
  })
  const dispute = Effect.gen(function* () {
    const reply = yield* api.post(`/v1/test_helpers/orders/${yield* paid}/dispute`, key, { amount: 1 })
    return reply.body.data.dispute_no as string
  })
  const payout = Effect.gen(function* () {
    const body = { mode: "sandbox", currency: "USD", amount: 1 }
    const reply = yield* api.operator("POST", `/merchants/${merchantId}/payouts`, body)
    return reply.body.data.payout_no as string
  })
  const approved = Effect.tap(payout, (no) => api.operator("POST", `/payouts/${no}/approve`))
  const file = yield* upload(baseUrl, merchantId, formOf(modePart("sandbox"), filePart(fileOf("pdf"))))
  const bodies = largestBodies({ trade_no: yield* paid, files: [file.body.data.url] })

  const pathOf = Effect.fnUntraced(function* (path: string) {
    const [, kind] = /(orders|refunds|disputes|payouts)\/:\w+/.exec(path) ?? []
    const step = /\/(pay|expire|complete|fail)$/.exec(path)?.[1]
    const made = { refunds: refund, disputes: dispute, orders: step === undefined ? paid : order }
    const of = kind === "payouts" ? (step === undefined ? payout : approved) : made[kind as keyof typeof made]
    const no = of === undefined ? "" : yield* of
    return path.replace(":merchant_id", merchantId).replace(":mode", "live").replace(/:\w+/, no)
  })
  const send = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top, raw: string) {
    const path = yield* pathOf(endpoint.path)
    const headers = { Authorization: `Bearer ${operatorToken}` }
    return yield* held(api.call(endpoint.method, path, { key, raw, headers }))
  })
  return { api, baseUrl, key, merchantId, bodies, order, send }
})

/** From a thread of its own: 10 MB hold a client's loop, too. Ready to be told to begin. */
const elsewhere = (url: string, headers: Record<string, string>, body: Uint8Array) =>
  Effect.callback<Effect.Effect<number>>((resume) => {
    const worker = new Worker(
      `const { parentPort, workerData: { url, ...sent } } = require("node:worker_threads")
       parentPort.once("message", () =>
         fetch(url, { method: "POST", ...sent }).then(({ status }) => parentPort.postMessage(status)))`,
      { eval: true, workerData: { url, headers, body } }
    )
    const send = Effect.callback<number>((answered) => {
      worker.once("message", (status: number) => answered(Effect.succeed(status)))
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker of Node, not a window
      worker.postMessage("begin")
    })
    worker.once("online", () => resume(Effect.succeed(send)))
  })

const table: Array<readonly [route: string, bytes: number, values: number | string, millis: number]> = []

layer(Layer.effect(Service, start()), { excludeTestServices: true })("the worst body", (it) => {
  it.effect("that an endpoint takes is bounded in bytes and values, and the largest valid one is accepted", () =>
    Effect.gen(function* () {
      const { bodies, send } = yield* world
      const taking = endpoints.filter(({ method, path }) => method !== "GET" && !path.endsWith("/files"))
      assert.sameMembers(taking.map(nameOf), Object.keys(bodies), "each endpoint has its largest body")
      for (const endpoint of taking) {
        const name = nameOf(endpoint)
        const limits = bodyLimitsOf(endpoint)
        assert.isAtMost(limits.bytes, bytesMax, name)
        assert.isAtMost(limits.values, valuesMax, name)
        const largest = escaped(bodies[name])
        const first = yield* send(endpoint, largest)
        assert.isBelow(first.answer.status, 300, `${name} ${first.answer.text.slice(0, 300)}`)
        const raw = filled(largest, limits)
        assert.strictEqual(Buffer.byteLength(raw), limits.bytes)
        const tries = yield* Effect.replicateEffect(send(endpoint, raw), 3)
        for (const { answer } of tries) {
          assert.isBelow(answer.status, 300, `${name} ${answer.text.slice(0, 300)}`)
        }
        // Others may have held this machine meanwhile: the least of three.
        table.push([name, limits.bytes, limits.values, Math.min(...tries.map(({ millis }) => millis))])
        if (endpoint.payload.size === 0) continue

        const more: Reply = (yield* send(endpoint, `${raw} `)).answer
        assert.deepStrictEqual([more.status, more.body.error], [400, "invalid_request"], name)
        assert.notProperty(more.body, "param")
      }
    })
  )

  it.effect("full of names is refused by their number, before they are sorted or decoded", () =>
    Effect.gen(function* () {
      const { api, key } = yield* world
      const fields = Array.from({ length: 45_000 }, (_, index) => `"${index}":0`).join(",")
      for (const headers of [{}, { "Idempotency-Key": "many" }, { "Content-Type": "Application/JSON" }]) {
        const raw = `{"amount":100,${fields.slice(0, 400_000)},"z":0}`
        const { answer, millis } = yield* held(api.call("POST", "/v1/orders", { key, raw, headers }))
        assert.deepStrictEqual([answer.status, answer.body.error], [400, "invalid_request"])
        assert.match(answer.body.message, /more than \d+ values/)
        table.push(["POST /v1/orders, 45,000 names, refused", raw.length, 45_000, millis])
      }
    })
  )

  it.effect("of a checkout page is a form of 4 kB and 16 fields; a larger one is no form of ours", () =>
    Effect.gen(function* () {
      const { api, key } = yield* world
      const { body } = yield* api.post("/v1/orders", key, { amount: 100 })
      const { pathname } = new URL(body.data.checkout_url)
      const headers = { "Content-Type": "application/x-www-form-urlencoded" }
      const send = (raw: string) => held(api.call("POST", pathname, { raw, headers }))
      const card = "step=pay&method=card&number=4242424242424242&expiry=12%2F40&cvc=123"
      const others = Array.from({ length: checkoutFormFieldsMax - 5 }, (_, index) => `&a${index}=`).join("")
      const worst = `${card}${others}`.padEnd(checkoutFormBytesMax, "b")
      for (const raw of ["a&".repeat(520_000), `${worst}b`, `${card}${others}&b=`]) {
        const { answer, millis } = yield* send(raw)
        assert.strictEqual(answer.status, 422)
        table.push(["POST /checkout/:token, refused", raw.length, raw.split("&").length, millis])
      }
      const { answer, millis } = yield* send(worst)
      assert.strictEqual(answer.status, 303)
      table.push(["POST /checkout/:token", worst.length, checkoutFormFieldsMax, millis])
    })
  )

  it.effect("of a file is one of 10 MB, which is written while it comes", () =>
    Effect.gen(function* () {
      const { baseUrl, merchantId } = yield* world
      const form = formOf(modePart("sandbox"), filePart(fileOf("pdf", 10 * 1024 * 1024)))
      const url = `${baseUrl}/operator/v1/merchants/${merchantId}/files`
      const { answer: status, millis } = yield* held(yield* elsewhere(url, headersOfForm, form))
      assert.strictEqual(status, 201)
      table.push(["POST /operator/v1/merchants/:merchant_id/files", form.length, "-", millis])
    })
  )

  it.effect("is none for a list, but a query of 100 parameters, within the 16 kB of Node's limit for the head", () =>
    Effect.gen(function* () {
      const { api, key } = yield* world
      for (const endpoint of endpoints.filter(({ method, path }) => method === "GET" && path.startsWith("/v1"))) {
        const path = endpoint.path.replace(/:\w+/, "none")
        const query = (count: number) => Array.from({ length: count }, () => `limit=${"%31".repeat(40)}`).join("&")
        const worst = yield* held(api.get(`${path}?${query(queryParametersMax)}`, key))
        assert.include([400, 404, 200], worst.answer.status)
        assert.notMatch(worst.answer.text, /parameters/)
        table.push([nameOf(endpoint), query(queryParametersMax).length, queryParametersMax, worst.millis])
        const more = yield* api.get(`${path}?${query(queryParametersMax + 1)}`, key)
        assert.deepStrictEqual([more.status, more.body.error], [400, "invalid_request"])
        assert.match(more.body.message, /more than 100 parameters/)
      }
      const lines = table.map(([route, bytes, values, millis]) =>
        [route.padEnd(60), String(bytes).padStart(9), String(values).padStart(7), millis.toFixed(1).padStart(8)].join(
          " "
        )
      )
      process.stdout.write(`\nworst request of each route: bytes, values or fields, ms held\n${lines.join("\n")}\n`)
    })
  )
})
