/** A whole shop on Node's own server: it sells, receives events, refunds, and answers disputes. */
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import { type Coffer, CofferError, type Event, webhooks, WebhookVerificationError } from "@coffer/sdk"

export interface Sale {
  readonly title: string
  readonly amount: number
  readonly buyer: string
  status: "ordered" | "paid" | "given up"
  refunded: number
  parcel?: string
}

export interface ShopOptions {
  readonly coffer: Coffer
  /** The endpoint's signing secret, from the answer of `webhookEndpoints.create`; its URL is `/hook`. */
  readonly secret: () => string
  /** The shop's address for buyers. */
  readonly home: string
}

const books: Readonly<Record<string, number>> = { "Moby Dick": 1999, Emma: 1499 }

export const makeShop = ({ coffer, home, secret }: ShopOptions) => {
  // A real shop has tables for both: handled events, and sales by number.
  const handled = new Set<string>()
  const sales = new Map<string, Sale>()

  const buy = async (title: string, buyer: string): Promise<string> => {
    const amount = books[title]
    if (amount === undefined) throw new Error(`no such book: ${title}`)
    const number = `cart-${randomUUID()}`
    sales.set(number, { title, amount, buyer, status: "ordered", refunded: 0 })
    const order = await coffer.orders.create({
      amount,
      out_trade_no: number,
      subject: title,
      receipt_email: buyer,
      return_url: `${home}/orders/{OUT_TRADE_NO}`
    })
    return order.checkout_url
  }

  // The number makes this safe to retry: the same number is the same refund.
  const refund = (number: string, amount: number) =>
    coffer.refunds.create({ trade_no: number, amount, out_refund_no: `refund-${number}` })

  const handle = async (event: Event): Promise<void> => {
    if (handled.has(event.id)) return
    const sale = sales.get(event.data.object.out_trade_no)
    if (sale === undefined) return
    switch (event.type) {
      case "payment.succeeded":
        sale.status = "paid"
        sale.parcel = `SF-${event.data.object.out_trade_no}`
        break
      case "payment.failed":
      case "payment.expired":
        sale.status = "given up"
        break
      case "refund.succeeded":
        sale.refunded += event.data.object.amount
        break
      case "dispute.created":
        await answer(event.data.object.dispute_no, sale)
    }
    // Last, so that an event whose handling failed is handled when it is delivered again.
    handled.add(event.id)
  }

  const answer = (number: string, sale: Sale) =>
    coffer.disputes.submitEvidence(number, {
      evidence: {
        product_description: sale.title,
        customer_email_address: sale.buyer,
        shipping_carrier: "SF Express",
        shipping_tracking_number: sale.parcel ?? null
      },
      submit: true
    })

  const hook = async (request: IncomingMessage): Promise<void> => {
    const chunks: Array<Uint8Array> = []
    for await (const chunk of request) chunks.push(chunk)
    await handle(await webhooks.verify(Buffer.concat(chunks), request.headers, secret()))
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams: typed } = new URL(request.url ?? "/", home)
    const [, place, number = "", act] = pathname.split("/")
    const sale = sales.get(number)
    try {
      if (place === "hook") {
        await hook(request)
        response.writeHead(200).end()
      } else if (place === "buy" && request.method === "POST") {
        const checkout = await buy(typed.get("title") ?? "", typed.get("buyer") ?? "")
        response.writeHead(303, { Location: checkout }).end()
      } else if (place !== "orders" || sale === undefined) response.writeHead(404).end()
      else if (act === "refund" && request.method === "POST") {
        response.end((await refund(number, Number(typed.get("amount") ?? sale.amount))).status)
      } else response.end(`${sale.title}: ${(await coffer.orders.get(number)).status}`)
    } catch (error) {
      const code = error instanceof WebhookVerificationError || error instanceof CofferError ? error.code : "failed"
      response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end(code)
    }
  })
  return { sales, server }
}
