/** The types and methods of the SDK and of the Python package are those of the contract. Python is not needed. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import manifest from "../../packages/sdk/package.json" with { type: "json" }
import { generateTools } from "../../packages/mcp/generator/generate.ts"
import { generatePython } from "../../packages/python/generator/generate.ts"
import { tools } from "../../packages/mcp/src/generated/tools.ts"
import { generate } from "../../packages/sdk/generator/generate.ts"
import { version } from "../../packages/sdk/src/version.ts"

describe("the SDK", () => {
  for (const [name, text] of Object.entries(generate())) {
    it(`has ${name} as the contract says; npm run sdk writes it`, () => {
      const written = readFileSync(`packages/sdk/src/generated/${name}`, "utf8")
      assert.isTrue(written === text, "stale: run npm run sdk, and commit what it wrote")
    })
  }

  it("says its own version, and has no dependencies", () => {
    assert.strictEqual(version, manifest.version)
    assert.notProperty(manifest, "dependencies")
    assert.notProperty(manifest, "peerDependencies")
  })
})

describe("the Python package", () => {
  const written = (name: string) => readFileSync(`packages/python/${name}`, "utf8")
  const methodsIn = (text: string) => [...text.matchAll(/^    (?:async )?def ([a-z]\w*)\(/gm)].map(([, name]) => name!)

  for (const [name, text] of Object.entries(generatePython())) {
    it(`has ${name} as the contract says; npm run sdk writes it`, () => {
      assert.isTrue(written(`coffer/${name}`) === text, "stale: run npm run sdk, and commit what it wrote")
    })
  }

  it("has the methods of the SDK in snake case, and the same with asyncio", () => {
    const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const sdk = readFileSync("packages/sdk/src/generated/resources.ts", "utf8")
    const methods = [...sdk.matchAll(/^ {2}(\w+)\(.*\): (?:Call|List|AsyncGenerator)</gm)].map(([, name]) =>
      snake(name!)
    )
    assert.isAbove(methods.length, 50)
    assert.sameMembers(methodsIn(written("coffer/_resources.py")), [...methods, ...methods])
  })

  it("names every method in its README", () => {
    const readme = written("README.md")
    const table = readme.slice(readme.indexOf("## Methods"), readme.indexOf("## Lists"))
    for (const method of new Set(methodsIn(written("coffer/_resources.py")))) {
      assert.match(table, new RegExp(`[\`.]${method}\``), method)
    }
  })

  it("has the version of the SDK, and the licence", () => {
    assert.include(written("coffer/_version.py"), `version = "${version}"`)
    assert.strictEqual(written("LICENSE"), readFileSync("LICENSE", "utf8"))
  })
})

describe("the tools of the MCP server", () => {
  for (const [name, text] of Object.entries(generateTools())) {
    it(`are in ${name} as the contract says; npm run sdk writes it`, () => {
      const written = readFileSync(`packages/mcp/src/generated/${name}`, "utf8")
      assert.isTrue(written === text, "stale: run npm run sdk, and commit what it wrote")
    })
  }

  it("have names and arguments that every model's API takes", () => {
    for (const { inputSchema, name } of tools) {
      assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
      for (const argument of Object.keys(inputSchema.properties)) assert.match(argument, /^[a-zA-Z0-9_.-]{1,64}$/)
    }
  })
})
