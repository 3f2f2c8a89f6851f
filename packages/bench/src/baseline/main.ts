/**
 * The baseline: what a competent Node engineer would write instead of Coffer. Fastify with JSON schemas for input and
 * output, node-postgres with a tuned pool and prepared statements, one transaction per request, rows locked while they
 * are changed. It works on the service's own tables and writes the same rows (test/bench/sameRows.test.ts).
 */
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify"
import { durably } from "../engines/dbos.ts"
import { makeApiLogs, openLogDays } from "../rivals/apiLogs.ts"
import { newId } from "../rivals/ids.ts"
import { makeMerchants, type Merchant, takeQuota } from "../rivals/merchants.ts"
import type { Terms } from "../rivals/orderRows.ts"
import { makePool } from "../rivals/pool.ts"
import { makeSecrets } from "../rivals/secrets.ts"
import { readSettings } from "../rivals/settings.ts"
import { type Answer, type Key, Refused } from "./answers.ts"
import { makeOrders } from "./orders.ts"
import { makeReads } from "./reads.ts"
import { schemas } from "./schemas.ts"

const { databaseUrl, port, publicUrl, secretKey } = readSettings()
const variant = process.env["BASELINE_VARIANT"] === "at-once" ? "at-once" : "script"
// Of 12, 24 and 48, none was better than 24 on two cores (docs/performance.md); `POOL` sets another.
const pool = makePool(databaseUrl, Number(process.env["POOL"] ?? 24))
const secrets = makeSecrets(secretKey)
const merchants = makeMerchants(pool, secrets)
const logs = makeApiLogs(pool)
const orders = makeOrders(pool, secrets, publicUrl, variant)
const reads = makeReads(pool, orders.view)
const pay = process.env["BASELINE_VARIANT"] === "dbos" ? await durably(databaseUrl, orders.pay) : orders.pay
await openLogDays(pool)

declare module "fastify" {
  interface FastifyRequest {
    merchant: Merchant
    arrived: number
  }
}

const app = Fastify({
  logger: false,
  bodyLimit: 1024 * 1024,
  keepAliveTimeout: 65_000,
  genReqId: () => newId("req_"),
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allowUnionTypes: true } }
})
app.decorateRequest("merchant", null as unknown as Merchant)
app.decorateRequest("arrived", 0)

const admit = (request: FastifyRequest, reply: FastifyReply, merchant: Merchant | undefined) => {
  if (merchant === undefined) throw new Refused(401, "invalid_api_key", "This key is not valid, or was reset.")
  request.merchant = merchant
  const quota = takeQuota(merchant, request.method === "GET" ? "reads" : "writes", request.arrived)
  if (quota === undefined) throw new Refused(429, "rate_limited", "Too many requests within a minute.")
  reply.headers({ "ratelimit-policy": quota.policy, ratelimit: quota.limit })
}

app.addHook("onRequest", (request, reply, done) => {
  if (request.url === "/readyz") return done()
  request.arrived = Date.now()
  reply.header("x-request-id", request.id)
  const key = request.headers["x-api-key"]
  if (typeof key !== "string") throw new Refused(401, "missing_api_key", "Send your secret key in X-Api-Key.")
  const merchant = merchants.byKey(key)
  if (!(merchant instanceof Promise)) {
    admit(request, reply, merchant)
    done()
    return
  }
  merchant.then((found) => admit(request, reply, found)).then(() => done(), done)
})

app.addHook("onSend", (request, reply, payload, done) => {
  const { merchant } = request
  if (merchant !== null && typeof payload === "string") {
    logs.append({
      request_id: request.id,
      merchant_id: merchant.merchantId,
      mode: merchant.mode,
      method: request.method,
      path: request.url.replace(/\?.*$/, ""),
      status: reply.statusCode,
      duration_ms: Date.now() - request.arrived,
      ip: request.ip,
      user_agent: request.headers["user-agent"] ?? null,
      idempotency_key: (request.headers["idempotency-key"] as string | undefined) ?? null,
      request_body: request.body,
      response_body: payload,
      at: request.arrived
    })
  }
  done(null, payload)
})

app.setErrorHandler((error: Error & { validation?: ReadonlyArray<{ instancePath: string }> }, request, reply) => {
  const refusal =
    error instanceof Refused
      ? { code: error.code, error: error.error, message: error.message }
      : error.validation === undefined
        ? { code: 500, error: "internal_error", message: "Internal error." }
        : { code: 400, error: "invalid_request", message: error.message, param: paramOf(error.validation) }
  if (refusal.code === 500) console.error(error)
  return reply.code(refusal.code).send({ ...refusal, request_id: request.id })
})

const paramOf = ([first]: ReadonlyArray<{ instancePath: string }>) => first?.instancePath.slice(1).replaceAll("/", ".")

const envelope = (request: FastifyRequest, reply: FastifyReply, { code, data, replayed }: Answer) => {
  if (replayed === true) reply.header("idempotent-replayed", "true")
  return reply.code(code).send({ code, message: code === 201 ? "created" : "ok", request_id: request.id, data })
}

const keyOf = (request: FastifyRequest): Key => {
  const key = request.headers["idempotency-key"]
  if (typeof key !== "string") return undefined
  const { merchantId, mode } = request.merchant
  return { merchantId, mode, method: request.method, path: request.url, key, body: request.body }
}

interface Ref {
  readonly ref: string
}

app.post<{ Body: Terms }>("/v1/orders", { schema: schemas.create }, async (request, reply) =>
  envelope(request, reply, await orders.create(request.merchant, request.body, keyOf(request)))
)

app.post<{ Params: Ref; Body: { payment_method?: string } }>(
  "/v1/test_helpers/orders/:ref/pay",
  { schema: schemas.pay },
  async (request, reply) => {
    const method = request.body.payment_method ?? "card"
    return envelope(request, reply, await pay(request.merchant, request.params.ref, method, keyOf(request)))
  }
)

app.get<{ Params: Ref }>("/v1/orders/:ref", { schema: schemas.retrieve }, async (request, reply) =>
  envelope(request, reply, { code: 200, data: await reads.retrieve(request.merchant, request.params.ref) })
)

app.get<{ Querystring: Record<string, string> }>("/v1/orders", { schema: schemas.list }, async (request, reply) =>
  envelope(request, reply, { code: 200, data: await reads.list(request.merchant, request.query) })
)

app.get<{ Querystring: { currency?: string } }>("/v1/balance", { schema: schemas.balance }, async (request, reply) =>
  envelope(request, reply, { code: 200, data: await reads.balance(request.merchant, request.query.currency ?? "USD") })
)

app.get("/readyz", () => ({ status: "ready" }))

await app.listen({ port, host: "127.0.0.1" })
console.log("ready")
