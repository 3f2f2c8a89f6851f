/** The console in a hostile world: texts of buyers and merchants, foreign frames, sessions that have ended. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { said as done } from "../kit/Merchant.ts"
import { consoleTable, drawn, openConsole, seeded } from "../kit/pages/consolePages.ts"

const evil = `"><img src=x onerror="window.pwned=1"><svg onload="window.pwned=1">{{7*7}}`
const evilUrl = `https://shop.example/?a="><script>window.pwned=1</script>`

describe.skipIf(executable === undefined)(`the console${needsChromium}`, () => {
  it.live(
    "runs no text that a buyer or a merchant can set",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const seed = yield* seeded(at)
        const order = yield* at.paid(9_000, {
          subject: evil,
          out_trade_no: evil.slice(0, 60),
          metadata: { [evil.slice(0, 40)]: evil },
          return_url: evilUrl,
          receipt_email: `"<svg/onload=window.pwned=1>"@shop.example`.replaceAll(/["<>]/g, "x")
        })
        const tradeNo: string = order["trade_no"]
        yield* done(at.refund({ trade_no: tradeNo, amount: 100, reason: evil, metadata: { a: evil } }))
        yield* done(at.dispute(tradeNo, {}))
        yield* done(at.post("/v1/payment_links", { amount: 2_500, subject: evil }))
        yield* at.post("/v1/webhook_endpoints", { url: evilUrl, events: ["*"], description: evil })
        yield* at.post("/v1/orders", { amount: evil })
        yield* at.atRest
        const browsers = { owner: yield* at.enter("owner"), operator: yield* at.enter("operator") }
        for (const [name, path, role = "owner"] of consoleTable) {
          const { go, page, said } = browsers[role]
          yield* go(path({ ...seed, tradeNo }))
          yield* drawn(page)
          yield* Effect.promise(async () => {
            await page.evaluate(() => {
              for (const each of document.querySelectorAll("details")) each.open = true
            })
            assert.isUndefined(await page.evaluate(() => (window as never as { pwned?: 1 }).pwned), name)
            assert.strictEqual(await page.locator("main img[src=x]").count(), 0, name)
            const links = await page
              .locator("a[href]")
              .evaluateAll((all) => all.map((each) => each.getAttribute("href")))
            assert.deepStrictEqual(
              links.filter((href) => !/^(\/|https?:\/\/|mailto:|#)/.test(href ?? "")),
              [],
              name
            )
          })
          assert.deepStrictEqual(said, [], name)
        }
      }),
    240_000
  )

  it.live("is shown in no frame, runs no script of another origin, and has no address outside of itself", () =>
    Effect.gen(function* () {
      const { api, origin } = yield* openConsole()
      for (const path of ["/console", "/console/operator/merchants"]) {
        const { headers, status } = yield* Effect.promise(() => fetch(new URL(path, origin)))
        assert.strictEqual(status, 200)
        const policy = headers.get("content-security-policy")!
        for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]) {
          assert.include(policy, part)
        }
        assert.notMatch(policy, /unsafe|\*/)
        assert.strictEqual(headers.get("x-frame-options"), "DENY")
      }
      for (const path of ["/console/api/nothing", "/console/nothing", "/console/mer_1/live", "/console/assets/../x"]) {
        assert.strictEqual((yield* api.get(path)).status, 404, path)
      }
      const page = yield* Effect.promise(() =>
        fetch(new URL("/console/nothing", origin), { headers: { accept: "text/html" } }).then((it) => it.text())
      )
      assert.include(page, '<a href="/console">Open the console</a>')
    })
  )

  it.live("leads to the sign-in page once the session has ended elsewhere", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page } = yield* at.enter("owner")
      yield* go("/orders")
      yield* drawn(page)
      const [person] = yield* at.sql<{ person_id: string }>`select person_id from people`
      const ended = yield* at.api.operator("POST", `/people/${person!.person_id}/end_sessions`)
      assert.strictEqual(ended.status, 200, ended.text)
      // The list looks again by itself.
      yield* Effect.promise(() => page.waitForURL(/\/console\/sign-in/))
    })
  )

  it.live("keeps its content and takes no acts while the service does not answer, and says so", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { tradeNo } = yield* seeded(at)
      const { go, page } = yield* at.enter("owner")
      yield* go("/orders")
      yield* drawn(page)
      yield* Effect.promise(async () => {
        await page.context().route("**/console/api/**", (route) => route.abort())
        await page.getByRole("alert").getByText("The service is not responding").waitFor()
        await page.getByText(tradeNo).first().waitFor()
        assert.isTrue(await page.getByRole("button", { name: "Create order" }).isDisabled())
        await page.context().unroute("**/console/api/**")
        await page.getByRole("alert").getByText("The service is not responding").waitFor({ state: "hidden" })
        assert.isFalse(await page.getByRole("button", { name: "Create order" }).isDisabled())
      })
    })
  )

  it.live("an act whose answer is lost is asked for again with the same key, and done once", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      // A fee is kept, so the balance has to cover it.
      yield* at.paid(9_000)
      const paid = yield* at.paid(3_000)
      const { go, page } = yield* at.enter("owner")
      yield* go(`/orders/${paid["trade_no"]}`)
      yield* drawn(page)
      const keys: Array<string | undefined> = []
      yield* Effect.promise(async () => {
        await page.route("**/refunds", async (route) => {
          keys.push(route.request().headers()["idempotency-key"])
          // The service does it, and the answer is lost.
          if (keys.length === 1) {
            await route.fetch()
            return route.abort()
          }
          return route.continue()
        })
        await page.getByRole("button", { name: "Refund", exact: true }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Refund", exact: true }).click()
        await page.getByRole("dialog").waitFor({ state: "detached" })
      })
      assert.lengthOf(keys, 2)
      assert.strictEqual(keys[0], keys[1])
      const refunds = yield* done(at.get(`/v1/refunds?trade_no=${paid["trade_no"]}`))
      assert.lengthOf(refunds["data"], 1)
    })
  )

  it.live("a refund is made with the keyboard alone", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const paid = yield* at.paid(3_000)
      const { go, page } = yield* at.enter("support")
      yield* go("/orders")
      yield* drawn(page)
      const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "")
      const tabTo = async (text: RegExp) => {
        for (let presses = 0; presses < 80; presses++) {
          await page.keyboard.press("Tab")
          if (text.test(await focused())) return
        }
        throw new Error(`no focus comes to ${String(text)}`)
      }
      yield* Effect.promise(async () => {
        await tabTo(/^\$30\.00/)
        await page.keyboard.press("Enter")
        await page.getByRole("button", { name: "Refund", exact: true }).waitFor()
        await tabTo(/^Refund$/)
        await page.keyboard.press("Enter")
        const amount = page.getByRole("dialog").getByLabel(/^Amount/)
        await amount.waitFor()
        await page.keyboard.press("Tab")
        for (let presses = 0; !(await amount.evaluate((each) => each === document.activeElement)); presses++) {
          assert.isBelow(presses, 10)
          await page.keyboard.press("Tab")
        }
        await page.keyboard.press("ControlOrMeta+A")
        await page.keyboard.type("12.34")
        await page.keyboard.press("Enter")
        await page.getByRole("dialog").waitFor({ state: "detached" })
      })
      const refunds = yield* done(at.get(`/v1/refunds?trade_no=${paid["trade_no"]}`))
      assert.strictEqual(refunds["data"][0].amount, 1_234)
    })
  )
})
