/** A buyer who disputes a payment, and the merchant's and the bank's answers. */
import { dataOf, isGood, type Story } from "../Story.ts"

const ends = ["accepted", "won", "lost", "closed", "appealed"] as const

export const disputing = async (story: Story, no: number) => {
  const { world } = story
  const tradeNo = await story.paid(no)
  if (tradeNo === undefined) return
  const key = `dispute-${no}`
  const opened = await story.ask(no, { path: `/v1/test_helpers/orders/${tradeNo}/dispute`, key, body: { amount: 600 } })
  if (!isGood(opened)) return
  const disputeNo = String(dataOf(opened)["dispute_no"])
  const end = world.dice.pick(ends)
  world.mark(`a dispute was ${end}`)
  const resolve = (outcome: string) =>
    story.ask(no, { path: `/v1/test_helpers/disputes/${disputeNo}/resolve`, body: { outcome } })
  if (end === "accepted") {
    const path = `/v1/disputes/${disputeNo}/accept`
    const [reply] = await story.twice(() => story.ask(no, { path, key: `accept-${no}` }))
    if (isGood(reply!)) story.done("dispute", tradeNo, `accept-${no}`, disputeNo)
    return
  }
  if (world.dice.chance(0.5)) {
    const body = { evidence: { product_description: "As described." }, submit: true }
    await story.ask(no, { path: `/v1/disputes/${disputeNo}/evidence`, key: `evidence-${no}`, body })
  }
  const first = await resolve(end === "appealed" ? "lost" : end)
  const last = end === "appealed" ? await resolve("won") : first
  if (isGood(last)) story.done("dispute", tradeNo, end === "appealed" ? "won" : end, disputeNo)
}
