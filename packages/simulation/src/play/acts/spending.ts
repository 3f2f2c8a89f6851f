/** A balance of its own that two want to spend at once, and a refund that several annotate at once. */
import { dataOf, isGood, type Story } from "../Story.ts"

const income = 10_000
/** Of the notes of a refund, which come at once. */
const names = ["one", "two", "three", "four"]
/** Of the refunds of one order there is room for one, and of a refund and the payout in the balance of two orders. */
const [part, most, rest] = [6_000, 15_000, 2_000]

export const spending = async (story: Story, no: number) => {
  const { outcome, world } = story
  const currency = story.ownCurrencies.pop()
  if (currency === undefined) return
  const payouts = `/operator/v1/merchants/${story.merchantId}/payouts`
  const payOut = (amount: number, terms: object = {}, once = false) =>
    story.ask(no, { path: payouts, body: { mode: "sandbox", currency, amount, ...terms }, of: "operator", once })
  const order = await story.create(no, { amount: income, currency })
  const body = { amount: income, currency, subject: `Other ${no}` }
  const other = await story.ask(no, { path: "/v1/orders", key: `spend-other-${no}`, body })
  if (order === undefined || !isGood(other)) return
  // Before there is money, so that runners remember the wallet without it.
  await payOut(most)
  const [tradeNo = "", ...more] = [order, dataOf(other)].map((each) => String(each["trade_no"]))
  for (const each of [tradeNo, ...more]) {
    const paid = await story.ask(no, { path: `/v1/test_helpers/orders/${each}/pay`, body: {} })
    if (!isGood(paid)) return
    story.done("pay", each)
  }
  // Without a reference each request makes a payout, and no other has this amount.
  await payOut(100 + no, {}, true)
  const refund = (amount: number, which = "") =>
    story.ask(no, {
      path: "/v1/refunds",
      key: `spend-${no}-${amount}${which}`,
      body: { trade_no: tradeNo, amount }
    })
  const [one, another, paidOut] = (
    await Promise.all([refund(part), refund(part, "-again"), payOut(most, { reference: `spend-${no}` })])
  ).map(isGood)
  if (one || another || paidOut) world.mark("some of three got the balance")
  if (one && another) outcome.broken.push(`order ${tradeNo} of ${income} was refunded twice by ${part}`)
  if ((one || another) && paidOut) outcome.broken.push(`a balance of ${2 * income} has paid ${part} and ${most}`)
  const last = await refund(rest)
  if (last.text.includes("insufficient_balance")) {
    outcome.broken.push(`a refund of ${rest} was refused, though ${tradeNo} has brought ${income}: ${last.text}`)
  }
  if (!isGood(last)) return
  const path = `/v1/refunds/${String(dataOf(last)["refund_no"])}`
  const note = (name: string) =>
    story.ask(no, { path, key: `${name}-note-${no}`, body: { metadata: { [name]: "yes" } } })
  const notes = await Promise.all(names.map(note))
  const after = await story.ask(no, { method: "GET", path })
  if (!notes.every(isGood) || !isGood(after)) return
  world.mark("several annotated a refund at once")
  const { metadata } = dataOf(after)
  if (Object.keys(metadata as object).length !== names.length) {
    outcome.broken.push(`${path} was annotated by ${names.join()}, and has ${JSON.stringify(metadata)}`)
  }
}

const secretKeys = (story: Story) => `/operator/v1/merchants/${story.merchantId}/api_keys`

/** A key that was revoked opens nothing any more, on no runner. */
export const revoking = async (story: Story, no: number) => {
  const body = { mode: "sandbox", name: `Key ${no}`, scopes: ["balance:read"] }
  const made = await story.ask(no, { path: secretKeys(story), body, of: "operator" })
  if (!isGood(made)) return
  const { key, key_id: id } = dataOf(made)
  const uses = () =>
    Promise.all([1, 2, 3, 4].map(() => story.ask(no, { method: "GET", path: "/v1/balance", apiKey: String(key) })))
  await uses()
  await story.world.sleep(story.world.dice.below(3_000))
  const revoked = await story.ask(no, { path: `${secretKeys(story)}/${String(id)}/revoke`, of: "operator" })
  if (!isGood(revoked)) return
  story.world.mark("a key was revoked")
  // Each runner answers from its memory for as long as it has heard of no change: three seconds.
  await story.world.sleep(4_000)
  if ((await uses()).some(isGood)) story.outcome.broken.push(`key ${String(id)} was revoked, and opens the balance`)
}
