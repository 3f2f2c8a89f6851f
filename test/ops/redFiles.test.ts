/** How CI judges files that are red beside the others, on runs of Vitest in folders of their own. */
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { repository, vitestRun } from "../kit/run/vitestRun.ts"

const green = `it("is green", () => {})`
const red = `it("is red", () => expect(1).toBe(2))`

/** Red in the first run alone: the first run leaves a file behind. */
const redAtFirst = (says: string) =>
  `import { existsSync, writeFileSync } from "node:fs"
   it("is red at first", () => {
     if (existsSync("ran")) return
     writeFileSync("ran", "")
     ${says}
   })`

/** Runs the tests of CI on these files, by their names without an ending. */
const runOf = (files: Readonly<Record<string, string>>) =>
  vitestRun({
    files: Object.fromEntries(Object.entries(files).map(([name, test]) => [`${name}.test.ts`, test])),
    config: `import { redFiles } from ${JSON.stringify(path.join(repository, "test/kit/run/redFiles.ts"))}
      export default { test: { maxWorkers: 2, reporters: ["default", redFiles(process.env["RUN_OUTCOME_FILE"])] } }`,
    words: [path.join(repository, ".ci/tests.ts"), "--config", "vitest.config.ts"]
  })

describe("the tests of CI", () => {
  it.live("end green with the totals and run nothing twice when all files are green", () =>
    Effect.gen(function* () {
      const { code, said } = yield* runOf({ a: green, b: green })
      assert.strictEqual(code, 0, said)
      assert.isTrue(said.endsWith("\n2 passed, 0 failed, 0 skipped"), said)
      assert.notInclude(said, "Red beside the others")
    })
  )

  it.live("end green and name the file when it is red beside the others and green by itself", () =>
    Effect.gen(function* () {
      const { code, said } = yield* runOf({ a: green, b: redAtFirst("expect(1).toBe(2)") })
      assert.strictEqual(code, 0, said)
      assert.isTrue(said.endsWith("green by themselves:\n  b.test.ts\n2 passed, 0 failed, 0 skipped"), said)
    })
  )

  it.live("take an error that no test waited for as its file's", () =>
    Effect.gen(function* () {
      const { code, said } = yield* runOf({ a: green, b: redAtFirst(`void Promise.reject(new Error("nobody waits"))`) })
      assert.strictEqual(code, 0, said)
      assert.isTrue(said.endsWith("green by themselves:\n  b.test.ts\n2 passed, 0 failed, 0 skipped"), said)
    })
  )

  it.live("take a file whose worker died for red", () =>
    Effect.gen(function* () {
      const dies = redAtFirst(`process.kill(process.pid, "SIGKILL")\n     return new Promise(() => {})`)
      const { code, said } = yield* runOf({ a: green, b: dies })
      assert.strictEqual(code, 0, said)
      assert.isTrue(said.endsWith("green by themselves:\n  b.test.ts\n2 passed, 0 failed, 0 skipped"), said)
    })
  )

  it.live("end red when a file is red twice", () =>
    Effect.gen(function* () {
      const { code, said } = yield* runOf({ a: red, b: redAtFirst("expect(1).toBe(2)"), c: green })
      assert.strictEqual(code, 1, said)
      assert.isTrue(said.endsWith("\n2 passed, 1 failed, 0 skipped"), said)
      assert.include(said, "not all green by themselves")
    })
  )

  it.live("run nothing twice when more than eight files are red", () =>
    Effect.gen(function* () {
      const files = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`red${index}`, red]))
      const { code, said } = yield* runOf(files)
      assert.strictEqual(code, 1, said)
      assert.isTrue(said.endsWith("\n0 passed, 9 failed, 0 skipped"), said)
      assert.notInclude(said, "once more")
    })
  )
})
