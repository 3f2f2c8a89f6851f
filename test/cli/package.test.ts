/** The command line as it is published: packed, installed from the file, and run in any folder. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import manifest from "../../packages/cli/package.json" with { type: "json" }
import { envOf } from "../kit/callers/cli.ts"
import { filesIn, packedProject } from "../kit/program/packedProject.ts"
import { start } from "../kit/Service.ts"

const { folder, installed, packCopy, remove, run } = packedProject("cli")
const elsewhere = mkdtempSync(path.join(tmpdir(), "coffer-elsewhere-"))
const coffer = (words: string, env = {}) =>
  run(path.join(folder, "node_modules/.bin/coffer"), words.split(" "), elsewhere, env)

beforeAll(async () => {
  await packCopy()
  // Nothing is asked of a registry, so the package has all that it needs.
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", `./coffer-cli-${manifest.version}.tgz`])
})
afterAll(() => {
  remove()
  rmSync(elsewhere, { recursive: true, force: true })
})

/** The modules that a command has loaded: its own files without their ending, and Node's modules. */
const loadedBy = async (words: string, env = {}) => {
  const hook = path.join(elsewhere, "loaded.mjs")
  writeFileSync(
    hook,
    `import { registerHooks } from "node:module"
    const files = []
    registerHooks({ load: (url, context, next) => (files.push(url), next(url, context)) })
    process.on("exit", () => console.log("\\n" + JSON.stringify({ files, builtins: process.moduleLoadList })))`
  )
  const bin = path.join(installed, "bin/coffer.js")
  const said = await run(process.execPath, ["--import", hook, bin, ...words.split(" ")], elsewhere, env)
  const { builtins, files } = JSON.parse(said.trimEnd().split("\n").at(-1)!)
  const own = files.map((url: string) => path.parse(url).name).filter((name: string) => commands.includes(name))
  return { own, loads: (name: RegExp) => builtins.some((each: string) => name.test(each)) }
}
/** The files of single commands, by their names. */
const commands = ["orders", "balance", "refunds", "listen", "webhooks", "ledger", "reports", "profiles", "stripe"]
const fetches = /NativeModule internal\/deps\/undici/
const clients = /NativeModule (_http_client|internal\/deps\/undici)/

describe("a command loads what it needs", () => {
  it("and help of a command its own file, and no client of HTTP", async () => {
    const { loads, own } = await loadedBy("orders --help")
    assert.deepStrictEqual([own, loads(clients)], [["orders"], false])
  })

  it("and the help of all commands no client of HTTP", async () => {
    const { loads, own } = await loadedBy("--help")
    assert.sameMembers(own, commands)
    assert.isFalse(loads(clients))
  })

  it.live("and one that calls the service no client of fetch", () =>
    Effect.gen(function* () {
      const env = envOf(yield* start())
      for (const [words, file] of [
        ["orders list", "orders"],
        ["balance", "balance"]
      ] as const) {
        const { loads, own } = yield* Effect.promise(() => loadedBy(words, env))
        assert.deepStrictEqual([own, loads(clients), loads(fetches)], [[file], true, false], words)
      }
    })
  )
})

describe("the package", () => {
  it("holds its program, its README and its licence, and depends on no package", () => {
    const files = ["LICENSE", "README.md", "bin/coffer.js", "dist/main.js", "package.json"]
    assert.includeMembers([...filesIn(installed), "LICENSE"], files)
    assert.notProperty(manifest, "dependencies")
    // A program is started from it, and nothing imported.
    const packed = JSON.parse(readFileSync(path.join(installed, "package.json"), "utf8"))
    assert.deepStrictEqual(packed.exports, { "./package.json": "./package.json" })
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
    assert.include(error.next, "coffer orders --help")
  })
})
