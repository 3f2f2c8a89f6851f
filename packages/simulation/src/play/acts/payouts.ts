/** The operator pays a merchant's balance out, or does not. Each step may be sent again. */
import { dataOf, isGood, type Story } from "../Story.ts"

const ways = [
  ["approve", "complete", "succeeded"],
  ["approve", "fail", "failed"],
  ["reject", undefined, "rejected"]
] as const

export const payingOut = async (story: Story, no: number) => {
  const tradeNo = await story.paid(no)
  if (tradeNo === undefined) return
  const body = { mode: "sandbox", currency: "USD", amount: 500, reference: `payout-${no}` }
  const path = `/operator/v1/merchants/${story.merchantId}/payouts`
  const made = (await story.twice(() => story.ask(no, { path, body, of: "operator" }))).filter(isGood).map(dataOf)
  const numbers = new Set(made.map((payout) => String(payout["payout_no"])))
  if (numbers.size > 1) story.outcome.broken.push(`payout-${no} made ${[...numbers].join(" and ")}`)
  const [payoutNo] = numbers
  if (payoutNo === undefined) return
  const [first, second, status] = story.world.dice.pick(ways)
  for (const step of [first, second]) {
    if (step === undefined) continue
    const reply = await story.ask(no, { path: `/operator/v1/payouts/${payoutNo}/${step}`, of: "operator" })
    if (!isGood(reply)) return
  }
  story.world.mark(`a payout has ${status === "rejected" ? "been " : ""}${status}`)
  story.done("payout", tradeNo, status, payoutNo)
}
