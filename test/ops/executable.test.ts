/** Node and the program in one file: it runs in an empty folder, without a path, where nothing is installed. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Api } from "../kit/Api.ts"
import { eventually } from "../kit/Process.ts"
import { asOwner, freePort, freshDatabase, operatorToken, secretKey } from "../kit/Service.ts"

const folder = mkdtempSync(path.join(tmpdir(), "coffer-executable-"))
const [coffer, empty] = [path.join(folder, "coffer"), path.join(folder, "empty")]

beforeAll(() => {
  const dist = path.join(folder, "dist")
  execFileSync(process.execPath, ["scripts/build.ts", dist, coffer, "--executable"])
  // Nothing of it is read any more.
  rmSync(dist, { recursive: true })
  mkdirSync(empty)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const type = (words: string, env: Readonly<Record<string, string>> = {}) =>
  spawnSync(coffer, words.split(" "), { cwd: empty, env: { PATH: "", ...env }, encoding: "utf8" })

const serve = (words: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const said = { text: "" }
    const child = yield* Effect.acquireRelease(
      Effect.sync((): ChildProcess => spawn(coffer, words, { cwd: empty, env: { PATH: "", ...env }, stdio: "pipe" })),
      (started) =>
        Effect.promise(async () => {
          started.kill("SIGTERM")
          if (started.exitCode === null && started.signalCode === null) await once(started, "close")
        })
    )
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding("utf8").on("data", (text: string) => (said.text += text))
    }
    const at = `http://127.0.0.1:${env["PORT"]}`
    yield* eventually(
      `the executable to be ready; it says: ${said.text}`,
      Effect.promise(() =>
        fetch(`${at}/readyz`).then(
          ({ status }) => status === 200,
          () => false
        )
      )
    )
    return { at, said }
  })

const settings = Effect.gen(function* () {
  const database = yield* freshDatabase
  const [port, admin, runner] = yield* Effect.all([freePort, freePort, freePort])
  return {
    COFFER_HOME: empty,
    DATABASE_URL: database,
    MIGRATION_DATABASE_URL: asOwner(database),
    SECRET_KEY: secretKey,
    OPERATOR_TOKEN: operatorToken,
    HOST: "127.0.0.1",
    PORT: String(port),
    ADMIN_PORT: String(admin),
    RUNNER_PORT: String(runner),
    RUNNER_HOST: "127.0.0.1"
  }
})

describe("the single executable", () => {
  it("says its version, and that it holds no PostgreSQL", () => {
    const { version } = JSON.parse(execFileSync("git", ["show", "HEAD:package.json"], { encoding: "utf8" }))
    assert.include(type("--version").stdout, version)
    const { status, stderr } = type("serve", { COFFER_HOME: path.join(folder, "home") })
    assert.match(stderr, /The single executable does not include PostgreSQL\. Set DATABASE_URL/)
    assert.isAbove(status!, 0)
  })

  it.live("serves on a database that is there, with its console, and its own command line lists the order", () =>
    Effect.gen(function* () {
      const env = yield* settings
      const { at, said } = yield* serve(["serve"], env)
      const { sandboxKey } = yield* new Api(`http://127.0.0.1:${env.ADMIN_PORT}`, operatorToken).newMerchant()
      const { body } = yield* new Api(at, operatorToken).post("/v1/orders", sandboxKey, { amount: 1999 })
      assert.strictEqual(body.data.status, "pending", said.text)
      const listed = type("orders list", { COFFER_KEY: sandboxKey, COFFER_BASE_URL: `${at}/v1` })
      assert.include(listed.stdout, body.data.trade_no, listed.stderr)
      for (const page of ["/console/", "/docs"]) {
        assert.strictEqual((yield* Effect.promise(() => fetch(at + page))).status, 200, page)
      }
      assert.deepStrictEqual(readdirSync(empty), [])
    })
  )

  it.live("runs several runners, each of which is the executable again", () =>
    Effect.gen(function* () {
      const { RUNNER_HOST: _, RUNNER_PORT: __, ...env } = yield* settings
      const { said } = yield* serve(["serve", "--runners", "2"], env)
      yield* eventually(
        `both runners; it says: ${said.text}`,
        Effect.sync(() => said.text.includes("2 runners share the port"))
      )
    })
  )
})
