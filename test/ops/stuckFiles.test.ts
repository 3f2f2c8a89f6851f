/** The reporter that watches the tests, on a run of Vitest with files that take long, or are stuck. */
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeNews } from "../kit/run/stuckFiles.ts"
import { repository, vitestRun } from "../kit/run/vitestRun.ts"

/** Runs Vitest on these files. */
const runOf = (files: Readonly<Record<string, string>>) => {
  const limits = { longMillis: 300, stuckMillis: 6_000 }
  return vitestRun({
    files,
    config: `import { stuckFiles } from ${JSON.stringify(path.join(repository, "test/kit/run/stuckFiles.ts"))}
      export default { test: { testTimeout: 2000, maxWorkers: 2, reporters: ["default", stuckFiles(${JSON.stringify(limits)})] } }`,
    words: [path.join(repository, "node_modules/vitest/vitest.mjs"), "run"]
  })
}

describe("a run of the tests", () => {
  it.live("names a test that takes long, ends a file that blocks its event loop, names it, and fails", () =>
    Effect.gen(function* () {
      const { code, said } = yield* runOf({
        "long.test.ts": `it("takes its time", () => new Promise((end) => setTimeout(end, 800)))`,
        "blocked.test.ts": `it("blocks", () => { for (;;) {} })`
      })
      assert.strictEqual(code, 1, said)
      assert.match(said, /Still running after \d s: long\.test\.ts > takes its time/)
      assert.include(said, "Stuck, and not even a time-out ends it: blocked.test.ts.")
    })
  )

  it("does not take a file that is reported after its end for a stuck one", () => {
    const news = makeNews()
    for (const file of ["ended", "running", "silent"]) news.heard(file, 1_000)
    news.ended("ended")
    news.heard("ended", 1_001)
    news.heard("running", 2_000)
    assert.deepStrictEqual(news.silentSince(1_500), ["silent"])
  })

  it.live("ends by itself when all files are over and a worker does not end, with the totals", () =>
    Effect.gen(function* () {
      // The worker waits until its output is written.
      const corked = `it("corks", () => process.stdout.cork())`
      const passed = yield* runOf({ "corked.test.ts": corked })
      assert.strictEqual(passed.code, 0, passed.said)
      assert.match(passed.said, /a worker does not end[^]*1 passed, 0 failed, 0 skipped/)
      const failed = yield* runOf({ "corked.test.ts": corked, "other.test.ts": `it("fails", () => expect(1).toBe(2))` })
      assert.strictEqual(failed.code, 1, failed.said)
      assert.match(failed.said, /a worker does not end[^]*1 passed, 1 failed, 0 skipped/)
    })
  )

  it.live("ends by itself when a test has left a process behind that holds its output", () =>
    Effect.gen(function* () {
      const { code, said } = yield* runOf({
        "leaves.test.ts": `import { spawn } from "node:child_process"
          it("leaves", () => {
            const left = spawn("sleep", ["600"], { stdio: ["ignore", "ignore", "inherit"] })
            console.log("left " + left.pid)
          })`
      })
      process.kill(Number(/left (\d+)/.exec(said)![1]), "SIGKILL")
      assert.strictEqual(code, 0, said)
      assert.include(said, "a process that one of them has left behind holds their output")
    })
  )
})
