/** What a runner remembers of an order and a wallet, while they change elsewhere and come back to it. */
import { isFinal, isGood, type Story } from "../Story.ts"

const amount = 9_000
/** By then a runner that is paused for long has lost its objects, and has them again a while after its pause. */
const [away, back] = [15_000, 25_000]

export const returning = async (story: Story, no: number) => {
  const { outcome, world } = story
  const currency = story.ownCurrencies.pop()
  if (currency === undefined) return
  const order = await story.create(no, { amount, currency })
  if (order === undefined) return
  const tradeNo = String(order["trade_no"])
  const payOut = (reference: string) =>
    story.ask(no, {
      path: `/operator/v1/merchants/${story.merchantId}/payouts`,
      body: { mode: "sandbox", currency, amount: amount / 3, reference: `${reference}-${no}` },
      of: "operator"
    })
  const name = (which: string) =>
    story.ask(no, { path: `/v1/orders/${tradeNo}`, key: `${which}-${no}`, body: { metadata: { [which]: "yes" } } })
  // Its owners remember the order as not paid, and the wallet as empty.
  await Promise.all([name("before"), payOut("early")])
  // Nothing moves where there is one runner.
  const isAlone = story.places === 1
  if (!isAlone) await world.sleep(away + world.dice.below(9_000))
  const paid = await story.ask(no, { path: `/v1/test_helpers/orders/${tradeNo}/pay`, body: {} })
  if (!isGood(paid)) return
  story.done("pay", tradeNo)
  if (!isAlone) await world.sleep(back)
  const key = `returned-${no}`
  const body = { trade_no: tradeNo, out_refund_no: key, amount: amount / 3 }
  const replies = await Promise.all([story.ask(no, { path: "/v1/refunds", key, body }), payOut("late")])
  for (const reply of replies) {
    if (isFinal(reply) && !isGood(reply)) outcome.broken.push(`${tradeNo} of ${amount} was paid: ${reply.text}`)
  }
  world.mark("a runner was asked for what had changed")
}
