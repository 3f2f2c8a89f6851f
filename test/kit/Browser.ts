/** A headless Chromium, where one is installed; the suites that need it say so when it is not. */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { Effect } from "effect"
import { type BrowserContextOptions, chromium, type Page } from "playwright-core"

const candidates = [
  process.env["CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
]

export const executable = candidates.find((candidate) => candidate !== undefined && existsSync(candidate))

/** For a suite's name: why it is left out. */
export const needsChromium = executable === undefined ? " (left out: no Chromium is installed)" : ""

/** A page of a fresh browser, closed with the scope. Phone-sized unless told otherwise. */
export const openPage = Effect.fnUntraced(function* (
  viewport = { width: 390, height: 844 },
  options: BrowserContextOptions = {}
) {
  const profile = mkdtempSync(path.join(tmpdir(), "coffer-chromium-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(profile, { recursive: true, force: true })))
  const context = yield* Effect.acquireRelease(
    Effect.promise(() =>
      chromium.launchPersistentContext(profile, {
        executablePath: executable!,
        viewport,
        ...options,
        args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
      })
    ),
    (opened) => Effect.promise(() => opened.close())
  )
  return context.pages()[0] ?? (yield* Effect.promise((): Promise<Page> => context.newPage()))
})
