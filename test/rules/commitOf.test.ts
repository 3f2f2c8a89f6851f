/** The commit of a checkout, as the runners of an upgrade show it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { commitOf } from "../../src/platform/runtime/commitOf.ts"
import { buildVersion, version } from "../../src/platform/runtime/Vitals.ts"

const folder = mkdtempSync(path.join(tmpdir(), "coffer-commit-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const commit = "8592587c4e1f0a1b2c3d8592587c4e1f0a1b2c3d"

const checkout = (name: string, files: Readonly<Record<string, string>>) => {
  for (const [file, text] of Object.entries(files)) {
    const place = path.join(folder, name, ".git", file)
    mkdirSync(path.dirname(place), { recursive: true })
    writeFileSync(place, text)
  }
  return path.join(folder, name)
}

describe("the commit of a checkout", () => {
  const head = "ref: refs/heads/main\n"
  const places: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "that is on no branch": { HEAD: `${commit}\n` },
    "that is on a branch": { HEAD: head, "refs/heads/main": `${commit}\n` },
    "whose branches are packed": {
      HEAD: head,
      "packed-refs": `# pack-refs with: peeled\n${"0".repeat(40)} refs/heads/not-main\n${commit} refs/heads/main\n`
    },
    "whose branch is newer than the packed one": {
      HEAD: head,
      "refs/heads/main": `${commit}\n`,
      "packed-refs": `${"0".repeat(40)} refs/heads/main\n`
    }
  }
  for (const [name, files] of Object.entries(places)) {
    it(`is read of one ${name}`, () => assert.strictEqual(commitOf(checkout(name, files)), commit))
  }

  it("is unknown where Git keeps none", () => {
    assert.isUndefined(commitOf(folder))
    assert.isUndefined(commitOf(checkout("without commits", { HEAD: head })))
  })

  it("follows the version of a runner, as the build of a version", () => {
    const own = commitOf(process.cwd())
    assert.strictEqual(buildVersion, own === undefined ? version : `${version}+${own.slice(0, 12)}`)
  })
})
