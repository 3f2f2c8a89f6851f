/** The reference at `/docs` in a real browser: all of it is there, it can be tried out, and it asks no other host. */
import { assert, describe, it } from "@effect/vitest"
import { Api } from "@coffer/contract/Api"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { executable, needsChromium, openPage } from "../kit/Browser.ts"
import { start } from "../kit/Service.ts"

// oxlint-disable-next-line no-explicit-any -- a document without a type of its own
const paths = OpenApi.fromApi(Api).paths as Record<string, Record<string, any>>
const summaries = Object.values(paths).flatMap((operations) =>
  Object.values(operations).map(({ summary }) => summary as string)
)

/** What Scalar shows where the key goes. */
const keyPlaceholder = "QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT"

describe.skipIf(executable === undefined)(`/docs${needsChromium}`, () => {
  it.live("shows every operation, and sends one that is tried out, without a request to any other host", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* start()
      const page = yield* openPage({ width: 1400, height: 1000 })
      const asked: Array<string> = []
      page.on("request", (request) => asked.push(request.url()))

      yield* Effect.promise(async () => {
        await page.goto(`${baseUrl}/docs`)
        for (const summary of summaries) await page.getByText(summary, { exact: true }).first().waitFor()
        await page.getByRole("button", { name: "Test Request" }).first().click()
        await page.getByPlaceholder(keyPlaceholder).first().fill(merchant.sandboxKey)
        const answered = page.waitForResponse(`${baseUrl}/v1/orders`)
        await page.getByRole("dialog").getByRole("button", { name: /^Send/ }).first().click()
        assert.strictEqual((await answered).status(), 201)
      })
      const elsewhere = asked.filter((url) => !url.startsWith(`${baseUrl}/`) && !/^(data|blob):/.test(url))
      assert.deepStrictEqual(elsewhere, [])
    })
  )
})
