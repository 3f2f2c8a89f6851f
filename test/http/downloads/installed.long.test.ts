/** The service and the testkit, which depend on other packages, are installed from their address and run. */
import { execFile, execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { newHome, run as runService } from "../../kit/Process.ts"
import { ownRegistry } from "../../kit/program/ownRegistry.ts"
import { servedDownloads } from "../../kit/program/servedDownloads.ts"

const run = promisify(execFile)

const emptyFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const made = mkdtempSync(path.join(tmpdir(), "coffer-installed-"))
    // Root's Postgres runs as another user, who walks through here.
    chmodSync(made, 0o755)
    return made
  }),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

it.live(
  "the service and the testkit are installed by npm in an empty folder from their address, and run",
  () =>
    Effect.gen(function* () {
      const at = yield* emptyFolder
      const release = path.join(at, "release")
      const registry = yield* ownRegistry
      mkdirSync(release)
      execFileSync(process.execPath, ["scripts/build.ts", path.join(at, "dist")])
      for (const folder of [path.join(at, "dist"), path.resolve("packages/testkit")]) {
        execFileSync("npm", ["pack", "--silent", "--pack-destination", release, folder])
      }
      const address = yield* servedDownloads(release)
      const page = yield* Effect.promise(async () => (await fetch(`${address}/downloads`)).text())
      const install = Effect.fnUntraced(function* (name: string, ...options: ReadonlyArray<string>) {
        const cwd = path.join(at, name)
        mkdirSync(cwd)
        writeFileSync(path.join(cwd, "package.json"), `{ "name": "shop", "private": true, "type": "module" }`)
        const quietly = ["--registry", registry, "--cache", path.join(at, "cache"), "--no-audit", "--no-fund"]
        const from = `${address}/downloads/coffer-${name}.tgz`
        yield* Effect.promise(() => run("npm", ["install", ...quietly, ...options, from], { cwd }))
        return { cwd, from }
      })

      const service = yield* install("service")
      assert.include(page, `npx -p ${service.from} coffer serve`)
      const { api } = yield* runService({
        env: { COFFER_HOME: yield* newHome },
        program: path.join(service.cwd, "node_modules/@coffer/service/coffer.js")
      })
      assert.strictEqual((yield* api.call("GET", "/docs")).status, 200)
      const version = yield* Effect.promise(() => run("npx", ["--no", "coffer", "--version"], { cwd: service.cwd }))
      assert.match(version.stdout, /\d+\.\d+\.\d+/)

      const testkit = yield* install("testkit", "--save-dev")
      assert.include(page, `npm install --save-dev ${testkit.from}`)
      const code = `import { start } from "@coffer/testkit"
        const coffer = await start()
        const headers = { "X-Api-Key": coffer.key, "Content-Type": "application/json" }
        const made = await fetch(coffer.baseUrl + "/orders", { method: "POST", headers, body: '{"amount":1}' })
        await coffer.stop()
        console.log(made.status)`
      writeFileSync(path.join(testkit.cwd, "test.js"), code)
      const said = yield* Effect.promise(() => run(process.execPath, ["test.js"], { cwd: testkit.cwd }))
      assert.strictEqual(said.stdout, "201\n")
    }),
  600_000
)
