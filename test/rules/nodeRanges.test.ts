/** Which Node runs what is said once, in `nodeRanges` of package.json. All others that name a version say the same. */
import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const json = (file: string) => JSON.parse(readFileSync(file, "utf8"))
const { client, program } = json("package.json").nodeRanges
const oldestOf = (range: string) => range.slice(">=".length)
const manifests = globSync("{.,packages/*,examples/*}/package.json").filter((file) => !file.includes("node_modules"))

describe("the range of Node", () => {
  it("of each package is that of clients, which run in merchants' programs, or that of programs", () => {
    const ranges = manifests.flatMap((file) => {
      const range = json(file).engines?.node
      return range === undefined ? [] : [[file, range] as const]
    })
    const clients = ["package.json", "packages/sdk/package.json"]
    assert.sameDeepMembers(
      ranges,
      ranges.map(([file]) => [file, clients.includes(file) ? client : program])
    )
    assert.includeMembers(
      ranges.map(([file]) => file),
      [...clients, "packages/cli/package.json", "packages/testkit/package.json", "packages/simulator/package.json"]
    )
  })

  it("of programs is that of Effect's platform, on which they are built", () => {
    assert.strictEqual(`${program}.0`, json("node_modules/@effect/platform-node/package.json").engines.node)
  })

  it("is the one that the testkit checks, whose code is not beside its manifest", () => {
    const [, major, minor] = /oldest = \[(\d+), (\d+)\]/.exec(
      readFileSync("packages/testkit/src/nodeVersion.ts", "utf8")
    )!
    assert.strictEqual(`${major}.${minor}`, oldestOf(program))
  })

  it("is the one that a page names", () => {
    const pages = globSync(["README.md", "docs/**/*.md", "packages/*/README.md"])
    const named = pages
      .filter((file) => !/node_modules|decisions/.test(file))
      .flatMap((file) =>
        [...readFileSync(file, "utf8").matchAll(/Node (\d+(?:\.\d+)?) (?:or newer|或更新)/g)].map(([, version]) => {
          const name = /^packages\/(\w+)\//.exec(file)?.[1]
          const expected =
            name === undefined || name === "python" ? undefined : json(`packages/${name}/package.json`).engines.node
          return { file, version: version!, expected }
        })
      )
    assert.isAbove(named.length, 8)
    for (const { expected, file, version } of named) {
      assert.include(expected === undefined ? [client, program] : [expected], `>=${version}`, file)
    }
  })
})
