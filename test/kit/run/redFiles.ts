/**
 * A reporter that writes which files of tests were red, for `.ci/tests.ts`: files with a test that failed, files in
 * which an error came that no test waited for, and files whose worker died before they were over.
 */
import { writeFileSync } from "node:fs"
import path from "node:path"
import type { Reporter, TestModule } from "vitest/node"

export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export interface RunOutcome {
  /** Tests of the files that are not red. */
  readonly green: Counts
  readonly red: Counts
  /** Paths from the folder of the run. */
  readonly redFiles: ReadonlyArray<string>
  /** Errors of no known file and of no worker that died. A run that has one is red, whatever a second one says. */
  readonly errorsOfNoFile: number
}

const countsOf = (modules: ReadonlyArray<TestModule>): Counts => {
  const states = modules.flatMap((module) => [...module.children.allTests()]).map((test) => test.result().state)
  const count = (state: string) => states.filter((each) => each === state).length
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped") }
}

/** Writes a `RunOutcome` into this file at the end of the run; nothing where no file is given. */
export const redFiles = (to: string | undefined): Reporter => ({
  onTestRunEnd: (modules, errors) => {
    if (to === undefined) return
    const filesOfErrors = new Set(errors.map((error) => error["VITEST_TEST_PATH"]))
    const isOver = (module: TestModule) => module.state() !== "queued" && module.state() !== "pending"
    const isRed = (module: TestModule) => !module.ok() || !isOver(module) || filesOfErrors.has(module.moduleId)
    const red = modules.filter(isRed)
    const known = errors.filter((error) => red.some(({ moduleId }) => moduleId === error["VITEST_TEST_PATH"]))
    const outcome: RunOutcome = {
      green: countsOf(modules.filter((module) => !isRed(module))),
      red: countsOf(red),
      redFiles: red.map(({ moduleId }) => path.relative(process.cwd(), moduleId)),
      errorsOfNoFile: Math.max(0, errors.length - known.length - modules.filter((module) => !isOver(module)).length)
    }
    writeFileSync(to, JSON.stringify(outcome))
  }
})
