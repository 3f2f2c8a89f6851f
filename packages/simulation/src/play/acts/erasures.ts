/** A buyer whose words are erased after the payment. */
import { dataOf, isGood, type Story } from "../Story.ts"

/** In the metadata of an order that is erased. */
export const secretOf = (no: number | string) => `words-of-buyer-${no}`

/** Most do not wait: an erasure takes a quarter of a minute. */
const looksOf = [1, 1, 1, 25]

export const erasing = async (story: Story, no: number) => {
  const { world } = story
  const order = await story.create(no, { metadata: { buyer: secretOf(no) } })
  if (order === undefined) return
  const tradeNo = String(order["trade_no"])
  const made = await story.ask(no, { path: "/v1/erasures", body: { trade_no: tradeNo } })
  if (!isGood(made)) return
  const erasureNo = String(dataOf(made)["erasure_no"])
  story.done("erase", tradeNo, String(no), erasureNo)
  for (let looks = world.dice.pick(looksOf); looks > 0; looks--) {
    const read = await story.ask(no, { method: "GET", path: `/v1/erasures/${erasureNo}` })
    if (!isGood(read)) return
    if (dataOf(read)["status"] === "done") return world.mark("an erasure has ended")
    await world.sleep(1_000)
  }
}
