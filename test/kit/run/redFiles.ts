/**
 * A reporter that writes which files of tests were red, for `.ci/tests.ts`: files with a test that failed, and files in
 * which an error came that no test waited for.
 */
import { writeFileSync } from "node:fs"
import path from "node:path"
import type { Reporter } from "vitest/node"

export interface RunOutcome {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Paths from the root of the repository. */
  readonly redFiles: ReadonlyArray<string>
  /** Errors of no known file. A run that has one is red, whatever a second one says. */
  readonly errorsOfNoFile: number
}

/** Writes a `RunOutcome` into this file at the end of the run; nothing where there is no such file to write. */
export const redFiles = (to: string | undefined): Reporter => ({
  onTestRunEnd: (modules, errors) => {
    if (to === undefined) return
    const states = modules.flatMap((module) => [...module.children.allTests()]).map((test) => test.result().state)
    const count = (state: string) => states.filter((each) => each === state).length
    const filesOfErrors = errors.map((error) => error["VITEST_TEST_PATH"]).filter((file) => typeof file === "string")
    const red = new Set([
      ...modules.filter((module) => !module.ok()).map((module) => module.moduleId),
      ...filesOfErrors
    ])
    const outcome: RunOutcome = {
      passed: count("passed"),
      failed: count("failed"),
      skipped: count("skipped"),
      redFiles: [...red].map((file) => path.relative(process.cwd(), file)),
      errorsOfNoFile: errors.length - filesOfErrors.length
    }
    writeFileSync(to, JSON.stringify(outcome))
  }
})
