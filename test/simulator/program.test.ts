/** The simulator as a program: its pages, its command line, and what it remembers in a file. */
import { spawn } from "node:child_process"
import { appendFileSync, mkdtempSync, rmSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { start } from "@coffer/simulator/start"
import axe from "axe-core"
import { Effect } from "effect"
import { needsChromium, openPage } from "../kit/pages/Browser.ts"
import { ask, began, begin, clientOf, refusal, sessionOf } from "./kit.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "simulator-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

describe("the control", () => {
  /** As a browser sends it for a page of another site, or for a name that was made to lead here. */
  const from = (url: string, headers: Record<string, string>) =>
    Effect.callback<number>((resume) => {
      const sent = request(`${url}/_simulator/facts`, { method: "POST", headers }, (answer) => {
        answer.resume()
        resume(Effect.succeed(answer.statusCode!))
      })
      sent.end("{}")
    })

  it.live("takes no command from a page of a foreign origin, nor under a foreign name", () =>
    Effect.gen(function* () {
      const { url } = yield* begin()
      const { host } = new URL(url)
      const foreign: ReadonlyArray<Record<string, string>> = [
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: `http://${host}.evil.example` },
        { origin: "http://127.0.0.1:1" },
        { host: "evil.example" },
        { host: `evil.example:${new URL(url).port}`, origin: `http://evil.example:${new URL(url).port}` }
      ]
      for (const headers of foreign) assert.strictEqual(yield* from(url, headers), 403, JSON.stringify(headers))
      for (const headers of [{}, { origin: url }, { host: `localhost:${new URL(url).port}` }]) {
        assert.notStrictEqual(yield* from(url, headers), 403, JSON.stringify(headers))
      }
    }).pipe(Effect.scoped)
  )
})

describe("the buyer's pages", () => {
  const post = (url: string, fields: Record<string, string>) =>
    ask(() => fetch(url, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" }))
  const card = { method: "card", number: "4242 4242 4242 4242", expiry: "12/34", cvc: "123" }

  it.live("a card pays, and the buyer goes to the success page with the session's id", () =>
    Effect.gen(function* () {
      const { stripe } = yield* begin()
      const session = yield* ask(() => stripe.checkout.sessions.create(sessionOf()))
      const answer = yield* post(session.url!, card)
      assert.strictEqual(answer.status, 303)
      assert.strictEqual(answer.headers.get("location"), `https://shop.example/thanks?session=${session.id}`)
      const after = yield* ask(() => stripe.checkout.sessions.retrieve(session.id))
      assert.strictEqual(after.status, "complete")
    }).pipe(Effect.scoped)
  )

  it.live("what is wrong with a card is said on the page, escaped", () =>
    Effect.gen(function* () {
      const { stripe } = yield* begin()
      const session = yield* ask(() =>
        stripe.checkout.sessions.create(sessionOf(100, { cancel_url: `https://shop.example/?"><script>` }))
      )
      for (const [fields, words] of [
        [{ ...card, number: "1" }, "number is invalid"],
        [{ ...card, expiry: "12/19" }, "expiration year"],
        [{ ...card, cvc: "1" }, "security code"]
      ] as const) {
        const answer = yield* post(session.url!, fields)
        const text = yield* ask(() => answer.text())
        assert.strictEqual(answer.status, 422)
        assert.include(text, words)
        assert.notInclude(text, "<script>")
      }
      assert.strictEqual((yield* post(session.url!, { ...card, number: "4000000000000002" })).status, 303)
      assert.include(yield* ask(() => fetch(session.url!).then((answer) => answer.text())), "Your card was declined.")
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(needsChromium !== "")(`in a browser, a wallet authorises, and axe finds nothing${needsChromium}`, () =>
    Effect.gen(function* () {
      const { stripe, url } = yield* begin()
      const session = yield* ask(() =>
        stripe.checkout.sessions.create(sessionOf(2_000, { success_url: `${url}/c/pay/none?{CHECKOUT_SESSION_ID}` }))
      )
      const page = yield* openPage()
      yield* ask(() => page.goto(session.url!))
      const look = Effect.gen(function* () {
        yield* ask(() => page.evaluate(axe.source))
        const found = yield* ask(() => page.evaluate("axe.run()") as Promise<axe.AxeResults>)
        assert.deepStrictEqual(
          found.violations.map(({ id }) => id),
          []
        )
      })
      yield* look
      yield* ask(() => page.getByRole("button", { name: "Pay with Alipay" }).click())
      yield* look
      yield* ask(() => page.getByRole("button", { name: "Authorise" }).click())
      yield* ask(() => page.waitForURL(`**/none?${session.id}`))
      assert.strictEqual((yield* ask(() => stripe.checkout.sessions.retrieve(session.id))).payment_status, "paid")
    }).pipe(Effect.scoped)
  )
})

describe("the state file", () => {
  it.live("what was answered survives a restart, due jobs and idempotency keys too, and a torn line is left out", () =>
    Effect.gen(function* () {
      const stateFile = path.join(yield* folder, "state")
      const create = (url: string) => clientOf(url).checkout.sessions.create(sessionOf(), { idempotencyKey: "K1" })
      const first = yield* Effect.scoped(
        Effect.gen(function* () {
          const { control, url } = yield* start({ port: 0, standsAt: began, stateFile })
          const session = yield* ask(() => create(url))
          yield* control.advance({ seconds: 1_000 })
          return session
        })
      )
      appendFileSync(stateFile, `[{"simulator":1,"millis`)
      const { control, url } = yield* start({ port: 0, standsAt: began, stateFile })
      const again = yield* ask(() => create(url))
      assert.strictEqual(again.id, first.id)
      assert.strictEqual((yield* control.state({})).now, began + 1_000)
      yield* control.advance({ seconds: 86_400 })
      const expired = yield* ask(() => clientOf(url).checkout.sessions.retrieve(first.id))
      assert.strictEqual(expired.status, "expired")
    }).pipe(Effect.scoped)
  )
})

describe("the command line", () => {
  const bin = path.resolve(import.meta.dirname, "../../packages/simulator/bin/stripe-simulator.js")
  const run = (args: ReadonlyArray<string>) =>
    Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [bin, ...args])),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )

  it.live("it says where it listens, and its control is reached over HTTP", () =>
    Effect.gen(function* () {
      const child = yield* run(["--port=0", "--stands-at", String(began)])
      const url = yield* ask(
        () =>
          new Promise<string>((resolve) =>
            child.stdout.on("data", (chunk) => resolve(/http:\S+/.exec(String(chunk))![0]))
          )
      )
      const command = (name: string, body: unknown) =>
        ask(() =>
          fetch(`${url}/_simulator/${name}`, { method: "POST", body: JSON.stringify(body) }).then((answer) =>
            answer.json()
          )
        )
      assert.deepStrictEqual(yield* command("advance", { seconds: 5 }), { now: began + 5, stands: true })
      assert.property(yield* command("advance", { minutes: 5 }), "error")
      assert.property(yield* command("fly", {}), "error")
      const stripe = clientOf(url)
      const session = yield* ask(() => stripe.checkout.sessions.create(sessionOf()))
      yield* command("pay", { session: session.id })
      assert.strictEqual((yield* ask(() => stripe.checkout.sessions.retrieve(session.id))).status, "complete")
      assert.strictEqual((yield* refusal(() => stripe.rawRequest("GET", "/v1/customers"))).statusCode, 404)
    }).pipe(Effect.scoped)
  )

  it.live("a bad argument ends it with one line that names it", () =>
    Effect.gen(function* () {
      const child = yield* run(["--port", "many"])
      const [code, said] = yield* ask(
        () =>
          new Promise<readonly [number | null, string]>((resolve) => {
            let said = ""
            child.stderr.on("data", (chunk) => (said += chunk))
            child.on("close", (code) => resolve([code, said]))
          })
      )
      assert.strictEqual(code, 1)
      assert.match(said, /^--port cannot be "many".*\n$/)
    }).pipe(Effect.scoped)
  )
})
