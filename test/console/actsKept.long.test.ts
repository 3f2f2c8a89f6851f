/** Every act that the pages of the console offer: what is typed into its dialog outlives each failed call. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page, Route } from "playwright-core"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { consoleTable, drawn, openConsole, seeded } from "../kit/pages/consolePages.ts"
import { isSoak } from "../kit/run/soak.ts"

const refusal = (status: number, error: string) => ({
  status,
  headers: { "retry-after": "1" },
  json: { code: status, error, message: "No.", request_id: "req_1" }
})

/** The ways in which a call can fail on its way. */
const failures: ReadonlyArray<readonly [name: string, answer: (route: Route) => Promise<void>]> = [
  ["429", (route) => route.fulfill(refusal(429, "rate_limited"))],
  ["500", (route) => route.fulfill(refusal(500, "internal_error"))],
  [
    "502 with a page",
    (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>" })
  ],
  ["a cut connection", (route) => route.abort("connectionreset")]
]

const api = "**/console/api/**"
const form = "dialog[open] form:has(> .buttons)"

/** Runs in the page: types into each field of the dialog what it takes. */
const fillDialog = (selector: string) => {
  const textOf = (input: HTMLInputElement | HTMLTextAreaElement) => {
    const { inputMode, name, type } = input
    if (name === "typed_word") return input.title
    if (type === "date") return "2026-11-02"
    if (type === "number") return (input as HTMLInputElement).min || "1"
    if (type === "email" || name.includes("email")) return "ada@example.com"
    if (type === "url" || /url|page/.test(name)) return "https://shop.example/typed"
    if (inputMode === "decimal") return "1.23"
    if (inputMode === "numeric") return "7"
    return "typed"
  }
  const dialog = document.querySelector(selector)!
  for (const input of dialog.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")) {
    if (input.disabled || input.readOnly || /^(hidden|file|color|range|radio)$/.test(input.type)) continue
    if (input.type === "checkbox") {
      if (dialog.querySelector("[type=checkbox]:checked") === null) input.click()
      continue
    }
    // An act that edits keeps what its object has.
    if (input.value !== "" && input.name !== "typed_word") continue
    input.value = textOf(input)
    input.dispatchEvent(new Event("input", { bubbles: true }))
  }
}

/** Runs in the page: what the fields of the dialog hold; nothing if it is gone. */
const typedIn = (selector: string) => {
  const fields = document.querySelector(selector)?.querySelectorAll<HTMLInputElement>("input, textarea, select")
  return fields && Array.from(fields, ({ checked, value }) => [value, checked])
}

interface Seen {
  readonly lost: Array<string>
  /** Acts whose call has failed in each way. */
  readonly sent: Set<string>
}

/** Opens the act, and lets its call fail in each way. Nothing that changes something reaches the service. */
const tryAct = async (page: Page, name: string, { lost, sent }: Seen) => {
  await page.evaluate(fillDialog, form)
  const submit = page.locator(`${form} > .buttons > button:not([type=button])`)
  // One of them for each act; the soak lets each act fail in all ways.
  const tried = isSoak ? failures : [failures[sent.size % failures.length]!]
  for (const [failure, answer] of tried) {
    const before = JSON.stringify(await page.evaluate(typedIn, form))
    await page.route(api, (route) => {
      if (route.request().method() === "GET") return route.continue()
      return answer(route)
    })
    const isValid = await page.evaluate(
      (selector) => document.querySelector<HTMLFormElement>(selector)?.checkValidity() ?? false,
      form
    )
    // A file, or a text that only the act's own object has, is asked for.
    if (!isValid || (await submit.isDisabled())) return page.unroute(api)
    const called = page
      .waitForRequest((request) => request.method() !== "GET", { timeout: 5_000 })
      .catch(() => undefined)
    await submit.click()
    // It only reads, or sends nothing before another question.
    if ((await called) === undefined) return page.unroute(api)
    await page
      .locator("dialog[open]")
      .getByRole("alert")
      .first()
      .waitFor({ timeout: 30_000 })
      .catch(() => lost.push(`${name}, ${failure}: silent`))
    const after = JSON.stringify(await page.evaluate(typedIn, form))
    if (after !== before) lost.push(`${name}, ${failure}`)
    await page.unroute(api)
  }
  sent.add(name)
}

/** The names of the buttons of a page, each once. */
const buttonsOf = (page: Page) =>
  page.evaluate(() => [
    ...new Set(
      Array.from(document.querySelectorAll<HTMLButtonElement>("main button.button:not(:disabled)"))
        .filter((button) => button.checkVisibility() && button.closest(".tools, nav, form") === null)
        .map((button) => button.textContent?.trim() ?? "")
    )
  ])

describe.skipIf(executable === undefined)(`every act of the console${needsChromium}`, () => {
  for (const of of ["owner", "operator"] as const) {
    it.live(
      `a 429, a 500, a proxy's page and a cut connection lose nothing that is typed into an act of the ${of}`,
      () =>
        Effect.gen(function* () {
          const at = yield* openConsole()
          const seed = yield* seeded(at)
          const { go, page } = yield* at.enter(of)
          const seen: Seen = { lost: [], sent: new Set() }
          const known = new Set<string>()
          for (const [where, path] of consoleTable.filter(([, , role]) => (role ?? "owner") === of)) {
            yield* go(path(seed))
            yield* drawn(page)
            for (const name of yield* Effect.promise(() => buttonsOf(page))) {
              if (known.has(`${where} ${name}`) || name === "") continue
              known.add(`${where} ${name}`)
              yield* go(path(seed))
              yield* drawn(page)
              yield* Effect.promise(async () => {
                await page.route(api, (route) =>
                  route.request().method() === "GET" ? route.continue() : route.abort()
                )
                const button = page
                  .locator("main button.button")
                  .getByText(name, { exact: true })
                  .or(page.locator("main").getByRole("button", { name, exact: true }))
                await button
                  .first()
                  .click({ timeout: 3_000 })
                  .catch(() => {})
                const isAct = await page
                  .locator(form)
                  .waitFor({ timeout: 700 })
                  .then(
                    () => true,
                    () => false
                  )
                await page.unroute(api)
                if (isAct) await tryAct(page, `${where}: ${name}`, seen)
              })
            }
          }
          assert.deepStrictEqual(seen.lost, [])
          yield* Effect.logInfo([...seen.sent].join("; "))
          assert.isAtLeast(seen.sent.size, 20)
        }),
      900_000
    )
  }
})
