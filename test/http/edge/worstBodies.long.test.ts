/**
 * The cost of the worst request that a route accepts (silences: G6), for each route of both APIs and each page. No
 * valid body is refused for its size: the largest of each endpoint is accepted, also with all the room beside it
 * filled; and so is the longest query. How long each held the event loop is printed and not asserted.
 */
import { Worker } from "node:worker_threads"
import { uploadPartsMax } from "@coffer/contract/Files"
import { bodyLimitsOf } from "@coffer/contract/bodyLimits"
import { mcpBody } from "@coffer/contract/Mcp"
import { checkoutFormBytesMax, checkoutFormFieldsMax, queryParametersMax } from "@coffer/model/Limits"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { Logs } from "../../../src/shared/logs/Logs.ts"
import { Merchants } from "../../../src/access/merchants/Merchants.ts"
import type { Reply } from "../../kit/Api.ts"
import { endpoints } from "../../kit/routes/endpoints.ts"
import { escaped, filled, isOfFilling, largestBodies } from "../../kit/routes/largest.ts"
import { loopDelay, leastLoopDelay } from "../../kit/run/eventLoopDelay.ts"
import {
  aboutPayout,
  consolePath,
  cursorOf,
  difference,
  isList,
  longestForPage,
  longestQueries,
  statusOfPage
} from "../../kit/routes/longest.ts"
import { accept } from "../../kit/routes/operatorWrites.ts"
import { routes } from "../../kit/routes/routes.ts"
import { type Running, start } from "../../kit/Service.ts"
import { fileOf, filePart, formOf, headersOfForm, modePart, type Part, upload } from "../../kit/callers/uploads.ts"

class Service extends Context.Service<Service, Running>()("test/worstBodies") {}

const nameOf = ({ method, path }: HttpApiEndpoint.Top) => `${method} ${path}`

/** 1.2 MB of JSON parse in some 10 ms; 2,000 values are canonicalised, sorted and decoded in 2. */
const [bytesMax, valuesMax] = [1_200_000, 2_000]

/** The objects that each request needs, all of one new merchant. */
const world = Effect.gen(function* () {
  const { api, atRest, baseUrl, context, sql } = yield* Service
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
  const link = Effect.map(api.post("/v1/payment_links", key, { amount: 1 }), ({ body }) => body.data.link_id as string)
  const event = Effect.map(api.get("/v1/events", key), ({ body }) => body.data.data[0].id as string)
  /** At most 16 of them. */
  const endpoint = Effect.gen(function* () {
    const [known] = (yield* api.get("/v1/webhook_endpoints", key)).body.data.data
    const made = known ?? (yield* api.post("/v1/webhook_endpoints", key, { url: "https://a.example/" })).body.data
    return made.id as string
  })
  const apiKey = Effect.map(
    api.operator("POST", `/merchants/${merchantId}/api_keys`, { mode: "sandbox", name: "N", scopes: ["orders:read"] }),
    ({ body }) => body.data.key_id as string
  )
  const report = Effect.map(
    api.post("/v1/reports", key, { report: "frozen" }),
    ({ body }) => body.data.report_no as string
  ).pipe(Effect.tap(() => atRest))
  const operator = Effect.map(
    api.operator("POST", "/operators", { name: "Ada", role: "viewer" }),
    ({ body }) => body.data.operator_id as string
  )
  const person = Effect.map(
    api.operator("POST", "/people", { email: `${merchantId}@shop.example`, merchant_id: merchantId, role: "viewer" }),
    ({ body }) => body.data.person_id as string
  ).pipe(Effect.tap((number) => accept(sql, number)))
  const erasure = Effect.map(
    api.post("/v1/erasures", key, { email: "buyer@example.com" }),
    ({ body }) => body.data.erasure_no as string
  )
  const delivery = Effect.gen(function* () {
    yield* endpoint
    yield* paid
    return (yield* api.get("/v1/webhook_deliveries", key)).body.data.data[0].id as string
  })
  /** A payment of another amount than its order's. */
  const parked = Effect.gen(function* () {
    const trade_no = yield* order
    yield* api.post(`/v1/test_helpers/orders/${trade_no}/pay`, key, { amount: 999 })
    const [row] = yield* sql<{ payment_id: string }>`select payment_id from sandbox_payments
      where trade_no = ${trade_no}`
    return { trade_no, payment_id: row!.payment_id }
  }).pipe(Effect.catchTags({ SqlError: Effect.die }))
  const stray = Effect.gen(function* () {
    const id = "ssn_00000000000000000000000001"
    yield* sql`insert into stray_sessions (id, channel, merchant_id, mode, session_id, trade_no, status, created_at, updated_at)
      values (${id}, 'stripe', ${merchantId}, 'live', 'cs_1', 'TRD_1', 'paid', to_timestamp(0), to_timestamp(0))
      on conflict (id) do nothing`
    return id
  }).pipe(Effect.catchTags({ SqlError: Effect.die }))
  /** Keys that are never decrypted here. */
  const account = Effect.andThen(
    Effect.ignore(sql`update merchant_modes set channel_accounts = '{"stripe": {"isActive": false,
      "setAt": "2026-01-01T00:00:00.000Z", "own": {"secretKey": "", "webhookSecret": "", "account": null}}}'
      where merchant_id = ${merchantId} and mode = 'live'`),
    Context.get(context, Merchants).forget(merchantId)
  )
  const file = yield* upload(baseUrl, merchantId, formOf(modePart("sandbox"), filePart(fileOf("pdf"))))
  const bodies = largestBodies({ trade_no: yield* paid, files: [file.body.data.url] })
  yield* Effect.flatMap(Logs, ({ flushed }) => flushed).pipe(Effect.provide(context))

  const pathOf = Effect.fnUntraced(function* (path: string) {
    const [, kind] = /(\w+)\/:(?!merchant_id|mode|currency)\w+/.exec(path) ?? []
    const step = /\/(pay|expire|complete|fail)$/.exec(path)?.[1]
    const made = {
      refunds: refund,
      disputes: dispute,
      events: event,
      payment_links: link,
      webhook_endpoints: endpoint,
      webhook_deliveries: delivery,
      operators: operator,
      people: person,
      erasures: erasure,
      stray_sessions: stray,
      api_keys: apiKey,
      reports: report,
      orders: step === undefined ? paid : order
    }
    const of = kind === "payouts" ? (step === undefined ? payout : approved) : made[kind as keyof typeof made]
    const no = of === undefined ? "" : yield* of
    const given: Readonly<Record<string, string>> = {
      merchant_id: merchantId,
      mode: "live",
      currency: "USD",
      instance_id: "0000000000000000",
      ...(path.includes(":payment_id") ? yield* parked : {}),
      ...(path.endsWith("/close") && path.includes(":merchant_id")
        ? { merchant_id: (yield* api.newMerchant()).merchantId }
        : {})
    }
    if (path.endsWith("/reconciliation")) yield* account
    return path.replace(/:(\w+)/g, (_, name: string) => given[name] ?? no)
  })
  const headers = { Authorization: `Bearer ${api.operatorToken}` }
  const send = Effect.fnUntraced(function* (endpoint: HttpApiEndpoint.Top, raw: string) {
    const path = yield* pathOf(endpoint.path)
    return yield* loopDelay(api.call(endpoint.method, path, { key, raw, headers }))
  })
  const get = (address: string) => api.call("GET", address, { key, headers })
  const filePath = new URL(file.body.data.url).pathname
  const made = Effect.all([
    refund,
    dispute,
    link,
    payout,
    endpoint,
    delivery,
    operator,
    person,
    apiKey,
    report,
    erasure,
    difference(sql, merchantId)
  ])
  return { api, baseUrl, key, merchantId, bodies, made, payout, pathOf, filePath, get, send }
})

/** From a thread of its own: 10 MB hold a client's loop, too. Waits for a signal to begin. */
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

interface Row {
  readonly route: string
  readonly what: string
  readonly bytes: number
  /** The values of a body, of a form's fields or of a query's parameters. */
  readonly values: number
  readonly millis: number
}
const table: Array<Row> = []
const refused: Array<Row> = []

/** The console's need a session: test/http/people/roles.long.test.ts. */
const routesHere = () => routes().filter((route) => !/ \/(console\/api|channels\/:channel)\//.test(route))

/** A runner is killed on the embedded database alone. The operators' API refuses the names that fill a body. */
const isTaken = (answer: Reply, route: string) =>
  answer.status < 300 ||
  // There is no other runner, and the order is captured as it is paid.
  (answer.status === 409 && /^POST .*.(kill|drain|authorize|capture)$/.test(route)) ||
  (route.includes(" /operator/") && isOfFilling(answer))

const parametersOf = (query: string) => query.split("&").length

layer(Layer.effect(Service, start({ env: { SECURITY_CONTACT: "mailto:security@example.com" } })), {
  excludeTestServices: true
})("the worst request", (it) => {
  it.effect("with a JSON body is bounded in bytes and values, and the largest valid one is accepted", () =>
    Effect.gen(function* () {
      const { bodies, send } = yield* world
      const taking = endpoints.filter(({ method, path }) => method !== "GET" && !path.endsWith("/files"))
      assert.sameMembers(taking.map(nameOf), Object.keys(bodies), "each endpoint has its largest body")
      for (const endpoint of taking) {
        const route = nameOf(endpoint)
        const { bytes, values } = bodyLimitsOf(endpoint)
        assert.isAtMost(bytes, bytesMax, route)
        assert.isAtMost(values, valuesMax, route)
        const largest = escaped(bodies[route])
        const first = yield* send(endpoint, largest)
        assert.isTrue(isTaken(first.answer, route), `${route} ${first.answer.text.slice(0, 300)}`)
        const raw = filled(largest, { bytes, values })
        assert.strictEqual(Buffer.byteLength(raw), bytes)
        const { answers, millis } = yield* leastLoopDelay(send(endpoint, raw))
        for (const answer of answers) assert.isTrue(isTaken(answer, route), `${route} ${answer.text.slice(0, 300)}`)
        table.push({ route, what: "body", bytes, values, millis })
        if (endpoint.payload.size === 0) continue

        const more: Reply = (yield* send(endpoint, `${raw} `)).answer
        assert.deepStrictEqual([more.status, more.body.error], [400, "invalid_request"], route)
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
        const { answer, millis } = yield* loopDelay(api.call("POST", "/v1/orders", { key, raw, headers }))
        assert.deepStrictEqual([answer.status, answer.body.error], [400, "invalid_request"])
        assert.match(answer.body.message, /more than \d+ values/)
        refused.push({ route: "POST /v1/orders", what: "names", bytes: raw.length, values: 45_000, millis })
      }
    })
  )

  it.effect("of a checkout page is a form of 4 kB and 16 fields; a larger one is no form of ours", () =>
    Effect.gen(function* () {
      const { api, key } = yield* world
      const { body } = yield* api.post("/v1/orders", key, { amount: 100 })
      const { pathname } = new URL(body.data.checkout_url)
      const route = "POST /checkout/:token"
      const headers = { "Content-Type": "application/x-www-form-urlencoded" }
      const send = (raw: string) => loopDelay(api.call("POST", `${pathname}?${longestForPage}`, { raw, headers }))
      const rowOf = (raw: string, millis: number) => {
        return { route, what: "form", bytes: raw.length, values: parametersOf(raw), millis }
      }
      const card = "step=pay&method=card&number=4242424242424242&expiry=12%2F40&cvc=123"
      const others = Array.from({ length: checkoutFormFieldsMax - 5 }, (_, index) => `&a${index}=`).join("")
      const worst = `${card}${others}`.padEnd(checkoutFormBytesMax, "b")
      for (const raw of ["a&".repeat(520_000), `${worst}b`, `${card}${others}&b=`]) {
        const { answer, millis } = yield* send(raw)
        assert.strictEqual(answer.status, 422)
        refused.push(rowOf(raw, millis))
      }
      const { answer, millis } = yield* send(worst)
      assert.strictEqual(answer.status, 303)
      table.push(rowOf(worst, millis))
    })
  )

  it.effect("with a file is one of 10 MB among other parts, which is written while it comes", () =>
    Effect.gen(function* () {
      const { baseUrl, key, merchantId } = yield* world
      const others = Array.from({ length: uploadPartsMax - 2 }, (_, index): Part => {
        return { name: `a${index}`, content: "b".repeat(1_000) }
      })
      const form = formOf(modePart("sandbox"), ...others, filePart(fileOf("pdf", 10 * 1024 * 1024)))
      const headers = { ...headersOfForm, "X-Api-Key": key }
      for (const path of ["/operator/v1/merchants/:merchant_id/files", "/v1/files"]) {
        const url = baseUrl + path.replace(":merchant_id", merchantId)
        const { answer: status, millis } = yield* loopDelay(yield* elsewhere(url, headers, form))
        assert.strictEqual(status, 201)
        table.push({ route: `POST ${path}`, what: "form", bytes: form.length, values: uploadPartsMax, millis })
      }
    })
  )

  it.effect("without a body has a query of 100 parameters, within the 16 kB of Node's limit for the head", () =>
    Effect.gen(function* () {
      const { get, made, merchantId, pathOf, payout } = yield* world
      yield* made
      const payoutNo = yield* payout
      for (const endpoint of endpoints.filter(({ method }) => method === "GET")) {
        const path = yield* pathOf(endpoint.path)
        const route = nameOf(endpoint)
        const cursor = isList(endpoint.path)
          ? yield* cursorOf(get(/^.operator.*merchants\/.*\/\w+$/.test(path) ? `${path}?mode=sandbox` : path))
          : undefined
        for (const { query, what } of longestQueries(endpoint.path, cursor)) {
          const address = `${path}?${aboutPayout(query, payoutNo)}`
          const { answers, millis } = yield* leastLoopDelay(loopDelay(get(address)))
          for (const { status, text } of answers) assert.strictEqual(status, 200, `${route} ${text.slice(0, 300)}`)
          assert.isAtMost(parametersOf(query), queryParametersMax)
          table.push({ route, what, bytes: query.length, values: parametersOf(query), millis })
        }
        const more = yield* get(`${path}?${"limit=1&".repeat(queryParametersMax)}a`)
        assert.deepStrictEqual([more.status, more.body.error], [400, "invalid_request"])
        assert.match(more.body.message, /more than 100 parameters/)
      }
      const longer = yield* get(`/operator/v1/merchants/${merchantId}?${"a".repeat(16 * 1024)}`)
      assert.deepStrictEqual([longer.status, longer.body.error], [400, "invalid_request"])
    })
  )

  it.effect("of an agent is a message as large as it may be, with as many values", () =>
    Effect.gen(function* () {
      const { api, bodies, key } = yield* world
      const params = { name: "orders_create", arguments: bodies["POST /v1/orders"] }
      const call = escaped({ jsonrpc: "2.0", id: 1, method: "tools/call", params })
      const raw = filled(call, mcpBody)
      const { answers, millis } = yield* leastLoopDelay(loopDelay(api.call("POST", "/mcp", { key, raw })))
      for (const { status } of answers) assert.isBelow(status, 500)
      table.push({ route: "POST /mcp", what: "message", ...mcpBody, millis })
      const more = yield* api.call("POST", "/mcp", { key, raw: `${raw} ` })
      assert.strictEqual(more.status, 400)
    })
  )

  it.effect("of a page has a query of as many parameters as the head has room for", () =>
    Effect.gen(function* () {
      const { api, bodies, filePath, get, key, pathOf } = yield* world
      const { body } = yield* api.post("/v1/orders", key, bodies["POST /v1/orders"])
      const checkout = new URL(body.data.checkout_url).pathname
      const sold = yield* Effect.flatMap(pathOf("/v1/orders/:ref"), get)
      const addresses: Record<string, string> = {
        "GET /checkout/:token": checkout,
        // The order is paid, so that the event comes at once.
        "GET /checkout/:token/events": `${new URL(sold.body.data.checkout_url).pathname}/events`,
        "GET /docs/*": "/docs/quickstart",
        "GET /files/:name": filePath,
        "GET /receipts/:token": new URL(sold.body.data.receipt_url).pathname
      }
      const pages = routesHere().filter((route) => route.startsWith("GET ") && !endpoints.map(nameOf).includes(route))
      for (const route of pages) {
        const path = addresses[route] ?? consolePath(route)
        const { answers, millis } = yield* leastLoopDelay(loopDelay(get(`${path}?${longestForPage}`)))
        for (const { status, text } of answers) {
          assert.strictEqual(status, statusOfPage(route), `${route} ${text.slice(0, 300)}`)
        }
        const values = parametersOf(longestForPage)
        table.push({ route, what: "query", bytes: longestForPage.length, values, millis })
      }
    })
  )

  it.effect("is in the table for every route of both APIs and every page", () =>
    Effect.sync(() => {
      const lines = [...table, ...refused.map((row) => ({ ...row, what: `${row.what}, refused` }))].map((row) =>
        [
          row.route.padEnd(60),
          row.what.padEnd(20),
          String(row.bytes).padStart(8),
          String(row.values).padStart(6),
          row.millis.toFixed(1).padStart(5)
        ].join(" ")
      )
      process.stdout.write(`\nworst request of each route: bytes, values or parameters, ms held\n${lines.join("\n")}\n`)
      // adyen/notices.test.ts, worstEvent.test.ts, linkVisits.long.test.ts, leakedKeys.test.ts
      const elsewhere = [
        "POST /channels/adyen/:token",
        "POST /channels/stripe/:token",
        "POST /pay/:link_id",
        "POST /leaked_keys",
        // Answered without reading it.
        "DELETE /mcp",
        // The library's own router has them, and `POST /mcp` alone leads to it.
        ...["OPTIONS", "PATCH", "PUT"].map((method) => `${method} /mcp`)
      ]
      assert.deepStrictEqual([...new Set(table.map(({ route }) => route)), ...elsewhere].toSorted(), routesHere())
      assert.includeMembers([...routesHere()], endpoints.map(nameOf))
    })
  )
})
