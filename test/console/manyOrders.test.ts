/**
 * Each page of the console among very many orders: it is drawn, and nothing that it reads takes too long. Only in the
 * soak: `pages.test.ts` draws the same pages among few. Printed are the time until a page is drawn, and the processor's
 * time of the service for all that it reads.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { consoleTable, drawn, openConsole, seeded } from "../kit/pages/consolePages.ts"
import { ownersConnection } from "../kit/Service.ts"
import { insertLedger, insertOrders, settled } from "../kit/rows/Rows.ts"
import { isSoak } from "../kit/run/soak.ts"

const count = 1_000_000
const days = 100
const readings = 10

/** The calls to the console's API that are answered while `use` runs, as their addresses. */
const callsDuring = <A, E, R>(page: Page, use: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const calls: Array<{ readonly url: string; readonly status: number }> = []
    const note = (response: { readonly url: () => string; readonly status: () => number }) => {
      if (response.url().includes("/console/api/")) calls.push({ url: response.url(), status: response.status() })
    }
    page.on("response", note)
    yield* use
    page.off("response", note)
    return calls
  })

/** Runs in the page: notes when its heading stands and nothing is waited for any more, since the navigation began. */
const watchDrawing = () => {
  new MutationObserver(() => {
    const isDrawn = document.querySelector("main h1") !== null && document.querySelector(".skeleton") === null
    if (!isDrawn) Reflect.deleteProperty(globalThis, "drawnAt")
    else if (!("drawnAt" in globalThis)) Reflect.set(globalThis, "drawnAt", performance.now())
  }).observe(document, { childList: true, subtree: true })
}

const processorMillis = () => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1_000
}

it.live.runIf(isSoak)(
  `each page is drawn among ${count} orders, and none of its calls takes too long`,
  () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const step = Math.floor((days * 86_400_000) / count)
      const many = { merchantId: at.merchantId, count, since: Date.now() - days * 86_400_000, step }
      yield* insertOrders(at.sql, many, { status: "'paid'" })
      yield* insertLedger(at.sql, many)
      yield* settled(yield* ownersConnection(at.database))
      const seed = yield* seeded(at)
      const people = { owner: yield* at.enter("owner"), operator: yield* at.enter("operator") }
      for (const { page } of Object.values(people)) yield* Effect.promise(() => page.addInitScript(watchDrawing))
      const figures = []
      for (const [name, path, role = "owner"] of consoleTable) {
        const { go, page } = people[role]
        const open = Effect.andThen(go(path(seed)), drawn(page))
        const calls = yield* callsDuring(page, open)
        // A payout of so many rows has to be read as a file: a refusal with a reason.
        assert.deepStrictEqual(
          calls.filter(({ status }) => status >= 500),
          [],
          name
        )
        // Once more, since the first one compiles.
        yield* open
        const shown = yield* Effect.promise(() => page.evaluate(() => Reflect.get(globalThis, "drawnAt") as number))
        const cookies = yield* Effect.promise(() => page.context().cookies())
        const headers = { Cookie: cookies.map((cookie) => `${cookie.name}=${cookie.value}`).join("; ") }
        const before = processorMillis()
        for (let reading = 0; reading < readings; reading++) {
          for (const { url } of calls) {
            yield* Effect.promise(() => fetch(url, { headers }).then((response) => response.text()))
          }
        }
        const processor = (processorMillis() - before) / readings
        figures.push({
          name,
          calls: calls.length,
          "drawn, ms": Math.round(shown),
          "processor, ms": processor.toFixed(1)
        })
      }
      console.table(figures)
    }),
  3_600_000
)
