/** Money that is held and captured later: a capture, a cancellation and the bank exclude each other. */
import { dataOf, isGood, type Story } from "../Story.ts"

const [whole, part] = [4_000, 1_500]

type Ask = () => Promise<string | undefined>

/** Two come at once. What each was told has to be so in the end. */
export const holding = async (story: Story, no: number) => {
  const { outcome, world } = story
  const order = await story.create(no, { amount: whole, capture: "manual" })
  if (order === undefined) return
  const tradeNo = String(order["trade_no"])
  const bank = async (act: "authorize" | "capture", body: object) =>
    isGood(await story.ask(no, { path: `/v1/test_helpers/orders/${tradeNo}/${act}`, body }))
  if (!(await bank("authorize", {}))) return
  const capture =
    (amount: number): Ask =>
    async () => {
      const key = `capture-${no}-${amount}`
      const reply = await story.ask(no, { path: `/v1/orders/${tradeNo}/capture`, key, body: { amount } })
      if (!isGood(reply)) return undefined
      story.done("capture", tradeNo, key, String(amount))
      return key
    }
  const cancel: Ask = async () => {
    const key = `cancel-${no}`
    if (!isGood(await story.ask(no, { path: `/v1/orders/${tradeNo}/expire`, key }))) return undefined
    story.done("cancel", tradeNo, key)
    return key
  }
  // The bank does not report its own capture: the one who cancels hears of it.
  const unreported: Ask = async () => {
    await bank("capture", { outcome: "succeed_unreported", amount: part })
    await cancel()
    return undefined
  }
  const later: Ask = async () => ((await bank("capture", { outcome: "late" })) ? await capture(whole)() : undefined)
  const pairs = [
    [capture(whole), capture(whole)],
    [capture(whole), capture(part)],
    [capture(part), cancel],
    [later, cancel],
    [unreported, capture(part)]
  ] as const
  const replies = await Promise.all(world.dice.pick(pairs).map((ask) => ask()))
  const [one, other] = replies
  if (replies.some((key) => key?.startsWith("capture") === true)) world.mark("what was held was captured")
  if (replies.some((key) => key?.startsWith("cancel") === true)) world.mark("what was held was released")
  if (one !== undefined && other !== undefined && one !== other) {
    outcome.broken.push(`${one} and ${other} of ${tradeNo} were both acknowledged`)
  }
  const read = await story.ask(no, { method: "GET", path: `/v1/orders/${tradeNo}` })
  if (isGood(read) && dataOf(read)["status"] === "authorized") world.mark("a capture took its time")
}
