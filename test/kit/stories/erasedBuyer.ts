/**
 * A buyer through all that a buyer can go through, whose e-mail, name and metadata stand in everything that is kept,
 * and the search for them (docs/decisions/0103).
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { Effect } from "effect"
import { uploaded } from "../callers/uploads.ts"
import { type Json, merchantOf, said } from "../Merchant.ts"
import type { Running } from "../Service.ts"

export const email = "Jane.Doe+shop@buyer.example"
export const name = "Jane Quillfeather"
const street = "17 Marmalade Row"
/** Traces that must not be found: in upper or lower case, and as a part of a URL. */
const traces = [email, encodeURIComponent(email), name, street].map((text) => text.toLowerCase())

/** Answers what it was sent, as some receivers do. */
export const echo = Effect.map(
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((request, response) => void request.pipe(response.writeHead(200)))
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  ),
  (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
)

export const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder).flatMap((entry) => {
    const file = path.join(folder, entry)
    return statSync(file).isDirectory() ? filesIn(file) : [`${entry}: ${readFileSync(file, "latin1")}`]
  })

export const found = (texts: ReadonlyArray<string>) =>
  texts.flatMap((text) =>
    traces.flatMap((trace) => {
      const at = text.toLowerCase().indexOf(trace)
      return at === -1 ? [] : [`${text.slice(0, 20)} … ${text.slice(Math.max(0, at - 80), at + 40)}`]
    })
  )

export const terms = (more: Json = {}): Json => ({
  amount: 5_000,
  receipt_email: email,
  subject: `For ${name}`,
  return_url: `https://shop.example/thanks?mail=${encodeURIComponent(email)}`,
  metadata: { customer: name, street, size: "L" },
  ...more
})

/** `rested` waits until mails and webhooks have gone, and calls are in the log. */
export const wholeBuyer = Effect.fnUntraced(function* (
  running: Pick<Running, "api" | "merchant" | "baseUrl">,
  hook: string,
  rested: Effect.Effect<unknown>
) {
  const { api, merchant } = running
  const shop = merchantOf(running)
  const key = { "Idempotency-Key": `cart-${email}` }
  const made = yield* said(shop.post("/v1/orders", terms({ out_trade_no: "cart-1", notify_url: hook }), key))
  yield* said(shop.post(`/v1/test_helpers/orders/${made["trade_no"]}/pay`, { payment_method: "card" }))
  yield* said(shop.post("/v1/orders/cart-1", { metadata: { courier_note: `${name}, ${street}` } }, key))
  yield* said(
    shop.refund({ trade_no: made["trade_no"], amount: 100, reason: `${name} asked`, metadata: { for: name } }, key)
  )
  const url = yield* uploaded(running, merchant.merchantId)
  const { dispute_no } = yield* said(shop.dispute("cart-1"))
  yield* said(
    shop.respond(dispute_no, {
      evidence: { customer_name: name, customer_email_address: email, shipping_address: street },
      files: [{ type: "receipt", url }]
    })
  )
  // Refused, so that the log alone has it.
  yield* shop.post("/v1/orders", { ...terms(), amount: -1, customer: { name } })
  // Without an address of its own: the metadata names the buyer.
  yield* said(shop.post("/v1/orders", { amount: 1_000, out_trade_no: "cart-2", metadata: { mail: email, who: name } }))
  yield* rested
  for (const query of ["/v1/orders", "/v1/events?limit=100", "/v1/orders/cart-1/timeline", "/v1/webhook_deliveries"]) {
    yield* shop.get(query)
  }
  yield* rested
  return { api, shop, dispute_no, tradeNo: made["trade_no"] as string, fileName: url.slice(url.lastIndexOf("/") + 1) }
})
