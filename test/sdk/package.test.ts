/**
 * The package as it is published: packed, installed into an empty project without a network, and run there by the Node
 * that the machine has. Its README is followed to the letter.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import manifest from "../../packages/sdk/package.json" with { type: "json" }
import { blocksIn } from "../kit/texts/blocksIn.ts"
import { filesIn, kindsIn, packedProject } from "../kit/program/packedProject.ts"
import { start } from "../kit/Service.ts"

const readme = readFileSync("packages/sdk/README.md", "utf8")

/** Without the programs that this repository brings. */
const plainPath = (process.env["PATH"] ?? "")
  .split(path.delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(path.delimiter)

const blocks = (language: string) => blocksIn(readme, language)

const console = "declare const console: { log(...things: Array<unknown>): void }\n"

const shop = packedProject("sdk", { ...process.env, PATH: plainPath })
const { folder: project, installed, run } = shop

const compile = (code: string, moduleResolution: "nodenext" | "bundler") => {
  const module = moduleResolution === "bundler" ? "preserve" : "nodenext"
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false }
  const platform = { target: "es2022", lib: ["es2022", "dom"], types: [], module, moduleResolution, noEmit: true }
  writeFileSync(path.join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...platform, ...strict } }))
  writeFileSync(path.join(project, "shop.ts"), code)
  return shop.compile()
}

beforeAll(async () => {
  await shop.pack()
  const cache = path.join(project, ".npm")
  const quietly = ["--offline", "--no-audit", "--no-fund", "--cache", cache]
  await run("npm", ["install", ...quietly, `./coffer-sdk-${manifest.version}.tgz`])
})
afterAll(shop.remove)

describe("the package", () => {
  it("holds what runs, its types, its README and its licence, and nothing else", () => {
    assert.sameMembers([...kindsIn(installed)], ["package.json", "README.md", "dist/*.js", "dist/*.d.ts"])
    assert.isTrue(existsSync(path.join(installed, "LICENSE")))
    assert.strictEqual(readFileSync(path.join(installed, "LICENSE"), "utf8"), readFileSync("LICENSE", "utf8"))
  })

  it("installs nothing beside itself, and imports nothing but its own files", () => {
    const names = readdirSync(path.join(project, "node_modules")).filter((name) => !name.startsWith("."))
    assert.deepStrictEqual(names, ["@coffer"])
    for (const name of filesIn(path.join(installed, "dist"))) {
      const text = readFileSync(path.join(installed, "dist", name), "utf8")
      for (const [, specifier] of text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g))
        assert.match(specifier!, /^\.\.?\/.*\.js$/, name)
      assert.notMatch(text.replace(/\/\*[\s\S]*?\*\//g, ""), /\b(?:process|Buffer|require|__dirname|Deno|Bun)\b/, name)
    }
  })

  it.live("does what the start of its README says, with the Node of this machine", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* start()
      const [quickStart] = blocks("js")
      writeFileSync(path.join(project, "start.js"), quickStart!)
      const env = { COFFER_KEY: merchant.sandboxKey, COFFER_BASE_URL: `${baseUrl}/v1` }
      const said = yield* Effect.promise(() => run("node", ["start.js"], project, env))
      const [checkout, paid, refunded] = said.trim().split("\n")
      assert.match(checkout!, /^Send the buyer to http:\S+\/checkout\/\S+$/)
      assert.match(paid!, /^paid: \d+ are in your wallet$/)
      assert.match(refunded!, /^refund \S+: succeeded$/)
    })
  )
})

describe("the README", () => {
  const examples = readdirSync("packages/sdk/examples").map((name) =>
    readFileSync(`packages/sdk/examples/${name}`, "utf8").replace(/^\/\*\*[\s\S]*?\*\/\n/, "")
  )
  const others = blocks("ts").filter((block) => !examples.includes(block))

  it("shows the examples of receivers as they are tested", () => {
    for (const example of examples) assert.include(blocks("ts"), example)
  })

  for (const moduleResolution of ["nodenext", "bundler"] as const) {
    it(`shows code that compiles in an empty project (${moduleResolution})`, async () => {
      const known = "Coffer, ConflictError, ConnectionError, TimeoutError, webhooks"
      const declared = `declare const coffer: Coffer\n${console}`
      const code = others.map((block) => `{\n${block}}\n`).join("")
      await compile(`import { ${known} } from "@coffer/sdk"\n${declared}${code}`, moduleResolution)
    })
  }

  it("of the repository shows code that compiles in an empty project", async () => {
    const [code] = blocksIn(readFileSync("README.md", "utf8"), "js")
    await compile(`${code}\n${console}`, "nodenext")
  })

  it("names every method", () => {
    const table = readme.slice(readme.indexOf("## Methods"), readme.indexOf("## Lists"))
    const written = readFileSync("packages/sdk/src/generated/resources.ts", "utf8")
    const methods = Array.from(written.matchAll(/^ {2}(\w+)\(.*\): (?:Call|List)</gm), ([, name]) => name!)
    for (const method of new Set(methods)) assert.match(table, new RegExp(`[\`.]${method}\``), method)
  })
})
