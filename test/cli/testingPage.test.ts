/** docs/testing.md, as a newcomer follows it: every command on it is run, in the page's order. */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"
import { blocksIn } from "../kit/texts/blocksIn.ts"
import { credentialsOf, eventually, newHome, run } from "../kit/Process.ts"
import { freePort } from "../kit/Service.ts"

const page = readFileSync("docs/testing.md", "utf8")
const blocksOf = (language: string) => blocksIn(page, language)

/** Each line that is a command, in the order of the page. */
const commands = blocksOf("sh")
  .flatMap((block) => block.split("\n"))
  .filter((line) => line !== "" && !line.startsWith("#"))

/** They go on until they are stopped. */
const isEndless = (line: string) => /npm start|receiver\.mjs|listen .*hook$|tail/.test(line)

interface Started {
  readonly line: string
  stdout: string
  stderr: string
  code: number | null | undefined
}

describe("the page that a newcomer follows", () => {
  it.live("works to the letter: each of its commands does what it says", () =>
    Effect.gen(function* () {
      assert.strictEqual(commands[0], "npm start")
      const home = yield* newHome
      const port = yield* freePort
      const hookPort = yield* freePort
      const { api } = yield* run({ env: { COFFER_HOME: home }, port, through: "npm start" })
      const { sandbox_key } = credentialsOf(home)
      // A call that fails, for the logs of those.
      yield* api.get("/v1/orders/nothing", sandbox_key)

      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-page-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      const atHook = (text: string) => text.replaceAll("localhost:3000", `localhost:${hookPort}`)
      writeFileSync(
        path.join(folder, "receiver.mjs"),
        blocksOf("js")[0]!.replace("listen(3000)", `listen(${hookPort})`)
      )

      /** In a shell of its own, as in a terminal. */
      const start = (line: string) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const script = `coffer() { node "${inject("program")}" "$@"; }; ${line}`
            const env = { PATH: process.env["PATH"] ?? "", COFFER_HOME: home }
            const child = spawn("bash", ["-c", script], {
              cwd: folder,
              env,
              stdio: ["ignore", "pipe", "pipe"],
              detached: true
            })
            const started: Started = { line, stdout: "", stderr: "", code: undefined }
            child.stdout.setEncoding("utf8").on("data", (text: string) => (started.stdout += text))
            child.stderr.setEncoding("utf8").on("data", (text: string) => (started.stderr += text))
            child.once("close", (code) => (started.code = code))
            return { child, started }
          }),
          ({ child, started }) =>
            // With what the shell has started.
            Effect.sync(() => started.code === undefined && process.kill(-child.pid!, "SIGKILL"))
        )
      const said = new Map<string, Started>()
      const find = (pattern: RegExp) => {
        for (const { stdout } of [...said.values()].toReversed()) {
          const found = pattern.exec(stdout)?.[0]
          if (found !== undefined) return found
        }
        return assert.fail(`nothing has printed ${String(pattern)}`)
      }
      /** Fills in the values that a reader copies from earlier output. */
      const filled = (line: string) =>
        atHook(line)
          .replace("whsec_…", () => find(/whsec_[\w+/=]+/))
          .replace("evt_…", () => find(/evt_\w+/))
          .replace("req_…", () => find(/req_\w+/))
          .replace("dsp_…", () => find(/dsp_\w+/))
          .replace("TRD_SB_…", () => /TRD_SB_\w+/.exec(said.get(commands[2]!)!.stdout)![0])

      for (const line of commands.slice(1)) {
        // The shell's own, which `start` sets.
        if (line.startsWith("alias")) continue
        const { started } = yield* start(filled(line))
        said.set(line, started)
        if (isEndless(line)) {
          const begun = () => line.includes("receiver") || started.stdout + started.stderr !== ""
          yield* eventually(`"${line}" to begin`, Effect.sync(begun))
          assert.isUndefined(started.code, `${line}\n${started.stderr}`)
          continue
        }
        yield* eventually(
          `"${line}" to end`,
          Effect.sync(() => started.code !== undefined)
        )
        assert.strictEqual(started.code, 0, `${line}\n${started.stdout}${started.stderr}`)
      }

      const receiver = said.get(commands.find((line) => line.includes("node receiver.mjs"))!)!
      for (const type of ["payment.succeeded", "refund.failed", "dispute.lost"]) {
        yield* eventually(
          `the receiver to print ${type}`,
          Effect.sync(() => receiver.stdout.includes(type))
        )
      }
      assert.include(said.get(commands.find((line) => line.includes("certify"))!)!.stdout, "Grade A")
      assert.include(said.get("coffer orders story cart-4716")!.stdout, "dispute_debit")
      assert.include(said.get("coffer ledger verify")!.stdout, "rows verified")
    }).pipe(Effect.scoped)
  )

  it("has no code beside its commands, the receiver, and the test that test/testkit/package.test.ts runs", () => {
    const languages = Array.from(page.matchAll(/^```(.+)$/gm), ([, language]) => language!)
    assert.deepStrictEqual(
      languages.filter((language) => language !== "sh"),
      ["js", "js"]
    )
  })

  it("has an alias for the command of package.json", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8"))
    assert.include(page, 'alias coffer="npm run --silent coffer --"')
    assert.strictEqual(scripts.coffer, "node src/main.ts")
  })
})
