/** A program that follows the merchant's orders, from the newest that it knows: it misses none. */
import type { Client } from "../../gate/Client.ts"
import { dataOf, isGood, type Story } from "../Story.ts"

const looks = 12

interface Page {
  readonly data: ReadonlyArray<{ readonly trade_no: string }>
}

export const following = async (story: Story, no: number) => {
  const { world } = story
  const passed = new Set<string>()
  let newest: string | undefined
  for (let look = 0; look < looks; look++) {
    const after = newest === undefined ? "" : `&ending_before=${newest}`
    const read = await story.ask(no, { method: "GET", path: `/v1/orders?limit=100${after}` })
    if (isGood(read)) {
      const { data } = dataOf(read) as unknown as Page
      for (const { trade_no } of data) passed.add(trade_no)
      newest = data[0]?.trade_no ?? newest
    }
    await world.sleep(world.dice.below(400))
  }
  if (newest !== undefined) world.mark("a list was followed")
  story.followed = { passed, newest }
}

const several = 5
/** Their keys are no other caller's. */
const ownKeys = 1_000

/** Some orders one after the other, which one who follows the list meets. */
export const ordering = async (story: Story, no: number) => {
  for (let each = 1; each <= several; each++) await story.create(ownKeys * (no + 1) + each)
}

/** Orders that a follower has passed and not seen. */
export const missedOrders = async (control: Client, { followed, merchantId }: Story) => {
  if (followed?.newest === undefined) return []
  const rows = await control.query(
    `select trade_no from orders where merchant_id = '${merchantId}' and mode = 'sandbox'
      and trade_no < '${followed.newest}'`
  )
  return rows.flatMap(([tradeNo]) =>
    followed.passed.has(tradeNo!) ? [] : [`order ${tradeNo} was passed by who follows the list, who has not seen it`]
  )
}
