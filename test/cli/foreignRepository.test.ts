/** A foreign repository may name an address, and that address may answer anything. */
import { mkdirSync, readFileSync, rmSync, mkdtempSync, chmodSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCli, type } from "../kit/callers/cli.ts"

const live = `svc_live_${"A".repeat(43)}`
const sandbox = `svc_test_${"B".repeat(43)}`
const token = `opt_${"C".repeat(43)}`

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-foreign-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

const emptyList = { code: 200, message: "ok", request_id: "r", data: { object: "list", has_more: false, data: [] } }

/** Keeps which keys came. */
const somebodysServer = Effect.fnUntraced(function* (answer: (url: string) => { code: number } = () => emptyList) {
  const got: Array<string> = []
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const made = createServer((request, response) => {
        const { headers, url } = request
        got.push(String(headers["x-api-key"] ?? headers.authorization))
        const body = answer(url ?? "")
        response.writeHead(body.code, { "content-type": "application/json" }).end(JSON.stringify(body))
      })
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) => Effect.sync(() => (made.closeAllConnections(), made.close()))
  )
  const { port } = server.address() as AddressInfo
  return { got, url: `http://127.0.0.1:${port}` }
})

/** A clone with a credentials file, and a config folder of the person's own. */
const aClone = Effect.fnUntraced(function* (url: string) {
  const clone = yield* folder
  mkdirSync(path.join(clone, ".coffer"))
  const known = {
    base_url: `${url}/v1`,
    sandbox_key: "svc_test_theirs",
    operator_url: `${url}/operator/v1`,
    operator_token: "theirs"
  }
  writeFileSync(path.join(clone, ".coffer", "credentials.json"), JSON.stringify(known))
  const XDG_CONFIG_HOME = yield* folder
  return { clone, config: path.join(XDG_CONFIG_HOME, "coffer"), env: { XDG_CONFIG_HOME } }
})

it.live("a live key and an operator's token do not go to the address that a cloned repository names", () =>
  Effect.gen(function* () {
    const { got, url } = yield* somebodysServer()
    const { clone, env } = yield* aClone(url)
    const orders = yield* runCli(["orders", "list", "--json"], { ...env, COFFER_KEY: live }, clone)
    const heldUp = yield* runCli(["held-up", "--json"], { ...env, COFFER_OPERATOR_TOKEN: token }, clone)
    assert.deepStrictEqual(got, [])
    for (const [{ code, stderr }, root] of [
      [orders, "/v1"],
      [heldUp, "/operator/v1"]
    ] as const) {
      const { error } = JSON.parse(stderr)
      assert.deepStrictEqual([code, error.code], [2, "unconfirmed_address"])
      assert.include(error.next, `coffer confirm '${url}${root}'`)
    }
  })
)

it.live("not to the one that COFFER_HOME names either, and a sandbox key only to this machine", () =>
  Effect.gen(function* () {
    const { got, url } = yield* somebodysServer()
    const { clone, env } = yield* aClone(url)
    const COFFER_HOME = path.join(clone, ".coffer")
    assert.strictEqual((yield* type(["orders", "list"], { ...env, COFFER_HOME, COFFER_KEY: live })).code, 2)
    assert.deepStrictEqual(got, [])
    assert.strictEqual((yield* type(["orders", "list"], { ...env, COFFER_HOME, COFFER_KEY: sandbox })).code, 0)
    assert.deepStrictEqual(got, [sandbox])
    for (const host of ["pay.example", "127.0.0.1.pay.example", "localhost.pay.example", "127.0.0.1@pay.example"]) {
      const other = yield* aClone(`http://${host}`)
      const of = { ...other.env, COFFER_HOME: path.join(other.clone, ".coffer"), COFFER_KEY: sandbox }
      const { code, stderr } = yield* type(["orders", "list", "--json"], of)
      assert.deepStrictEqual([code, JSON.parse(stderr).error.code], [2, "unconfirmed_address"], host)
    }
  })
)

it.live("an address that the person confirmed once gets the key, and no other address does", () =>
  Effect.gen(function* () {
    const ours = yield* somebodysServer()
    const { clone, config, env } = yield* aClone(ours.url)
    const at = { ...env, COFFER_HOME: path.join(clone, ".coffer"), COFFER_KEY: live }
    assert.strictEqual((yield* type(["confirm", `${ours.url}/v1`], env)).code, 0)
    assert.strictEqual(statSync(path.join(config, "addresses")).mode & 0o777, 0o600)
    assert.strictEqual(statSync(config).mode & 0o777, 0o700)
    assert.strictEqual((yield* type(["orders", "list"], at)).code, 0)
    assert.deepStrictEqual(ours.got, [live])
    // Once is enough, and a second time changes nothing.
    yield* type(["confirm", `${ours.url}/v1/`], env)
    assert.strictEqual(readFileSync(path.join(config, "addresses"), "utf8"), `${ours.url}/v1\n`)

    const theirs = yield* somebodysServer()
    const other = yield* aClone(theirs.url)
    const { code } = yield* type(["orders", "list"], { ...at, COFFER_HOME: path.join(other.clone, ".coffer") })
    assert.deepStrictEqual([code, theirs.got], [2, []])
  })
)

it.live("a file of confirmed addresses that others may write, as a clone brings it, confirms nothing", () =>
  Effect.gen(function* () {
    const { got, url } = yield* somebodysServer()
    const { clone, config, env } = yield* aClone(url)
    mkdirSync(config)
    writeFileSync(path.join(config, "addresses"), `${url}/v1\n`)
    chmodSync(path.join(config, "addresses"), 0o644)
    const at = { ...env, COFFER_HOME: path.join(clone, ".coffer"), COFFER_KEY: live }
    const { code, stderr } = yield* type(["orders", "list"], at)
    assert.deepStrictEqual([code, got], [2, []])
    assert.include(stderr, "chmod 600")
  })
)

const evil = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\u2066\u200f\nnew line"
// oxlint-disable-next-line no-control-regex
const marks = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

it.live("what others have written reaches the terminal without controls and bidirectional marks", () =>
  Effect.gen(function* () {
    const order = { object: "order", trade_no: "T", [`field${evil}`]: 1, metadata: { [evil]: evil }, subject: evil }
    const problem = { error: `e${evil}`, message: `bad ${evil}`, param: `x${evil}`, request_id: `r${evil}` }
    const { url } = yield* somebodysServer((asked) => {
      if (asked.includes("refunds") || asked.includes("held_up")) return { code: 400, ...problem }
      return { ...emptyList, data: (asked.includes("list") ? emptyList.data : order) as never }
    })
    const env = {
      COFFER_KEY: sandbox,
      COFFER_BASE_URL: `${url}/v1`,
      COFFER_OPERATOR_TOKEN: token,
      COFFER_OPERATOR_URL: `${url}/operator/v1`
    }
    for (const words of ["orders get T", "refunds get x", "held-up"]) {
      for (const flags of [[], ["--json"]]) {
        const { stderr, stdout } = yield* type([...words.split(" "), ...flags], env)
        const all = stdout + stderr
        assert.include(all, "evil", words)
        assert.notMatch(all, marks, words)
        assert.notMatch(all, /^new line/m, words)
        if (words === "orders get T" && flags.length > 0) assert.deepStrictEqual(JSON.parse(stdout), order)
      }
    }
  })
)
