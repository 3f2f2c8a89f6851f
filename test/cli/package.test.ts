/** The command line as it is published: packed, installed from the file, and run in any folder. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import manifest from "../../packages/cli/package.json" with { type: "json" }
import { envOf } from "../kit/callers/cli.ts"
import { filesIn, packedProject } from "../kit/program/packedProject.ts"
import { start } from "../kit/Service.ts"

const { folder, installed, pack, remove, run } = packedProject("cli")
const elsewhere = mkdtempSync(path.join(tmpdir(), "coffer-elsewhere-"))
const coffer = (words: string, env = {}) =>
  run(path.join(folder, "node_modules/.bin/coffer"), words.split(" "), elsewhere, env)

beforeAll(async () => {
  await pack()
  // Nothing is asked of a registry, so the package has all that it needs.
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", `./coffer-cli-${manifest.version}.tgz`])
})
afterAll(() => {
  remove()
  rmSync(elsewhere, { recursive: true, force: true })
})

describe("the package", () => {
  it("holds its program, its README and its licence, and depends on no package", () => {
    const files = ["LICENSE", "README.md", "bin/coffer.js", "dist/main.js", "package.json"]
    assert.includeMembers([...filesIn(installed), "LICENSE"], files)
    assert.notProperty(manifest, "dependencies")
  })

  it("says its version and its commands in any folder", async () => {
    assert.include(await coffer("--version"), manifest.version)
    assert.match(await coffer("--help"), /orders[\s\S]*listen[\s\S]*trigger/)
  })

  it.live("creates and reads an order of a service", () =>
    Effect.gen(function* () {
      const env = envOf(yield* start())
      const type = (words: string) =>
        Effect.map(
          Effect.promise(() => coffer(`${words} --json`, env)),
          JSON.parse
        )
      const { trade_no } = yield* type("orders create --amount 1999 --out-trade-no packed-1")
      assert.strictEqual((yield* type("orders get packed-1")).trade_no, trade_no)
    })
  )

  it("ends with 2 and a line of JSON after a mistyped command", async () => {
    const failure = await coffer("orders craete --json").catch((error: Error) => error.message)
    const { error } = JSON.parse(/^\{"error".*\}$/m.exec(String(failure))![0])
    assert.strictEqual(error.code, "mistyped")
    assert.include(error.message, "craete")
    assert.strictEqual(error.next, "coffer orders --help")
  })
})
