/** Profiles, and the guard of live: which account a command works on, and what may be changed in live. */
import { mkdtempSync, readFileSync, rmSync, statSync, chmodSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { confirmLive } from "@coffer/cli/client"
import { loadMerchantCommands } from "@coffer/cli/commands"
import { json, yes } from "@coffer/cli/frame"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { envOf, type } from "../kit/callers/cli.ts"
import { type Running, start } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/cli/profiles") {}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-profiles-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

layer(Layer.effect(Service, start()), { excludeTestServices: true })("profiles", (it) => {
  it.effect("keep an address with its keys in a file that is closed to others, and no command prints a key", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const [one, other] = [yield* service.api.newMerchant(), yield* service.api.newMerchant()]
      const home = yield* folder
      const env = { HOME: home }
      const address = `${service.baseUrl}/v1`
      for (const [name, { sandboxKey }] of [
        ["one", one],
        ["other", other]
      ] as const) {
        const added = yield* type(["profiles", "add", name, "--base-url", address], { ...env, COFFER_KEY: sandboxKey })
        assert.deepStrictEqual([added.code, added.stdout], [0, ""], added.stderr)
        assert.notInclude(added.stderr, sandboxKey)
      }
      const file = path.join(home, ".config", "coffer", "profiles.json")
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.include(readFileSync(file, "utf8"), other.sandboxKey)
      const listed = yield* type(["profiles", "list"], env)
      assert.match(listed.stdout, /^one +http.* sandbox +yes\nother +http.* sandbox +-$/m)
      assert.notInclude(listed.stdout, "svc_")

      const made = yield* type(["orders", "create", "--amount", "5", "--json"], env)
      const { trade_no } = JSON.parse(made.stdout)
      const get = (...words: ReadonlyArray<string>) =>
        Effect.map(type(["orders", "get", trade_no, ...words], env), ({ code }) => code)
      assert.strictEqual(yield* get(), 0)
      assert.strictEqual(yield* get("--profile", "other"), 1)
      assert.strictEqual((yield* type(["profiles", "use", "other"], env)).code, 0)
      assert.deepStrictEqual([yield* get(), yield* get("--profile", "one")], [1, 0])
      assert.strictEqual((yield* type(["profiles", "remove", "one"], env)).code, 0)
      assert.strictEqual(yield* get("--profile", "one"), 2)
      // The environment counts before the profile that is in use.
      assert.strictEqual(
        (yield* type(["orders", "get", trade_no], { ...env, ...envOf({ ...service, merchant: one }) })).code,
        0
      )
    }).pipe(Effect.scoped)
  )

  it.effect("are not read from a file that others can read, nor is one moved to another address", () =>
    Effect.gen(function* () {
      const { merchant } = yield* Service
      const COFFER_HOME = yield* folder
      const env = { COFFER_HOME, COFFER_KEY: merchant.sandboxKey }
      const add = (address: string) => type(["profiles", "add", "shop", "--base-url", address, "--json"], env)
      assert.strictEqual((yield* add("https://pay.example/v1")).code, 0)
      const moved = yield* add("https://elsewhere.example/v1")
      assert.deepStrictEqual([moved.code, JSON.parse(moved.stderr).error.code], [2, "bad_profile"])
      chmodSync(path.join(COFFER_HOME, "profiles.json"), 0o644)
      const open = yield* type(["orders", "list", "--profile", "shop", "--json"], { COFFER_HOME })
      assert.deepStrictEqual([open.code, JSON.parse(open.stderr).error.code], [2, "open_settings"])
      const both = yield* type(["orders", "list", "--profile", "shop", "--key", "svc_test_x", "--json"], {
        COFFER_HOME
      })
      assert.strictEqual(JSON.parse(both.stderr).error.code, "two_accounts")
    }).pipe(Effect.scoped)
  )
})

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a live key", (it) => {
  const ended = (words: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const running = yield* Service
      const merchant = yield* running.api.newMerchant()
      yield* running.api.operator("POST", `/merchants/${merchant.merchantId}`, { approved: true })
      const env = { ...envOf({ ...running, merchant }), COFFER_KEY: merchant.liveKey }
      const { code, stderr, stdout } = yield* type([...words, "--json"], env)
      return [code, stderr === "" ? "" : JSON.parse(stderr).error.code, stdout] as const
    })
  const create = ["orders", "create", "--amount", "5"]

  it.effect("reads without more, and changes something only with --live and --yes where no person can be asked", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* ended(["orders", "list"]))[0], 0)
      assert.deepStrictEqual((yield* ended(create)).slice(0, 2), [2, "live_write"])
      assert.deepStrictEqual((yield* ended([...create, "--live"])).slice(0, 2), [2, "unconfirmed_live"])
      const [, error] = yield* ended([...create, "--live", "--yes"])
      assert.notInclude(["live_write", "unconfirmed_live"], error)
      for (const words of [
        ["post", "/orders", "-d", "amount=5"],
        ["refunds", "create", "TRD_1"],
        ["orders", "expire", "TRD_1"],
        ["disputes", "accept", "dsp_1"],
        ["links", "create", "--amount", "5"],
        ["endpoints", "delete", "whe_1"],
        ["reports", "create", "frozen"],
        ["deliveries", "resend", "--failed", "--since", "1h"]
      ]) {
        assert.deepStrictEqual((yield* ended(words)).slice(0, 2), [2, "live_write"], words.join(" "))
      }
    })
  )

  it.effect("is wanted by --live: a sandbox key is refused then", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* type(["orders", "list", "--live", "--json"], envOf(yield* Service))
      assert.deepStrictEqual([code, JSON.parse(stderr).error.code], [2, "not_live"])
    })
  )
})

describe("a change in live", () => {
  /** The person types this on a terminal. */
  const asked = (typed: string) => {
    const terminal = Effect.map(Terminal.Terminal, (own) =>
      Terminal.Terminal.of({ ...own, readLine: Effect.succeed(typed) })
    )
    return confirmLive.pipe(
      Effect.provideService(yes, false),
      Effect.provideService(json, false),
      Effect.provideService(TerminalCapabilities.TerminalCapabilities, {
        canColor: false,
        canAnimate: false,
        canPrompt: true
      }),
      Effect.provide(Layer.provideMerge(Layer.effect(Terminal.Terminal, terminal), NodeServices.layer)),
      Effect.result
    )
  }

  it.live("is made when the person has typed live, and not by any other word", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* asked("live"))._tag, "Success")
      assert.strictEqual((yield* asked("y"))._tag, "Failure")
    })
  )
})

const merchantCommands = await loadMerchantCommands()
/** Each command that does something, by its words. */
const commandsIn = (commands: ReadonlyArray<any>, words: ReadonlyArray<string> = []): ReadonlyArray<any> =>
  commands.flatMap((command) => {
    const inner = command.subcommands.flatMap(({ commands }: any) => commands)
    const path = [...words, command.name]
    return [...(inner.length === 0 ? [path] : []), ...commandsIn(inner, path)]
  })

describe("help", () => {
  for (const words of commandsIn(merchantCommands)) {
    it.live(`of coffer ${words.join(" ")} has an example, and the flags of all commands apart from its own`, () =>
      Effect.gen(function* () {
        const { stdout } = yield* type([...words, "--help"], {})
        assert.match(stdout, new RegExp(`EXAMPLES\\n.*\\bcoffer ${words.join(" ")}\\b`))
        const [own = "", common = ""] = stdout.split("GLOBAL FLAGS")
        assert.notMatch(own, /^ +--(key|json|profile|live) /m)
        assert.match(common, /--json/)
      })
    )
  }
})
