/**
 * The ceiling: bare `node:http`, no framework, and the service's own idea of group commit. It checks little and
 * supports only the scenarios of the bench: it shows how fast the design could be, not how fast a service can be.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { makeReads } from "../baseline/reads.ts"
import { makeApiLogs, openLogDays } from "../rivals/apiLogs.ts"
import { newId } from "../rivals/ids.ts"
import { makeMerchants, type Merchant, takeQuota } from "../rivals/merchants.ts"
import type { Terms } from "../rivals/orderRows.ts"
import { makePool } from "../rivals/pool.ts"
import { makeSecrets } from "../rivals/secrets.ts"
import { readSettings } from "../rivals/settings.ts"
import { makeCommits } from "./Commits.ts"
import { type Answer, makeOrders } from "./orders.ts"

const { databaseUrl, port, publicUrl, secretKey } = readSettings()
const pool = makePool(databaseUrl, 8)
const secrets = makeSecrets(secretKey)
const merchants = makeMerchants(pool, secrets)
const logs = makeApiLogs(pool)
const orders = makeOrders(pool, await makeCommits(databaseUrl), secrets, publicUrl)
const reads = makeReads(pool, orders.view)
await openLogDays(pool)

const bodyOf = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ""
    request.setEncoding("utf8")
    request.on("data", (part: string) => (text += part))
    request.on("end", () => resolve(text))
    request.on("error", reject)
  })

const isTerms = (body: Terms) =>
  Number.isSafeInteger(body.amount) &&
  body.amount > 0 &&
  (body.currency === undefined || ["USD", "HKD", "CNY"].includes(body.currency)) &&
  (body.out_trade_no === undefined || /^(?!plink_).{1,128}$/.test(body.out_trade_no)) &&
  (body.subject == null || body.subject.length <= 255)

const answer = async (
  request: IncomingMessage,
  merchant: Merchant,
  url: string,
  body: unknown
): Promise<Answer | undefined> => {
  if (request.method === "POST") {
    if (url === "/v1/orders") {
      if (!isTerms(body as Terms)) return undefined
      const key = request.headers["idempotency-key"] as string | undefined
      const { merchantId, mode } = merchant
      const keyed = key === undefined ? undefined : { merchantId, mode, method: "POST", path: url, key, body }
      return orders.create(merchant, body as Terms, keyed)
    }
    const [, ref = ""] = /^\/v1\/test_helpers\/orders\/([^/]+)\/pay$/.exec(url) ?? []
    return orders.pay(merchant, ref, (body as { payment_method?: string }).payment_method ?? "card")
  }
  if (url.startsWith("/v1/orders/")) return orders.retrieve(merchant, url.slice("/v1/orders/".length))
  const query = Object.fromEntries(new URLSearchParams(url.slice(url.indexOf("?"))))
  if (url.startsWith("/v1/orders")) return { code: 200, data: await reads.list(merchant, query) }
  return { code: 200, data: await reads.balance(merchant, query["currency"] ?? "USD") }
}

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = request.url ?? ""
  if (url === "/readyz") return void response.end("{}")
  const arrived = Date.now()
  const requestId = newId("req_")
  const key = request.headers["x-api-key"] as string
  const text = request.method === "POST" ? await bodyOf(request) : ""
  const found = merchants.byKey(key)
  const merchant = found instanceof Promise ? await found : found
  const quota = merchant && takeQuota(merchant, request.method === "GET" ? "reads" : "writes", arrived)
  const body = text === "" ? null : JSON.parse(text)
  const answered = merchant && quota && (await answer(request, merchant, url, body))
  const code = answered?.code ?? 400
  const sent = JSON.stringify({
    code,
    message: code === 201 ? "created" : code === 200 ? "ok" : "refused",
    request_id: requestId,
    data: answered?.data
  })
  response.writeHead(code, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(sent),
    "x-request-id": requestId,
    "ratelimit-policy": quota?.policy ?? "",
    ratelimit: quota?.limit ?? ""
  })
  response.end(sent)
  if (merchant === undefined) return
  logs.append({
    request_id: requestId,
    merchant_id: merchant.merchantId,
    mode: merchant.mode,
    method: request.method ?? "",
    path: url.replace(/\?.*$/, ""),
    status: code,
    duration_ms: Date.now() - arrived,
    ip: "127.0.0.1",
    user_agent: request.headers["user-agent"] ?? null,
    idempotency_key: (request.headers["idempotency-key"] as string | undefined) ?? null,
    request_body: body,
    response_body: sent,
    at: arrived
  })
}

createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  handle(request, response).catch((cause: unknown) => {
    console.error(cause)
    response.writeHead(500).end("{}")
  })
}).listen(port, "127.0.0.1", () => console.log("ready"))
