/** Callers who pay, refund, annotate, rename and end their orders. */
import { dataOf, isFinal, isGood, reasonOf, type Story } from "../Story.ts"

const methods = ["card", "card", "alipay"]

export const paying = async (story: Story, no: number) => {
  const order = await story.create(no)
  if (order === undefined) return
  const tradeNo = String(order["trade_no"])
  const payment_method = story.world.dice.pick(methods)
  const [paid] = await Promise.all([
    story.ask(no, { path: `/v1/test_helpers/orders/${tradeNo}/pay`, body: { payment_method } }),
    note(story, no, tradeNo, "first"),
    note(story, no, tradeNo, "second")
  ])
  if (isGood(paid)) story.done("pay", tradeNo)
  // The last exceeds the amount of any order here.
  await Promise.all(
    [100, 200, 20_000].map((amount) => refund(story, no, tradeNo, amount, isGood(paid) && amount < 1_000))
  )
}

/** The order is neither paid nor ended, so it ends once, and its key always gets that answer. */
export const expiring = async (story: Story, no: number) => {
  const order = await story.create(no)
  if (order === undefined) return
  const tradeNo = String(order["trade_no"])
  const key = `expire-${no}`
  for (const reply of await story.twice(() => story.ask(no, { path: `/v1/orders/${tradeNo}/expire`, key }))) {
    if (isGood(reply)) story.done("expire", tradeNo, key)
    else if (reasonOf(reply) === "not_pending") {
      story.outcome.broken.push(`${key}: ${tradeNo} was ended by this key, which is then refused: ${reply.text}`)
    }
  }
}

/** The second name stays although the first is sent again: its key was used. */
export const renaming = async (story: Story, no: number) => {
  const order = await story.create(no)
  if (order === undefined) return
  const tradeNo = String(order["trade_no"])
  const rename = (name: string) =>
    story.ask(no, { path: `/v1/orders/${tradeNo}`, key: `${name}-${no}`, body: { metadata: { name } } })
  const [first] = await story.twice(() => rename("first"))
  if (first?.status !== 200) return
  const second = await rename("second")
  await rename("first")
  if (isGood(second)) story.done("name", tradeNo, `second-${no}`, "second")
}

const note = async (story: Story, no: number, tradeNo: string, text: string) => {
  const key = `${text}-${no}`
  const reply = await story.ask(no, { path: `/v1/orders/${tradeNo}`, key, body: { metadata: { [text]: "yes" } } })
  if (isGood(reply)) story.done("note", tradeNo, key, text)
}

/** `isDue`: nothing but the balance may refuse it. */
const refund = async (story: Story, no: number, tradeNo: string, amount: number, isDue: boolean) => {
  const key = `refund-${no}-${amount}`
  const reply = await story.ask(no, {
    path: "/v1/refunds",
    key,
    body: { trade_no: tradeNo, out_refund_no: key, amount }
  })
  if (isGood(reply)) {
    story.done("refund", tradeNo, key, String(dataOf(reply)["refund_no"]))
    if (dataOf(reply)["status"] === "pending") await decideLater(story, no, key)
  } else if (isFinal(reply)) {
    story.outcome.refused.push(key)
    if (isDue && !reply.text.includes("insufficient_balance")) {
      story.outcome.broken.push(`${key} was refused, and ${tradeNo} was paid: ${reply.text}`)
    }
  }
}

/** The bank decides about a refund that takes its time. */
const decideLater = async (story: Story, no: number, refundNo: string) => {
  // At times nobody tells it to: then it decides after a minute.
  if (story.world.dice.chance(0.15)) return
  const outcome = story.world.dice.pick(["succeeded", "failed"])
  const path = ["/v1/test_helpers/refunds", refundNo, "settle"].join("/")
  const reply = await story.ask(no, { path, body: { outcome } })
  if (isGood(reply)) story.world.mark(`a refund that took its time has ${outcome}`)
}
