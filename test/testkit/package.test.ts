/**
 * The package as it is published: packed and put into a project that has nothing but it and what it depends on. Its
 * README is followed to the letter.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import root from "../../package.json" with { type: "json" }
import manifest from "../../packages/testkit/package.json" with { type: "json" }
import { blocksIn } from "../kit/texts/blocksIn.ts"
import { filesIn, kindsIn, packedProject } from "../kit/program/packedProject.ts"

const readme = readFileSync("packages/testkit/README.md", "utf8")
const blocks = (language: string) => blocksIn(readme, language)

const { compile, folder: project, installed, pack, remove, run } = packedProject("testkit")

/** As npm would. Its dependencies come from here, so that no registry is asked. */
const link = (name: string) => {
  const place = path.join(project, "node_modules", name)
  mkdirSync(path.dirname(place), { recursive: true })
  symlinkSync(path.resolve("node_modules", name), place)
}

beforeAll(async () => {
  await pack()
  mkdirSync(installed, { recursive: true })
  await run("tar", ["-xzf", `coffer-testkit-${manifest.version}.tgz`, "--strip-components=1", "-C", installed])
  for (const name of Object.keys(manifest.dependencies)) link(name)
})
afterAll(remove)

describe("the package", () => {
  it("holds what runs, its types, its README and its licence, and nothing else", () => {
    const own = ["package.json", "README.md", "dist/package.json", "dist/*.js", "dist/*.d.ts"]
    assert.sameMembers([...kindsIn(installed)], own)
    assert.isTrue(existsSync(path.join(installed, "LICENSE")))
    assert.strictEqual(readFileSync(path.join(installed, "LICENSE"), "utf8"), readFileSync("LICENSE", "utf8"))
  })

  it("depends on what the service depends on, at the same versions", () => {
    assert.deepStrictEqual(manifest.dependencies, root.dependencies)
  })

  it("imports nothing but its own files and what it depends on", () => {
    const known = new Set(Object.keys(manifest.dependencies))
    for (const name of filesIn(path.join(installed, "dist"))) {
      if (!name.endsWith(".js")) continue
      const text = readFileSync(path.join(installed, "dist", name), "utf8")
      for (const [, specifier] of text.matchAll(/^(?:import|export) (?:[^"'`;]*? from )?"([^"]+)"/gm)) {
        if (specifier!.startsWith("node:")) continue
        if (specifier!.startsWith(".")) {
          assert.isTrue(
            existsSync(path.resolve(path.dirname(path.join(installed, "dist", name)), specifier!)),
            specifier
          )
        } else assert.isTrue(known.has(/^(@[^/]+\/)?[^/]+/.exec(specifier!)![0]), `${name}: ${specifier}`)
      }
    }
  })

  it("runs the test of its README under node:test", async () => {
    const [code] = blocks("js")
    writeFileSync(path.join(project, "coffer.test.js"), code!)
    assert.match(await run(process.execPath, ["--test"]), /^# pass 1$|ℹ pass 1$/m)
  })

  it("runs it under vitest, whose functions have other names", async () => {
    const code = blocks("js")[0]!
      .replace(`import { after, before, test } from "node:test"`, `import { afterAll, beforeAll, test } from "vitest"`)
      .replace("\nbefore(", "\nbeforeAll(")
      .replace("\nafter(", "\nafterAll(")
    const folder = path.join(project, "with-vitest")
    mkdirSync(folder)
    cpSync(path.join(project, "package.json"), path.join(folder, "package.json"))
    writeFileSync(path.join(folder, "shop.test.js"), code)
    writeFileSync(
      path.join(folder, "vitest.config.js"),
      "export default { test: { testTimeout: 600_000, hookTimeout: 600_000 } }"
    )
    link("vitest")
    const program = path.resolve("node_modules/vitest/vitest.mjs")
    assert.match(await run(process.execPath, [program, "run", "--no-color"], folder), /Tests\s+1 passed/)
  })
})

describe("a Node that is too old", () => {
  it("gets one line, before anything is loaded that it could not link", async () => {
    const old = `Object.defineProperty(process.versions, "node", { value: "20.20.2" })`
    const code = `${old}; const { start } = await import("@coffer/testkit"); await start().catch(({ message }) => console.log(message))`
    const shown = await run(process.execPath, ["--input-type=module", "--eval", code])
    assert.strictEqual(shown, "@coffer/testkit needs Node 22.19 or newer. This is Node 20.20.2.\n")
    const effects = `${old}; await import("@coffer/testkit/effect").catch(({ message }) => console.log(message))`
    assert.strictEqual(await run(process.execPath, ["--input-type=module", "--eval", effects]), shown)
    assert.include(manifest.engines.node, "22.19")
  })
})

describe("the page that a newcomer follows", () => {
  it("shows a test that runs as it stands", async () => {
    const [, code] = blocksIn(readFileSync("docs/testing.md", "utf8"), "js")
    const folder = path.join(project, "from-the-page")
    mkdirSync(folder)
    writeFileSync(path.join(folder, "shop.test.js"), code!)
    assert.match(await run(process.execPath, ["--test"], folder), /^# pass 1$|ℹ pass 1$/m)
  })
})

describe("the README", () => {
  it("shows code that compiles in an empty project", async () => {
    const [merchants, effects] = blocks("ts")
    const declared = `import { start } from "@coffer/testkit"\nconst coffer = await start()\n`
    writeFileSync(path.join(project, "shop.ts"), `${declared}${merchants}`)
    writeFileSync(path.join(project, "effects.ts"), `${effects}\nvoid program\n`)
    const options = { module: "nodenext", target: "es2024", lib: ["es2024", "esnext.disposable", "dom"], types: [] }
    const compilerOptions = {
      ...options,
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true
    }
    const files = ["shop.ts", "effects.ts"]
    writeFileSync(path.join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
    await compile()
  })

  it("names everything that a started Coffer has", () => {
    const source =
      readFileSync("packages/testkit/src/index.ts", "utf8") + readFileSync("packages/testkit/src/options.ts", "utf8")
    const names = (type: string) => {
      const body = new RegExp(`interface ${type}\\b[^{]*\\{([\\s\\S]*?)\n\\}`).exec(source)![1]!
      return Array.from(body.matchAll(/readonly (\w+)/g), ([, name]) => name!)
    }
    for (const name of ["Coffer", "Place", "StartOptions", "Options", "Hooks", "HooksOptions", "Merchant"].flatMap(
      names
    ))
      assert.match(readme, new RegExp(`[\`{ ]${name}\\b`), name)
  })
})
