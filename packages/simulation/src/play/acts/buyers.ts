/** Buyers with a browser: at the page of an order, and at that of a payment link. */
import type { Reply } from "../Runners.ts"
import { dataOf, isGood, type Request, type Story } from "../Story.ts"

/** With `processing` the bank reports the payment some seconds later. */
const cards = { good: "4242424242424242", declined: "4000000000000002", processing: "4000000000000077" }

export const pathOf = (url: unknown) => new URL(String(url)).pathname

/** The form of this page, or undefined if there is none, as when the order is paid. */
export const formOf = ({ text }: Reply, card: keyof typeof cards): string | undefined => {
  const [, attempt] = /name="attempt_no" value="(\w+)"/.exec(text) ?? []
  if (attempt === undefined) return undefined
  const fields = { step: "pay", method: "card", number: cards[card], expiry: "12/40", cvc: "123" }
  return new URLSearchParams({ ...fields, attempt_no: attempt }).toString()
}

/** Looks, has a card declined at times, and presses the button twice at times: the form is the same attempt. */
export const buying = async (story: Story, no: number) => {
  const order = await story.create(no)
  if (order !== undefined) await payAtPage(story, no, pathOf(order["checkout_url"]), String(order["trade_no"]))
}

const payAtPage = async (story: Story, no: number, path: string, tradeNo: string) => {
  const { world } = story
  const ask = (request: Omit<Request, "path" | "of">) => story.ask(no, { path, of: "buyer", ...request })
  let page = await ask({ method: "GET" })
  const declined = formOf(page, "declined")
  if (declined !== undefined && world.dice.chance(0.3)) {
    page = await ask({ body: declined })
    world.mark("a card was declined")
  }
  const form = formOf(page, "good")
  if (form === undefined) return
  const replies = await story.twice(() => ask({ body: form }))
  if (replies.length > 1) world.mark("a buyer pressed the button twice")
  const read = await story.ask(no, { method: "GET", path: `/v1/orders/${tradeNo}` })
  if (!isGood(read) || dataOf(read)["status"] !== "paid") return
  world.mark("a buyer paid at the page")
  story.done("pay", tradeNo, "form")
}

const visits = 3

/** The button of a link's page, pressed twice: the form has one number, and makes one order. */
export const pressing = async (story: Story, no: number) => {
  const body = { amount: 800, currency: "USD", subject: `Button ${no}`, max_uses: 9 }
  const made = await story.ask(no, { path: "/v1/payment_links", key: `button-${no}`, body })
  if (!isGood(made)) return
  const { link_id: linkId, url } = dataOf(made)
  story.done("link", "", `button-${no}`, String(linkId))
  const visitNo = Array.from({ length: 26 }, () => "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[story.world.dice.below(32)])
  const form = `visit_no=${visitNo.join("")}`
  const press = () => story.ask(no, { path: pathOf(url), body: form, of: "buyer" })
  const replies = await Promise.all([press(), press()])
  const led = replies.flatMap(({ headers, status }) =>
    status === 303 ? [/TRD_\w+/.exec(String(headers.location))?.[0]] : []
  )
  if (led.length === 2) story.world.mark("a link's button was pressed twice")
  if (new Set(led).size > 1)
    story.outcome.broken.push(`one press of link ${String(linkId)} led to ${led.join(" and ")}`)
}

/** More visits at once than the link allows. Each that is let in has an order of its own. */
export const visiting = async (story: Story, no: number) => {
  const body = { amount: 700, currency: "USD", subject: `Link ${no}`, max_uses: visits - 1 }
  const [made] = await story.twice(() => story.ask(no, { path: "/v1/payment_links", key: `link-${no}`, body }))
  if (!isGood(made!)) return
  const { link_id: linkId, url } = dataOf(made!)
  story.done("link", "", `link-${no}`, String(linkId))
  const replies = await Promise.all(
    Array.from({ length: visits }, () => story.ask(no, { method: "GET", path: pathOf(url), of: "buyer" }))
  )
  if (replies.some(({ status }) => status === 303)) story.world.mark("a link led to an order")
  if (replies.some(({ text }) => text.includes("already been used"))) story.world.mark("a link was used up")
}
