/** The SDK's types and methods are those of the contract. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import manifest from "../../packages/sdk/package.json" with { type: "json" }
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
