/** A headless Chromium, where one is installed; the suites that need it say so when it is not. */
import { existsSync } from "node:fs"
import { Effect } from "effect"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"

/** The shell comes first: it draws the same pages with half of the processor's time. */
const candidates = [
  process.env["CHROMIUM"],
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
]

export const executable = candidates.find((candidate) => candidate !== undefined && existsSync(candidate))

/** For a suite's name: why it is left out. */
export const needsChromium = executable === undefined ? " (left out: no Chromium is installed)" : ""

/** One process for all tests of a worker: a start takes a second of a core. It ends with the worker. */
let browser: Promise<Browser> | undefined

/** A page of a fresh profile, closed with the scope. Phone-sized unless told otherwise. */
export const openPage = Effect.fnUntraced(function* (
  viewport = { width: 390, height: 844 },
  options: BrowserContextOptions = {}
) {
  browser ??= chromium.launch({
    executablePath: executable!,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-sync",
      // A shop's own host, which no DNS of the world knows.
      "--host-resolver-rules=MAP *.bookshop.example 127.0.0.1"
    ]
  })
  const launched = browser
  const context = yield* Effect.acquireRelease(
    Effect.promise(async () => (await launched).newContext({ viewport, ...options })),
    (opened) => Effect.promise(() => opened.close())
  )
  return yield* Effect.promise((): Promise<Page> => context.newPage())
})
