// A small shop that is complete: it sells, receives webhooks, refunds, cancels, compares its books, and may be
// restarted at any moment. With COFFER_KEY and COFFER_BASE_URL set: node shop.mjs
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { ApiError, Coffer, CofferError, ConflictError, webhooks, WebhookVerificationError } from "@coffer/sdk"

const { COFFER_BASE_URL, COFFER_KEY, PORT = "3000", SHOP_FOLDER = "sales" } = process.env
const home = process.env.SHOP_URL ?? `http://127.0.0.1:${PORT}` // Coffer posts to it, and buyers return to it.
const coffer = new Coffer({ apiKey: COFFER_KEY, baseUrl: COFFER_BASE_URL })
const prices = { "Moby Dick": 1999, Emma: 1499 } // Whole cents: 1999 is $19.99.

/** What the shop itself refuses. */
const refused = (status, error) => Object.assign(new Error(error), { answer: [status, { error }] })

// Sales: a file each, replaced whole, so that a crash leaves the old one or the new one. Yours are rows of a database.

mkdirSync(SHOP_FOLDER, { recursive: true })
const checked = (number) => {
  if (/^[\w-]{1,60}$/.test(number)) return number
  throw refused(400, "A number has 1 to 60 letters, digits, - and _.")
}
const fileOf = (number) => `${SHOP_FOLDER}/${checked(number)}.json`
const find = (number) => (existsSync(fileOf(number)) ? JSON.parse(readFileSync(fileOf(number), "utf8")) : undefined)
const load = (number) => {
  const sale = find(number)
  if (sale !== undefined) return sale
  throw refused(404, `There is no order ${number}.`)
}
const save = (sale) => {
  writeFileSync(`${fileOf(sale.number)}.new`, JSON.stringify(sale))
  renameSync(`${fileOf(sale.number)}.new`, fileOf(sale.number))
}
const numbers = () => readdirSync(SHOP_FOLDER).flatMap((name) => /^(.+)\.json$/.exec(name)?.slice(1) ?? [])

/** Acts on one order run one after the other, so that an older answer never overwrites a newer one. */
const turns = new Map()
const inTurn = (number, act) => {
  const turn = (turns.get(number) ?? Promise.resolve()).then(act)
  turns.set(
    number,
    turn.catch(() => {})
  )
  return turn
}

/** The cart has a number before Coffer is asked. So a repeated request is the same order, and is paid once. */
const buy = ({ cart, title }) => {
  if (!Object.hasOwn(prices, title)) throw refused(400, `We sell ${Object.keys(prices).join(" and ")}.`)
  const sale = find(cart) ?? { number: cart, title, amount: prices[title], home, refunds: {}, events: [] }
  if (sale.title !== title) throw refused(409, "This cart has another book.")
  save(sale)
  return refresh(sale)
}
const create = async (sale) => {
  const { amount, number, title } = sale // The amount is the shop's own price, never one from the browser.
  // The home of that day: the same number with another address would be refused.
  const links = { notify_url: `${sale.home}/hook`, return_url: `${sale.home}/orders/{OUT_TRADE_NO}` }
  const order = { amount, currency: "USD", out_trade_no: number, subject: title, ...links }
  sale.created_at = (await coffer.orders.create(order)).created_at
}

/** Reads an order's state. An event says only that it has changed, so events may come twice, late and in any order. */
const refresh = async (sale) => {
  if (sale.created_at === undefined) await create(sale)
  const order = await coffer.orders.get(sale.number)
  sale.status = order.status
  sale.paid = order.paid_at !== null // The status goes on: `refunded` was paid, too.
  sale.refunded = order.refunded_amount // It falls when the bank sends a refund back.
  sale.dispute = order.dispute_status
  sale.lost = 0 // A dispute that was lost can still be won.
  if (sale.dispute !== null) {
    for await (const { amount, status } of coffer.disputes.list({ trade_no: order.trade_no })) {
      if (status === "lost") sale.lost += amount
    }
  }
  for (const [id, refund] of Object.entries(sale.refunds)) {
    if (refund.status !== "asked") refund.status = (await coffer.refunds.get(`${sale.number}.${id}`)).status
  }
  // Once, whatever comes later. Not where all of it was refunded by then.
  if (sale.paid && sale.status !== "refunded") sale.shipped_at ??= new Date().toISOString()
  save(sale)
  return { ...sale, checkout_url: order.checkout_url } // Whoever has it can pay, so it is not stored.
}

/** `id` is the intention, such as the number of the returned parcel. The same id is the same refund. */
const refund = (sale, { amount, id }) => {
  const known = (sale.refunds[checked(id)] ??= { status: "asked", amount })
  if (known.amount !== amount) throw refused(409, "This id is a refund of another amount.")
  save(sale) // Before the call, so that it is repeated with the same number, whatever happens now.
  return sendRefund(sale, id)
}
const sendRefund = async (sale, id) => {
  const number = `${sale.number}.${id}`
  const refund = sale.refunds[id]
  const terms = { trade_no: sale.number, out_refund_no: number, amount: refund.amount } // No amount: all that is left.
  try {
    refund.status = (await coffer.refunds.create(terms)).status
  } catch (error) {
    // A refusal has done nothing. Without an answer it may be done: it stays `asked`, and is sent again. So it does
    // where the key or the pace was refused, which says nothing about an earlier try.
    const { code, reason, status } = error
    const isOpen = !(error instanceof ApiError) || status >= 500 || [401, 403, 429].includes(status)
    const isFinal = reason === "channel_refused" || (!isOpen && code !== "idempotency_in_progress")
    if (isFinal && refund.status === "asked") delete sale.refunds[id]
    save(sale)
    throw error
  }
  return refresh(sale)
}

const cancel = async (sale) => {
  let reason = "" // `just_paid`: the buyer was faster. `buyer_busy`: again in a minute. `not_pending`: it had ended.
  if (sale.created_at === undefined) await create(sale)
  await coffer.orders.expire(sale.number).catch((error) => {
    if (!(error instanceof ConflictError)) throw error
    reason = error.reason
  })
  const now = await refresh(sale)
  if (now.status !== "expired") throw refused(409, `${reason}: the order is ${now.status}.`)
  return now
}

/** Of orders with a notify_url it is the account's. For a day after its rotation each post has both signatures. */
let known = { readAt: 0 }
const secret = async () => {
  const isOld = Date.now() - known.readAt > 60_000
  if (isOld) known = { ...(await coffer.webhookSigningSecret.get()), readAt: Date.now() }
  return known.secret
}
const hear = async (body, headers) => {
  const event = await webhooks.verify(body, headers, await secret()) // Throws when it is forged, or 300 seconds old.
  const number = event.data.object.out_trade_no
  if (!numbers().includes(number)) return // It is no sale of this shop.
  await inTurn(number, async () => {
    const sale = load(number)
    if (sale.events.includes(event.id)) return
    sale.events.push(event.id) // Saved with its work. If that fails we answer 5xx, and the event comes again.
    await refresh(sale)
  })
}

/** Repeats what has no answer, and reads what was missed: at the start, each ten minutes, and before the books. */
const catchUp = async (number) => {
  const sale = load(number)
  const open = Object.keys(sale.refunds).filter((id) => sale.refunds[id].status === "asked")
  for (const id of open) {
    await sendRefund(sale, id).catch((error) => {
      if (id in sale.refunds) throw error // Otherwise it was refused, and is none.
    })
  }
  return refresh(sale)
}

const books = async () => {
  const sales = []
  for (const number of numbers()) sales.push(await inTurn(number, () => catchUp(number)))
  const gte = sales.map(({ created_at }) => created_at).toSorted()[0]
  const moved = {}
  const decided = new Set()
  for await (const row of coffer.ledger.list({ currency: "USD", created: { gte } })) {
    if (row.out_trade_no === null || row.type === "fee_debit" || row.type === "dispute_fee") continue
    // Newest first. Of a payment, refund or dispute the last row counts: an unfreeze after a debit gives it back.
    const isKept = ["payment_credit", "refund_debit", "dispute_debit"].includes(row.type)
    if (isKept && !decided.has(row.reference_id)) moved[row.out_trade_no] = (moved[row.out_trade_no] ?? 0) + row.amount
    decided.add(row.reference_id)
  }
  const lines = sales.map(({ amount, lost, number, paid, refunded }) => {
    const ours = paid ? amount - refunded - lost : 0
    const ledger = moved[number] ?? 0
    return { number, ours, ledger, agrees: ours === ledger }
  })
  return { agree: lines.every(({ agrees }) => agrees), lines }
}

// The shop's own HTTP

const answer = async (request, body) => {
  const [, place, number, act] = new URL(request.url, home).pathname.split("/")
  const read = () => (body.length === 0 ? {} : JSON.parse(body.toString()))
  switch (`${request.method} ${place}${act === undefined ? "" : ` ${act}`}`) {
    case "POST hook":
      return hear(body, request.headers)
    case "POST buy": {
      const typed = { cart: randomUUID(), ...read() }
      return inTurn(typed.cart, () => buy(typed))
    }
    case "GET orders":
      return inTurn(number, () => refresh(load(number)))
    case "POST orders refund":
      return inTurn(number, () => refund(load(number), read()))
    case "POST orders cancel":
      return inTurn(number, () => cancel(load(number)))
    case "GET books":
      return books()
  }
  throw refused(404, "POST /buy, GET /orders/N, POST /orders/N/refund, POST /orders/N/cancel, GET /books")
}
const refusalOf = (error) => {
  if (error.answer !== undefined) return error.answer
  if (error instanceof SyntaxError) return [400, { error: "The body is not JSON." }]
  if (error instanceof WebhookVerificationError) return [400, { error: error.code }]
  const { code, detail, reason, status } = error
  if (error instanceof ApiError && status < 500) return [status, { error: code, reason, message: detail }]
  if (error instanceof CofferError) return [502, { error: "The outcome is not known. Send the same again." }]
  return [500, { error: String(error) }]
}
createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk) // The signature is of these bytes, before they are parsed.
  const [status, body] = await answer(request, Buffer.concat(chunks)).then((made) => [200, made ?? {}], refusalOf)
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body))
}).listen(Number(PORT), async () => {
  console.log(`The shop is open: ${home}`)
  for (;;) {
    for (const number of numbers()) await inTurn(number, () => catchUp(number)).catch(console.error)
    await new Promise((again) => setTimeout(again, 600_000))
  }
})
