/**
 * A bookshop that sells by Coffer: a cart, the hosted checkout, webhooks, the page of an order, refunds, and its books
 * compared with Coffer's ledger. It keeps its orders in memory; a shop of yours has tables for them.
 */
import { randomUUID } from "node:crypto"
import { type Coffer, CofferError, ConflictError, webhooks, WebhookVerificationError } from "@coffer/sdk"
import { Hono } from "hono"
import { bodyLimit } from "hono/body-limit"
import { html } from "hono/html"
import { compare, type Line } from "./books.ts"

export interface ShopOptions {
  readonly coffer: Coffer
  /** Where buyers and Coffer reach the shop: `http://127.0.0.1:3000`. */
  readonly home: string
  /** Signs Coffer's posts to an order's own address: `webhookSigningSecret.get` answers it. */
  readonly secret: string
}

export interface Sale {
  readonly titles: ReadonlyArray<string>
  /** Minor units: 1999 is $19.99. */
  readonly amount: number
  status: "waiting for payment" | "paid" | "given up"
  refunded: number
  /** Of disputes that are lost. Each may still be won. */
  lost: number
}

/** The books that it sells, with prices in cents. */
const shelf: Readonly<Record<string, { readonly title: string; readonly price: number }>> = {
  moby: { title: "Moby Dick", price: 1999 },
  emma: { title: "Emma", price: 1499 },
  walden: { title: "Walden", price: 899 }
}

export const makeShop = (options: ShopOptions) => {
  const app = new Hono()
  const sales = new Map<string, Sale>()
  sell(app, sales, options)
  hear(app, sales, options)
  show(app, sales, options)
  app.onError((error, c) => {
    if (error instanceof WebhookVerificationError) return c.text(error.code, 400)
    const text = error instanceof CofferError ? `${error.code}: ${error.message}` : "Something went wrong."
    return c.html(page("Sorry", html`<p role="alert">${text}</p>`), 502)
  })
  return { app, sales }
}

type Sales = Map<string, Sale>

// The cart -------------------------------------------------------------------------

const sell = (app: Hono, sales: Sales, { coffer, home }: ShopOptions) => {
  app.get("/", (c) =>
    c.html(
      page(
        "Books",
        html`<form method="post" action="/checkout">
          ${Object.entries(shelf).map(
            ([id, { price, title }]) =>
              html`<p>
                <label>
                  <input name="${id}" type="number" min="0" max="9" value="0" /> ${title}, ${money(price)}
                </label>
              </p>`
          )}
          <p>
            <label>Receipt to <input name="email" type="email" /></label>
          </p>
          <button>Check out</button>
        </form>`
      )
    )
  )

  // Prices are ours and never the browser's. The number makes a repeated create the same order.
  app.post("/checkout", async (c) => {
    const form = await c.req.parseBody()
    const chosen = Object.entries(shelf).flatMap(([id, book]) => {
      const count = Number(form[id])
      return Number.isInteger(count) && count > 0 && count <= 9 ? [{ ...book, count }] : []
    })
    if (chosen.length === 0) return c.redirect("/", 303)
    const number = `cart-${randomUUID()}`
    const titles = chosen.map(({ count, title }) => `${count} × ${title}`)
    const amount = chosen.reduce((sum, { count, price }) => sum + count * price, 0)
    sales.set(number, { titles, amount, status: "waiting for payment", refunded: 0, lost: 0 })
    const order = await coffer.orders.create({
      amount,
      currency: "USD",
      out_trade_no: number,
      subject: titles.join(", "),
      notify_url: `${home}/hook`,
      return_url: `${home}/orders/{OUT_TRADE_NO}`,
      ...(typeof form["email"] === "string" && form["email"] !== "" ? { receipt_email: form["email"] } : {})
    })
    return c.redirect(order.checkout_url, 303)
  })
}

// Webhooks -------------------------------------------------------------------------

const hear = (app: Hono, sales: Sales, { coffer, secret }: ShopOptions) => {
  const handled = new Set<string>()
  let last: Promise<void> = Promise.resolve()

  app.post("/hook", bodyLimit({ maxSize: 1024 * 1024 }), async (c) => {
    const event = await webhooks.verify(await c.req.text(), c.req.header(), secret)
    const number = event.data.object.out_trade_no
    // One after the other, so that no older answer overwrites a newer one.
    last = last.catch(() => {}).then(() => (handled.has(event.id) ? undefined : refresh(coffer, sales, number)))
    await last
    // Last, so that an event whose work failed is done when it comes again.
    handled.add(event.id)
    return c.body(null, 200)
  })
}

/** An event says only that an order has changed, so events may come twice, late and in any order. */
const refresh = async (coffer: Coffer, sales: Sales, number: string): Promise<void> => {
  const sale = sales.get(number)
  if (sale === undefined) return
  const order = await coffer.orders.get(number)
  let lost = 0
  if (order.dispute_status !== null) {
    for await (const { amount, status } of coffer.disputes.list({ trade_no: number })) {
      if (status === "lost") lost += amount
    }
  }
  const isOpen = order.status === "pending"
  sale.status = order.paid_at !== null ? "paid" : isOpen ? "waiting for payment" : "given up"
  sale.refunded = order.refunded_amount
  sale.lost = lost
}

// The page of an order, and the books ----------------------------------------------

const show = (app: Hono, sales: Sales, { coffer }: ShopOptions) => {
  // The buyer may be back before the event has come, so the page asks; the event is what the shop acts on.
  app.get("/orders/:number", async (c) => {
    const number = c.req.param("number")
    const sale = sales.get(number)
    if (sale === undefined) return c.notFound()
    const isPaid = sale.status === "paid" || (await coffer.orders.get(number)).paid_at !== null
    const left = sale.amount - sale.refunded
    return c.html(
      page(
        isPaid ? "Thank you" : "Not paid yet",
        html`<p>${sale.titles.join(", ")}: ${money(sale.amount)}</p>
          ${sale.refunded > 0 ? html`<p role="status">${money(sale.refunded)} went back to you.</p>` : ""}
          ${
            isPaid && left > 0
              ? html`<form method="post" action="/orders/${number}/refund"><button>Give it back</button></form>`
              : ""
          }
          ${
            isPaid || sale.status === "given up"
              ? ""
              : html`<form method="post" action="/orders/${number}/cancel"><button>Cancel</button></form>`
          }`
      )
    )
  })

  // The refund's own number makes a second press the same refund.
  app.post("/orders/:number/refund", async (c) => {
    const number = c.req.param("number")
    const sale = sales.get(number)
    if (sale === undefined) return c.notFound()
    await coffer.refunds.create({
      trade_no: number,
      out_refund_no: `all-of-${number}`,
      reason: "the buyer gave it back"
    })
    return c.redirect(`/orders/${number}`, 303)
  })

  // The buyer may just have paid, or be about to: the page of the order then says so.
  app.post("/orders/:number/cancel", async (c) => {
    const number = c.req.param("number")
    await coffer.orders.expire(number).catch((error: unknown) => {
      if (!(error instanceof ConflictError)) throw error
    })
    await refresh(coffer, sales, number)
    return c.redirect(`/orders/${number}`, 303)
  })

  app.get("/books", async (c) => {
    const lines = await compare(coffer, sales)
    const rows = lines.map(
      ({ ledger, number, ours }: Line) =>
        html`<tr>
          <td>${number}</td>
          <td>${money(ours)}</td>
          <td>${money(ledger)}</td>
          <td>${ours === ledger ? "agrees" : "differs"}</td>
        </tr>`
    )
    const differing = lines.filter(({ ledger, ours }) => ledger !== ours).length
    return c.html(
      page(
        differing === 0 ? "The books agree" : `${differing} orders differ`,
        html`<table>
          <tr>
            <th>Order</th>
            <th>Ours</th>
            <th>Ledger</th>
            <th></th>
          </tr>
          ${rows}
        </table>`
      )
    )
  })
}

const money = (cents: number): string => `$${(cents / 100).toFixed(2)}`

/** `html` escapes what is put into it. */
const page = (title: string, body: ReturnType<typeof html>) =>
  html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>${title}</title>
      <style>
        body {
          font:
            16px/1.6 system-ui,
            sans-serif;
          margin: 2rem auto;
          max-width: 36rem;
          padding: 0 1rem;
        }
      </style>
      <h1>${title}</h1>
      ${body}
      <p><a href="/">Books</a> · <a href="/books">Accounts</a></p>
    </html>`
