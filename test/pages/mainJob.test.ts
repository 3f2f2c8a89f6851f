/**
 * The whole path of a newcomer, from a clone to the first signed webhook: nothing is stubbed but the buyer, who is a
 * browser, and the merchant's server, which is the test's. Packages are installed in the soak alone: a person who runs
 * `npm test` has installed them.
 */
import { execFileSync, spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Stripe } from "stripe"
import { executable, needsChromium, openPage } from "../kit/pages/Browser.ts"
import { receiver } from "../kit/Receiver.ts"
import { freePort } from "../kit/Service.ts"
import { isSoak } from "../kit/run/soak.ts"

const root = path.resolve(import.meta.dirname, "../..")

/** A clone of this tree, in an empty folder: the files that git knows or would add. */
const clone = Effect.gen(function* () {
  const folder = mkdtempSync(path.join(tmpdir(), "coffer-clone-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" })
  for (const file of files.split("\n").filter(Boolean)) {
    mkdirSync(path.join(folder, path.dirname(file)), { recursive: true })
    cpSync(path.join(root, file), path.join(folder, file))
  }
  return folder
})

/** A fresh environment: none of this project's programs on the PATH, and none of its settings. */
const newcomer = (port: number) => {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_ENV$|CI$)/i.test(name))
  const PATH = (process.env["PATH"] ?? "").split(":").filter((entry) => !entry.includes("node_modules"))
  return { ...Object.fromEntries(inherited), PATH: PATH.join(":"), PORT: String(port) }
}

/** Runs a command until `until` is printed; what was printed comes back. The process group is ended with the scope. */
const running = (command: string, cwd: string, env: NodeJS.ProcessEnv, until: RegExp) =>
  Effect.gen(function* () {
    const child = spawn("sh", ["-c", command], { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true })
    const ended = new Promise<void>((resolve) => child.on("exit", () => resolve()))
    yield* Effect.addFinalizer(() =>
      Effect.promise(() => {
        if (child.exitCode === null) process.kill(-child.pid!, "SIGTERM")
        return ended
      })
    )
    return yield* Effect.callback<string>((resume) => {
      let printed = ""
      let said = ""
      child.stderr.on("data", (chunk: Buffer) => {
        said += chunk.toString()
      })
      child.stdout.on("data", (chunk: Buffer) => {
        printed += chunk.toString()
        if (until.test(printed)) resume(Effect.succeed(printed))
      })
      child.on("exit", () => resume(Effect.die(new Error(`ended before it said ${until}:\n${printed}\n${said}`))))
    })
  })

describe.skipIf(executable === undefined)(`the main job${needsChromium}`, () => {
  it.live(
    `clone${isSoak ? ", npm ci" : ""}, npm start, paste the printed curl, pay in the browser, and the signed webhook arrives`,
    () =>
      Effect.gen(function* () {
        const folder = yield* clone
        const port = yield* freePort
        const hook = yield* receiver
        if (!isSoak) symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"))
        const command = isSoak ? "npm ci --no-audit --no-fund && npm start" : "npm start"
        const printed = yield* running(command, folder, newcomer(port), /next start finds/)

        const curl = printed.split("\n").find((line) => line.trim().startsWith("curl"))
        assert.isDefined(curl, "prints a curl that can be pasted")
        const pasted = JSON.parse(execFileSync("sh", ["-c", curl], { encoding: "utf8" }))
        assert.strictEqual(pasted.code, 201)

        // The same call once more, with the address of this test's own server.
        const withHook = curl.replace('"amount"', `"notify_url": "${hook.url}", "amount"`)
        const created = JSON.parse(execFileSync("sh", ["-c", withHook], { encoding: "utf8" })).data

        const page = yield* openPage()
        yield* Effect.promise(async () => {
          await page.goto(created.checkout_url)
          await page.getByLabel(/card number/i).fill("4242 4242 4242 4242")
          await page.getByLabel(/expir/i).fill("12/40")
          await page.getByLabel(/cvc|security code/i).fill("123")
          await page.getByRole("button", { name: /^Pay US/ }).click()
          await page.getByRole("heading", { name: /paid|success|thank/i }).waitFor()
        })

        const { event, headers, raw } = yield* hook.next
        assert.strictEqual(event.type, "payment.succeeded")
        assert.strictEqual(event.data.object.trade_no, created.trade_no)
        const credentials = JSON.parse(readFileSync(path.join(folder, ".coffer/credentials.json"), "utf8"))
        const answer = yield* Effect.promise(() =>
          fetch(`http://127.0.0.1:${port}/operator/v1/merchants/${credentials.merchant_id}/signing_secret/sandbox`, {
            headers: { Authorization: `Bearer ${credentials.operator_token}` }
          }).then((response) => response.json() as Promise<{ data: { secret: string } }>)
        )
        const signature = String(headers["x-service-signature"])
        const verified = new Stripe("sk_test_unused").webhooks.constructEvent(raw, signature, answer.data.secret)
        assert.strictEqual(verified.id, event.id)
      })
  )
})
