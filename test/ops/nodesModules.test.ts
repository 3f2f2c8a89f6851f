/** A service takes code that is compiled already (`src/v8.ts`, docs/decisions/0202). */
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"

/** The modules of Node that a start loads before V8's flags are set, and after that. A weak key ends the start. */
const loaded = () => {
  const { stderr, stdout } = run(["--import", `data:text/javascript,${encodeURIComponent(watch)}`], "serve")
  assert.include(stderr, "SECRET_KEY is too easy to guess")
  return JSON.parse(stdout) as Record<"before" | "after", ReadonlyArray<string>>
}
const watch = `
    import v8 from "node:v8"
    import { builtinModules, syncBuiltinESMExports } from "node:module"
    const known = new Set(builtinModules.map((each) => each.replace("node:", "")))
    const names = () =>
      process.moduleLoadList.map((each) => each.replace("NativeModule ", "")).filter((each) => known.has(each))
    const set = v8.setFlagsFromString
    let before
    v8.setFlagsFromString = (flag) => {
      before ??= names()
      set(flag)
    }
    syncBuiltinESMExports()
    process.on("exit", () => {
      console.log(JSON.stringify({ before, after: names().filter((each) => !before.includes(each)) }))
    })`

/** A command of the program. A weak key ends a service when it has loaded its modules. */
const run = (flags: ReadonlyArray<string>, command: string, more: Readonly<Record<string, string>> = {}) =>
  spawnSync(process.execPath, [...flags, "src/main.ts", command], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    env: {
      DATABASE_URL: "postgres://service:word@127.0.0.1:1/none",
      SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      ...more
    }
  })

describe("Node's own modules", () => {
  it("are loaded by a service before it sets a flag of V8, which makes Node compile them again", () => {
    const { after, before } = loaded()
    assert.includeMembers([...before], ["http", "http2", "crypto", "sqlite"])
    assert.deepStrictEqual(after, [])
  })
})

describe("the code of a service", () => {
  it("is compiled already after another command has run, whose flags of V8 are others", () => {
    const told = { NODE_DEBUG_NATIVE: "COMPILE_CACHE" }
    run([], "serve")
    run([], "openapi")
    const { stderr } = run([], "serve", told)
    assert.isAbove(stderr.split("was accepted").length, 1_000)
    assert.notInclude(stderr, "was rejected")
  })
})
