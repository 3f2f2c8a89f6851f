/**
 * How CI runs all tests: `node .ci/tests.ts`. A file that is red beside the others runs once more, with only such files and
 * one worker, and is named either way (decision 0049). Ends with 0 when each file was green once, and with a line of totals.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import type { Counts, RunOutcome } from "../test/kit/run/redFiles.ts"

/** More red files than these are no accident of a busy machine. */
const redFilesMax = 8

const folder = mkdtempSync(path.join(tmpdir(), "coffer-ci-"))
const vitest = path.resolve(import.meta.dirname, "../node_modules/vitest/vitest.mjs")

/** The outcome of one run of Vitest; undefined where it ended without any. */
const runOf = (name: string, more: ReadonlyArray<string>): (RunOutcome & { readonly isGreen: boolean }) | undefined => {
  const outcome = path.join(folder, `${name}.json`)
  const { status } = spawnSync(process.execPath, [vitest, "run", ...process.argv.slice(2), ...more], {
    stdio: "inherit",
    env: { ...process.env, RUN_OUTCOME_FILE: outcome }
  })
  try {
    return { ...(JSON.parse(readFileSync(outcome, "utf8")) as RunOutcome), isGreen: status === 0 }
  } catch {
    return undefined
  }
}

const first = runOf("first", [])
const red = first?.redFiles ?? []
const isRunAgain = first?.isGreen === false && first.errorsOfNoFile === 0 && red.length > 0 && red.length <= redFilesMax
if (isRunAgain) console.log(`\nRed beside the others, run once more by themselves:\n  ${red.join("\n  ")}\n`)
const second = isRunAgain ? runOf("second", ["--maxWorkers=1", ...red]) : undefined
rmSync(folder, { recursive: true, force: true })

const isGreen = (second ?? first)?.isGreen === true
if (second !== undefined) {
  console.log(`\nRed beside the others, ${isGreen ? "green" : "not all green"} by themselves:\n  ${red.join("\n  ")}`)
}
if (first !== undefined) {
  const parts = second === undefined ? [first.green, first.red] : [first.green, second.green, second.red]
  const sum = (name: keyof Counts) => parts.reduce((total, counts) => total + counts[name], 0)
  console.log(`${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`)
}
process.exitCode = isGreen ? 0 : 1
