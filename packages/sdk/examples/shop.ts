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
  // A real shop has a table of them.
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

  // An event only says that an order has changed. The order is read, so events may come twice, late and in any order.
  const refresh = async ({ data, type }: Event): Promise<void> => {
    const number = data.object.out_trade_no
    const sale = sales.get(number)
    if (sale === undefined) return
    const order = await coffer.orders.get(number)
    if (order.paid_at !== null) {
      sale.status = "paid"
      sale.parcel ??= `SF-${number}`
    } else if (order.status !== "pending") sale.status = "given up"
    sale.refunded = order.refunded_amount
    if (type !== "dispute.created") return
    const dispute = await coffer.disputes.get(data.object.dispute_no)
    if (dispute.status === "needs_response") await answer(dispute.dispute_no, sale)
  }

  // One after the other, so that an older answer never overwrites a newer one.
  let last = Promise.resolve()
  const handle = (event: Event) => (last = last.catch(() => {}).then(() => refresh(event)))

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
