/** The entries of changes, collected into the changelog. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { collected, entryProblem } from "../../scripts/changelog.ts"

const changelog = [
  "# Changelog\n\n## Unreleased\n\n### Fixed\n\n- Old mend\n\n### Added\n\n- First\n\n### Fixed\n\n- Older mend\n",
  "\n## 0.1.0 – 2026-01-01\n\n### Added\n\n- All\n"
].join("")
const entries = [
  { file: "added-proxy.md", text: "A proxy,\nin two lines.\n" },
  { file: "security-keys.md", text: "Longer keys" }
]

describe("the changelog", () => {
  it("takes each entry under its kind, in the order of kinds, before those that are there", () => {
    assert.strictEqual(
      collected(changelog, entries, undefined),
      "# Changelog\n\n## Unreleased\n\n### Added\n\n- A proxy,\n  in two lines.\n- First\n\n### Fixed\n\n- Old mend\n" +
        "- Older mend\n\n### Security\n\n- Longer keys\n\n## 0.1.0 – 2026-01-01\n\n### Added\n\n- All\n"
    )
  })

  it("stays as it is where there is nothing to collect", () => {
    const once = collected(changelog, entries, undefined)
    assert.strictEqual(collected(once, [], undefined), once)
  })

  it("gets a heading of the version, and nothing is unreleased then", () => {
    const released = collected(changelog, entries, "0.2.0 – 2026-12-01")
    assert.match(released, /^# Changelog\n\n## Unreleased\n\n## 0\.2\.0 – 2026-12-01\n\n### Added\n\n- A proxy,/)
    assert.strictEqual(released.match(/^## /gm)?.length, 3)
  })

  for (const [why, entry] of [
    ["whose name is of no kind", { file: "new-proxy.md", text: "A proxy" }],
    ["that is empty", { file: "added-proxy.md", text: "\n" }],
    ["with a dash", { file: "added-proxy.md", text: "- A proxy" }],
    ["with a heading", { file: "added-proxy.md", text: "### Added\n\nA proxy" }]
  ] as const) {
    it(`refuses an entry ${why}, and names its file`, () => {
      assert.include(entryProblem(entry), entry.file)
      assert.throws(() => collected(changelog, [entry], undefined), entry.file)
    })
  }

  it("can take each entry that waits in changes", () => {
    const files = readdirSync("changes").filter((file) => file !== "README.md")
    const problems = files.map((file) => entryProblem({ file, text: readFileSync(`changes/${file}`, "utf8") }))
    assert.deepStrictEqual(
      problems.filter((each) => each !== undefined),
      []
    )
  })
})
