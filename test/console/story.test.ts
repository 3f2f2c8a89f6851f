/** An order's story in a browser: each row of money and each attempt once, and every neighbour one click away. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { desktop, drawn, openConsole } from "../kit/pages/consolePages.ts"
import { type Json, said as done } from "../kit/Merchant.ts"
import { receiver } from "../kit/Receiver.ts"

interface Shown {
  readonly key: string
  readonly kind: string
  readonly neighbours: ReadonlyArray<string>
}

/** Runs in the page: each step, and the steps that its links lead to. */
const shownSteps = (): ReadonlyArray<Shown> =>
  Array.from(document.querySelectorAll(".story > li"), (step) => ({
    key: step.id,
    kind: step.classList[0] ?? "",
    neighbours: Array.from(step.querySelectorAll<HTMLAnchorElement>(".near a"), ({ hash }) =>
      decodeURIComponent(hash.slice(1))
    )
  }))

/** A payment with two refunds and a lost dispute, whose events arrive at an endpoint. */
const told = Effect.gen(function* () {
  const hooks = yield* receiver
  const at = yield* openConsole()
  yield* done(at.post("/v1/webhook_endpoints", { url: hooks.url, enabled_events: ["*"] }))
  const { trade_no: tradeNo } = yield* at.paid(10_000, { out_trade_no: "cart-1" })
  yield* done(at.refund({ trade_no: tradeNo, amount: 1_000 }))
  yield* done(at.refund({ trade_no: tradeNo, amount: 500 }))
  const { dispute_no: disputeNo } = yield* done(at.dispute(tradeNo, {}))
  const refused = yield* at.post("/v1/orders/cart-1/expire")
  assert.strictEqual(refused.status, 409)
  yield* done(at.resolve(disputeNo, "lost"))
  yield* at.atRest
  const browser = yield* at.enter("owner")
  yield* browser.go(`/orders/${tradeNo}`)
  yield* drawn(browser.page)
  yield* Effect.promise(() => browser.page.locator(".story > li").first().waitFor())
  return { at, tradeNo: tradeNo as string, disputeNo: disputeNo as string, ...browser }
})

describe.skipIf(executable === undefined)(`an order's story in the console${needsChromium}`, () => {
  it.live(
    "shows each ledger row and each attempt exactly once, and each step's links lead there and back",
    () =>
      Effect.gen(function* () {
        const { at, page, said, tradeNo } = yield* told
        const steps = yield* Effect.promise(() => page.evaluate(shownSteps))
        const keys = steps.map(({ key }) => key)
        assert.strictEqual(new Set(keys).size, keys.length, "each step has a name of its own")

        const rows = yield* done(at.get("/v1/balance_transactions?limit=100&currency=USD"))
        const refunds = yield* done(at.get(`/v1/refunds?trade_no=${tradeNo}`))
        const disputes = yield* done(at.get(`/v1/disputes?trade_no=${tradeNo}`))
        const numbers = [
          tradeNo,
          ...refunds["data"].map((each: { refund_no: string }) => each.refund_no),
          ...disputes["data"].map((each: { dispute_no: string }) => each.dispute_no)
        ]
        const own = rows["data"].filter((row: { reference_id: string }) => numbers.includes(row.reference_id))
        assert.strictEqual(own.length, 7, "payment and fee, two refunds, and three rows of the dispute")
        assert.deepStrictEqual(
          keys.filter((key) => key.startsWith("ledger-")).toSorted(),
          own.map(({ id }: { id: string }) => `ledger-${id}`).toSorted()
        )
        const story = yield* done(at.get(`/v1/orders/${tradeNo}/timeline`))
        const attempts = story["entries"].filter(({ kind }: { kind: string }) => kind === "attempt")
        assert.isAtLeast(attempts.length, 5)
        assert.deepStrictEqual(
          keys.filter((key) => key.startsWith("attempt-")).toSorted(),
          attempts.map(({ details }: Json) => `attempt-${details["delivery_id"]}-${details["attempt"]}`).toSorted()
        )

        const byKey = new Map(steps.map((step) => [step.key, step]))
        for (const { key, neighbours } of steps) {
          for (const each of neighbours) {
            assert.include([...(byKey.get(each)?.neighbours ?? [])], key, `${key} and ${each} lead to each other`)
          }
        }
        const kindsBeside = (key: string) => new Set(byKey.get(key)!.neighbours.map((each) => byKey.get(each)!.kind))
        for (const { key, kind } of steps) {
          const beside = kindsBeside(key)
          if (kind === "ledger") assert.isTrue(beside.has("event"), `${key} leads to its event`)
          if (kind === "event") assert.isTrue(beside.has("delivery"), `${key} leads to its delivery`)
          if (kind === "delivery") assert.isTrue(beside.has("event") && beside.has("attempt"), key)
          if (kind === "attempt") assert.deepStrictEqual([...beside], ["delivery"], key)
          if (kind === "request") assert.isAtLeast(beside.size, 1, `${key} leads to what it made`)
          if (kind === "refund") assert.isTrue(beside.has("request"), `${key} leads to its call`)
        }
        assert.deepStrictEqual(said, [])
      }),
    120_000
  )

  it.live(
    "goes from the call to the last attempt by clicks alone, and a row's own page leads back to its step",
    () =>
      Effect.gen(function* () {
        const { at, page, tradeNo } = yield* told
        const kindsOnTheWay = ["order", "event", "delivery", "attempt"]
        yield* Effect.promise(async () => {
          const pay = page.locator(".story > li.request", { hasText: "/pay" })
          let step = pay
          for (const kind of kindsOnTheWay) {
            const targets = await step
              .locator(".near a")
              .evaluateAll((links) => links.map((link) => link.getAttribute("href")!))
            const target = targets.find((href) => href.startsWith(`#${kind}-`))!
            await step.locator(`.near a[href="${target}"]`).click()
            step = page.locator(".story > li.here")
            await page.waitForFunction(
              (id) => document.querySelector(".story > li.here")?.id === id,
              decodeURIComponent(target.slice(1))
            )
            assert.isTrue(await step.locator("details").evaluate((each) => (each as HTMLDetailsElement).open))
          }
          // A movement of a refund: its page, and back to the step of the same order.
          const row = page.locator(".story > li.ledger", { hasText: "Refund" }).first()
          const id = (await row.getAttribute("id"))!.replace("ledger-", "")
          await row.locator("summary").click()
          await row.locator(".facts a", { hasText: id }).click()
          await page.locator("h1", { hasText: "Refund" }).waitFor()
          await page.getByText("✓ matches").waitFor()
          await page.getByRole("link", { name: "View in order timeline" }).click()
          await page.locator(`.story > li.here[id="ledger-${id}"]`).waitFor()
          assert.include(page.url(), `/orders/${tradeNo}#ledger-${id}`)
        })
        assert.isDefined(at)
      }),
    120_000
  )

  it.live(
    "says of a refused call why, by the row of its command",
    () =>
      Effect.gen(function* () {
        const { page } = yield* told
        yield* Effect.promise(async () => {
          const call = page.locator(".story > li.request", { hasText: "/expire" })
          await call.locator("summary").click()
          const row = call.locator(".why tbody tr")
          await row.first().waitFor()
          assert.strictEqual(await row.count(), 1)
          assert.include(await row.innerText(), "No: not pending")
        })
      }),
    120_000
  )

  it.live(
    "judges a refused call by the status that the order had then, not by its present one",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        yield* done(at.post("/v1/orders", { amount: 5_000, out_trade_no: "early" }))
        assert.strictEqual((yield* at.post("/v1/orders/early/send_receipt", { email: "a@shop.example" })).status, 409)
        yield* done(at.post("/v1/test_helpers/orders/early/pay", {}))
        assert.strictEqual((yield* at.post("/v1/orders/early/expire")).status, 409)
        yield* done(at.refund({ trade_no: (yield* at.order("early"))["trade_no"], amount: 4_000 }))
        yield* at.atRest
        const { go, page } = yield* at.enter("owner")
        yield* go("/orders/early")
        yield* drawn(page)
        yield* Effect.promise(async () => {
          for (const [path, status] of [
            ["/send_receipt", "Pending"],
            ["/expire", "Paid"]
          ] as const) {
            const call = page.locator(".story > li.request", { hasText: path })
            await call.locator("summary").click()
            assert.strictEqual(await call.locator(".why th[aria-current]").innerText(), status)
          }
        })
      }),
    120_000
  )

  it.live(
    "tells a refused and a cancelled try to pay in the reader's language, to a merchant and to an operator",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { trade_no: tradeNo } = yield* done(at.post("/v1/orders", { amount: 4_200 }))
        const pay = `/v1/test_helpers/orders/${tradeNo}/pay`
        yield* at.post(pay, { payment_method: "card", outcome: "decline" })
        yield* at.post(pay, { payment_method: "alipay", outcome: "cancel" })
        const owner = yield* at.enter("owner", desktop, { locale: "zh-CN" })
        const operator = yield* at.enter("operator")
        yield* owner.go(`/orders/${tradeNo}`)
        yield* operator.go(`/console/operator/merchants/${at.merchantId}/sandbox/orders/${tradeNo}`)
        yield* Effect.promise(async () => {
          await owner.page.locator(".story").getByText("银行卡 Visa •••• 4242，被银行拒绝：").waitFor()
          await owner.page.locator(".story").getByText("支付宝，买家已取消：").waitFor()
          await operator.page.locator(".story").getByText("Card Visa •••• 4242, declined by the bank: ").waitFor()
          await operator.page.locator(".story").getByText("Alipay, canceled by the buyer: ").waitFor()
        })
      }),
    120_000
  )
})
