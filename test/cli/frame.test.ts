/** How every command finds its account and how it ends: the key, the address, failures, colours, JSON, completion. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { envOf, runCli, type } from "../kit/callers/cli.ts"
import { freePort, type Running, start } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/cli/frame") {}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-cli-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

/** As the service writes them. */
const writeCredentials = (home: string, { baseUrl, merchant }: Running) => {
  mkdirSync(home, { recursive: true })
  const known = { base_url: `${baseUrl}/v1`, sandbox_key: merchant.sandboxKey, live_key: merchant.liveKey }
  writeFileSync(path.join(home, "credentials.json"), JSON.stringify(known))
}

layer(Layer.effect(Service, start()), { excludeTestServices: true })("the command line", (it) => {
  it.effect("finds the credentials of the service in a parent folder and in COFFER_HOME without options", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const { trade_no } = (yield* running.api.post("/v1/orders", running.merchant.sandboxKey, { amount: 700 })).body
        .data
      const shop = yield* folder
      writeCredentials(path.join(shop, ".coffer"), running)
      const deep = path.join(shop, "src", "pages")
      mkdirSync(deep, { recursive: true })
      const found = yield* runCli(["orders", "get", trade_no, "--json"], {}, deep)
      assert.deepStrictEqual([found.code, found.stderr], [0, ""])
      assert.strictEqual(JSON.parse(found.stdout).trade_no, trade_no)

      const elsewhere = yield* folder
      writeCredentials(elsewhere, running)
      const { code, stdout } = yield* type(["orders", "get", trade_no], { COFFER_HOME: elsewhere })
      assert.deepStrictEqual([code, stdout.includes(trade_no)], [0, true])
    })
  )

  it.effect("takes the key and the address from flags before the environment, and adds the version to an address", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const wrong = { COFFER_KEY: "svc_test_wrong", COFFER_BASE_URL: "http://127.0.0.1:1/v1" }
      const flags = ["--key", running.merchant.sandboxKey, "--base-url", `${running.baseUrl}/`]
      const { code } = yield* type(["orders", "list", ...flags], wrong)
      assert.strictEqual(code, 0)
    })
  )

  it.effect("never sends the key of a file to another address", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const home = yield* folder
      writeCredentials(home, running)
      const other = { COFFER_HOME: home, COFFER_BASE_URL: "http://127.0.0.1:1/v1" }
      const { code, stderr } = yield* type(["orders", "list"], other)
      assert.strictEqual(code, 2)
      assert.match(stderr, /No key for http:\/\/127\.0\.0\.1:1\/v1[\s\S]*Next: set the key too/)
    })
  )

  it.effect("says what is wrong and what to do next, as text and as JSON, with an exit code", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const env = envOf(running)
      const nowhere = `http://127.0.0.1:${yield* freePort}/v1`
      const empty = yield* folder
      const cases: ReadonlyArray<
        readonly [words: string, env: Record<string, string>, code: string, exit: number, RegExp, RegExp]
      > = [
        ["orders list", { COFFER_HOME: empty }, "no_key", 2, /No key found/, /npm start.*COFFER_KEY/],
        [
          "orders list",
          { COFFER_KEY: env["COFFER_KEY"]!, COFFER_HOME: empty },
          "no_base_url",
          2,
          /no URL of the service/,
          /--base-url/
        ],
        [
          "orders list",
          { ...env, COFFER_KEY: "svc_test_nobodys" },
          "invalid_api_key",
          1,
          /401/,
          /this one is from COFFER_KEY/
        ],
        ["orders list", { ...env, COFFER_KEY: "abc" }, "bad_account", 2, /svc_test_/, /--key or COFFER_KEY/],
        ["orders list --key abc", env, "bad_account", 2, /from --key/, /--key or COFFER_KEY/],
        [
          "orders list",
          { ...env, COFFER_BASE_URL: nowhere },
          "connection_lost",
          1,
          /No response from/,
          /npm start.*--base-url/
        ],
        [
          "orders list",
          { ...env, COFFER_BASE_URL: `${running.baseUrl}/elsewhere/v1` },
          "route_not_found",
          1,
          /is not an endpoint/,
          /--base-url/
        ],
        ["orders get nothing", env, "order_not_found", 1, /404/, /check the number/],
        ["orders create --amount 0", env, "invalid_request", 1, /amount/, /correct amount/],
        ["orders list --since someday", env, "bad_since", 2, /"someday" is not a time/, /2h/]
      ]
      for (const [words, given, error, exit, message, next] of cases) {
        const text = yield* type(words.split(" "), given)
        assert.deepStrictEqual([text.code, text.stdout], [exit, ""], words)
        const [first, second] = text.stderr.split("\n")
        assert.match(first!, message)
        assert.match(second!, next)
        const { stderr } = yield* type([...words.split(" "), "--json"], given)
        const { error: told } = JSON.parse(stderr)
        assert.deepStrictEqual([told.code, told.next], [error, second!.replace("  Next: ", "")], words)
      }
    })
  )

  it.effect("never prints a key, whatever fails", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const key = running.merchant.sandboxKey
      const env = envOf(running)
      for (const words of [
        ["orders", "get", key],
        ["orders", "list", "--key", `${key} `],
        ["orders", "list", "--key", key, "--base-url", "http://127.0.0.1:1/v1"],
        ["orders", "list", "--key", key, "--base-url", `http://u:${key}@127.0.0.1:1/v1`],
        ["orders", "list", "--status", key],
        ["orders", "lst", "--key", key]
      ]) {
        const { code, stderr, stdout } = yield* type(words, env)
        assert.notStrictEqual(code, 0)
        assert.notInclude(stdout + stderr, key, words.join(" "))
      }
    })
  )

  it.effect("says of a mistyped command what is wrong and where to read on, on standard error alone", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* type(["orders", "list", "--stauts", "paid"], {})
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.match(stderr, /--stauts[\s\S]*Next: run coffer orders list --help/)
    })
  )

  it.effect("uses colours on a terminal alone, and there not with NO_COLOR", () =>
    Effect.gen(function* () {
      const running = yield* Service
      yield* running.api.post("/v1/orders", running.merchant.sandboxKey, { amount: 700 })
      const colored = yield* type(["orders", "list"], envOf(running), undefined, true)
      assert.include(colored.stdout, "\u001b[33mpending\u001b[39m")
      const piped = yield* runCli(["orders", "list"], envOf(running))
      assert.notInclude(piped.stdout, "\u001b")
      const refused = yield* runCli(["orders", "list"], { ...envOf(running), FORCE_COLOR: "1", NO_COLOR: "1" })
      assert.notInclude(refused.stdout, "\u001b")
    })
  )

  it.effect("completes commands in bash, with the script that it generates", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* runCli(["--completions", "bash"], {})
      assert.strictEqual(code, 0)
      const ask = `${stdout}\nCOMP_WORDS=(coffer orders li); COMP_CWORD=2; COMP_LINE="coffer orders li"; COMP_POINT=16
        $(complete -p coffer | sed 's/.*-F \\([^ ]*\\).*/\\1/') coffer li orders; echo "\${COMPREPLY[@]}"`
      assert.strictEqual(execFileSync("bash", ["-c", ask], { encoding: "utf8" }).trim(), "list")
      for (const shell of ["zsh", "fish"]) {
        const made = yield* runCli(["--completions", shell], {})
        assert.include(made.stdout, "refunds")
      }
    })
  )

  it.effect("loads nothing of the service for a merchant's command", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const trace = { ...envOf(running), NODE_DEBUG: "esm" }
      const { stderr } = yield* runCli(["orders", "list", "--limit", "1"], trace)
      assert.notMatch(stderr, /src\/(serve|Wiring)\.ts/)
    })
  )
})
