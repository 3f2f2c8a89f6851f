/** Payments and the end of an order at the same time: whoever comes first, the money has one fate. */
import { dataOf, isGood, reasonOf, type Story } from "../Story.ts"
import { formOf, pathOf } from "./buyers.ts"

/** The bank reports the payment later, or the order ends before it is paid. */
export const closing = async (story: Story, no: number) => {
  const { world } = story
  const order = await story.create(no)
  if (order === undefined) return
  const [tradeNo, page] = [String(order["trade_no"]), pathOf(order["checkout_url"])]
  const end = async () => {
    const reply = await story.ask(no, { path: `/v1/orders/${tradeNo}/expire`, key: `close-${no}` })
    if (isGood(reply)) world.mark("an order was closed while it was paid")
    // The bank has told that it has the money: the order is paid by now.
    if (reasonOf(reply) !== "just_paid") return
    world.mark("a close found the payment")
    const read = await story.ask(no, { method: "GET", path: `/v1/orders/${tradeNo}` })
    if (isGood(read) && dataOf(read)["status"] === "pending") {
      story.outcome.broken.push(`${tradeNo} was not closed since it had just been paid, and is pending`)
    }
  }
  if (world.dice.chance(0.6)) {
    const form = formOf(await story.ask(no, { method: "GET", path: page, of: "buyer" }), "processing")
    // The bank's report comes after five seconds.
    const later = world.dice.pick([0, 0, 50, 4_900, 5_000, 5_200])
    await Promise.all([
      form === undefined ? undefined : story.ask(no, { path: page, body: form, of: "buyer" }),
      world.sleep(later).then(end)
    ])
  } else {
    await Promise.all([
      end(),
      world
        .sleep(world.dice.below(300))
        .then(() => story.ask(no, { path: `/v1/test_helpers/orders/${tradeNo}/pay`, body: {} }))
    ])
  }
}

const span = "25h"

/** The bank takes the payment in time and never reports it: it is asked when the order would expire, a day later. */
export const lapsing = async (story: Story, no: number) => {
  const { apiKey } = story.other
  const order = await story.create(no, { subject: `Lapsing ${no}` }, { apiKey })
  if (order === undefined) return
  const tradeNo = String(order["trade_no"])
  const body = { outcome: "succeed_unreported" }
  const paid = await story.ask(no, { path: `/v1/test_helpers/orders/${tradeNo}/pay`, body, apiKey })
  if (!isGood(paid)) return
  const moved = await story.ask(no, { path: "/v1/test_helpers/clock/advance", body: { by: span }, apiKey })
  if (!isGood(moved)) return
  for (let looks = 0; looks < 60; looks++) {
    const read = await story.ask(no, { method: "GET", path: `/v1/orders/${tradeNo}`, apiKey })
    if (isGood(read) && dataOf(read)["status"] !== "pending") {
      story.world.mark("an order lapsed that had been paid")
      return story.done("pay", tradeNo)
    }
    await story.world.sleep(1_000)
  }
}
