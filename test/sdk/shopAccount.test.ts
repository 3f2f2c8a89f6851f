/** What the plugins of shop systems share, against the service: refunds whose answers are lost, and orders that end. */
import { assert, vi } from "@effect/vitest"
import { Effect } from "effect"
import { Account, type AccountOptions, ShopError, standingOf } from "../../packages/shops/src/Account.ts"
import { onOneService, type Running, sharedService } from "../kit/Service.ts"

/** A shop of a merchant of its own, whose answers can be lost on their way. */
const openShop = Effect.map(sharedService, ({ baseUrl, merchant }: Running) => {
  const line = { losesRefunds: false }
  const options: AccountOptions = {
    apiKey: merchant.sandboxKey,
    baseUrl: `${baseUrl}/v1`,
    webhookSecret: "whsec_6mLxQ0PZzqk3c5m3dJbq0H0y5oQw1YJpYF5R7xkq0yE=",
    client: {
      maxRetries: 0,
      fetch: async (url, init) => {
        const answer = await fetch(url, init)
        if (line.losesRefunds && init.method === "POST" && url.endsWith("/refunds")) throw new Error("lost")
        return answer
      }
    }
  }
  const account = new Account(options)
  const buy = async (number: string) => {
    const { trade_no } = await account.open({ number, amount: 1999, currency: "usd", metadata: {} })
    await account.coffer.testHelpers.orders.pay(trade_no)
    return trade_no
  }
  const refundsOf = async (tradeNo: string) =>
    (await account.coffer.refunds.list({ trade_no: tradeNo })).data.map(({ amount }) => amount)
  return { account, buy, line, refundsOf }
})

/** The shop's words. */
const refusalOf = (asked: Promise<unknown>) =>
  asked.then(
    () => "",
    (error: Error) => (error instanceof ShopError ? error.message : error.name)
  )

/** Runs the work when all earlier calls of the shop have ended. */
const later = async <A>(work: () => Promise<A>): Promise<A> => {
  const now = Date.now() + 180_000
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now)
  try {
    return await work()
  } finally {
    clock.mockRestore()
  }
}

onOneService((it) => {
  it.effect("a refund whose answer was lost is the same refund when a person asks again", () =>
    Effect.flatMap(openShop, ({ account, buy, line, refundsOf }) =>
      Effect.promise(async () => {
        const tradeNo = await buy("s-1")
        const ask = (amount: number, booked = 0) => account.refund({ tradeNo, booked, amount, row: "row-2" })
        line.losesRefunds = true
        assert.strictEqual(await refusalOf(ask(500)), "ConnectionError")
        line.losesRefunds = false
        assert.match(await refusalOf(ask(500)), /under way. Try again in two minutes/)
        assert.match(await refusalOf(ask(700)), /An earlier refund of 5\.00 USD was made.* Repeat that one first/)
        const found = await later(() => ask(500))
        assert.deepStrictEqual([found.amount, found.metadata["shop_refund"]], [500, "row-2"])
        await ask(500, 1)
        assert.deepStrictEqual(await refundsOf(tradeNo), [500, 500])
      })
    )
  )

  it.effect("two who refund at once make one refund, and the second is told", () =>
    Effect.flatMap(openShop, ({ account, buy, refundsOf }) =>
      Effect.promise(async () => {
        const tradeNo = await buy("s-2")
        const ask = () => refusalOf(account.refund({ tradeNo, booked: 0, amount: 500 }))
        const told = await Promise.all([ask(), ask()])
        assert.deepStrictEqual(
          told.toSorted().map((words) => words.slice(0, 32)),
          ["", "A refund of this payment is unde"]
        )
        assert.deepStrictEqual(await refundsOf(tradeNo), [500])
      })
    )
  )

  it.effect("a refund that failed at the bank does not stop the next one", () =>
    Effect.flatMap(openShop, ({ account, refundsOf }) =>
      Effect.promise(async () => {
        const { trade_no: tradeNo } = await account.open({ number: "s-3", amount: 1999, currency: "USD", metadata: {} })
        await account.coffer.testHelpers.orders.pay(tradeNo, { payment_method: "alipay" })
        const first = await account.refund({ tradeNo, booked: 0, amount: 500 })
        await account.coffer.testHelpers.refunds.settle(first.refund_no, { outcome: "failed" })
        const second = await account.refund({ tradeNo, booked: 0, amount: 700 })
        assert.strictEqual(second.out_refund_no, `${tradeNo}.2`)
        assert.deepStrictEqual(await refundsOf(tradeNo), [700, 500])
      })
    )
  )

  it.effect("an order that is closed answers what it is, also where the buyer was faster", () =>
    Effect.flatMap(openShop, ({ account, buy }) =>
      Effect.promise(async () => {
        const { trade_no } = await account.open({ number: "s-4", amount: 1999, currency: "USD", metadata: {} })
        assert.strictEqual(standingOf(await account.close(trade_no)), "closed")
        assert.strictEqual(standingOf(await account.close(trade_no)), "closed")
        const paid = await buy("s-5")
        assert.strictEqual(standingOf(await account.close(paid)), "paid")
        await account.refund({ tradeNo: paid, booked: 0, amount: 500 })
        assert.strictEqual(standingOf(await account.read(paid)), "paid")
      })
    )
  )
})
