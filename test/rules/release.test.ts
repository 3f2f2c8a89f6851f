/** A commit that cannot be released is told all the reasons. */
import { assert, describe, it } from "@effect/vitest"
import { problems } from "../../scripts/release.ts"

const files: Record<string, string> = {
  "package.json": `{ "version": "1.2.0" }`,
  "packages/sdk/package.json": `{ "version": "1.2.0" }`,
  "package-lock.json": `{ "version": "1.2.0" }`,
  "packages/sdk/src/version.ts": `export const version = "1.2.0"`,
  "packages/python/coffer/_version.py": `version = "1.2.0"`,
  "k8s/kustomization.yaml": `    newTag: "1.2.0"`,
  "docs/released/openapi.json": `{\n "version": "1.2.0"\n}`,
  "docs/released/openapi-operator.json": `{\n "version": "1.2.0"\n}`,
  "CHANGELOG.md":
    "# Changelog\n\n## Unreleased\n\n## 1.2.0 – 2026-12-01\n\n### Added\n\n- A thing\n\n## 1.1.0\n\n- Another\n"
}
const told = (changes: Record<string, string> = {}, status = "") => {
  const all = { ...files, ...changes }
  return problems((file) => all[file]!, ["sdk"], status)
}

describe("a release", () => {
  it("is made of a commit whose places all say its version, and whose changes are in the changelog", () => {
    assert.deepStrictEqual(told(), [])
  })

  it("is refused with what git says is changed", () => {
    assert.match(told({}, " M src/main.ts").join(), /not committed:\n M src\/main\.ts/)
  })

  for (const file of Object.keys(files).filter((each) => each !== "CHANGELOG.md" && each !== "package.json")) {
    it(`is refused where ${file} says another version`, () => {
      const found = told({ [file]: files[file]!.replace("1.2.0", "1.1.9") })
      assert.deepStrictEqual(found, [`${file} says 1.1.9, and package.json 1.2.0`])
    })
  }

  it("is refused without an entry in CHANGELOG, and with lines that are of no version", () => {
    const empty = files["CHANGELOG.md"]!.replace("- A thing\n", "")
    assert.deepStrictEqual(told({ "CHANGELOG.md": empty }), ["CHANGELOG.md has no entry of 1.2.0"])
    const more = files["CHANGELOG.md"]!.replace("## Unreleased\n", "## Unreleased\n\n- Later\n")
    assert.lengthOf(told({ "CHANGELOG.md": more }), 1)
    assert.deepStrictEqual(
      problems((file) => files[file]!, ["sdk"], "", ["added-proxy.md"]),
      ["changes has entries of no version: added-proxy.md"]
    )
  })
})
