/** `coffer listen`: events come to the developer's machine, each at least once, signed as the service signs. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { envOf, type, watch } from "../kit/callers/cli.ts"
import { standardAccepts, stripeAccepts } from "../kit/callers/Hooks.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { eventually } from "../kit/Process.ts"
import { receiver } from "../kit/Receiver.ts"
import { freePort, type Running, start } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/cli/listen") {}

const aHome = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-listen-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

const secretIn = (text: string) => /whsec_[A-Za-z0-9+/=]+/.exec(text)![0]

layer(Layer.effect(Service, start()), { excludeTestServices: true })("coffer listen", (it) => {
  /** With a merchant, a receiver and a home of its own. */
  const test = (
    name: string,
    story: (given: {
      readonly shop: ReturnType<typeof merchantOf>
      readonly env: Record<string, string>
      readonly hook: Effect.Success<typeof receiver>
    }) => Effect.Effect<void, never, any>
  ) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const service = yield* Service
        const running = { ...service, merchant: yield* service.api.newMerchant() }
        const env = { ...envOf(running), COFFER_HOME: yield* aHome }
        yield* story({ shop: merchantOf(running), env, hook: yield* receiver })
      }).pipe(Effect.scoped)
    )

  test("forwards what happens from its start on, as the service would, in both families of headers", ({
    env,
    hook,
    shop
  }) =>
    Effect.gen(function* () {
      yield* shop.paid(100)
      const { said, says } = yield* watch(["listen", "--forward-to", hook.url], env)
      yield* says("Waiting for events")
      const { trade_no } = yield* shop.paid(200)
      const received = yield* hook.next
      const secret = secretIn(said.stdout)
      assert.isTrue(stripeAccepts(received, secret))
      assert.isTrue(standardAccepts(received, secret))
      const [event] = (yield* shop.get(`/v1/events?object_id=${trade_no}`)).body.data.data
      assert.deepStrictEqual([received.event.id, received.event.data.object.trade_no], [event.id, trade_no])
      assert.deepStrictEqual(
        [received.headers["x-service-event-id"], received.headers["x-service-event-type"]],
        [event.id, "payment.succeeded"]
      )
      yield* says(new RegExp(`${event.id}  payment\\.succeeded +200  \\d+ ms`))
      assert.strictEqual(hook.all.length, 1)
    }))

  test("forwards only the types that it is asked for, and says each refusal with its status", ({ env, hook, shop }) =>
    Effect.gen(function* () {
      const words = ["listen", "--forward-to", hook.url, "--types", "refund.succeeded,refund.failed", "--json"]
      const { said, says } = yield* watch(words, env)
      yield* says("Waiting for events")
      hook.answer(500)
      const { trade_no } = yield* shop.paid(900)
      yield* shop.refund({ trade_no, amount: 100 })
      yield* says('"status":500')
      hook.answer(204)
      yield* shop.refund({ trade_no, amount: 200 })
      yield* says('"status":204')
      const [greeting, ...lines] = said.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.match(greeting.signing_secret, /^whsec_/)
      assert.deepStrictEqual(
        lines.map(({ type, status }) => [type, status]),
        [
          ["refund.succeeded", 500],
          ["refund.succeeded", 204]
        ]
      )
    }))

  test("keeps its secret and continues where it stopped, with what has happened since", ({ env, hook, shop }) =>
    Effect.gen(function* () {
      const words = ["listen", "--forward-to", hook.url]
      const first = yield* watch(words, env)
      yield* first.says("Waiting for events")
      yield* shop.paid(100)
      yield* hook.next
      yield* first.says("200  ")
      yield* Fiber.interrupt(first.fiber)
      for (const amount of [200, 300]) yield* shop.paid(amount)
      const second = yield* watch(words, env)
      yield* shop.paid(400)
      const amounts = () => [...new Set(hook.all.map(({ event }) => event.data.object.amount))]
      yield* eventually(
        "all to come, in their order",
        Effect.sync(() => amounts().join() === "100,200,300,400")
      )
      assert.strictEqual(secretIn(second.said.stdout), secretIn(first.said.stdout))
      // The first alone may come twice, when it was stopped before it had noted it.
      assert.isAtMost(hook.all.length, 5)
      const file = /saved in (.*)\.$/m.exec(second.said.stdout)![1]!
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.notInclude(readFileSync(file, "utf8"), env["COFFER_KEY"]!)
    }))

  test("logs the first of its own calls, and none while it listens", ({ env, hook, shop }) =>
    Effect.gen(function* () {
      yield* shop.paid(100)
      const { says } = yield* watch(["listen", "--forward-to", hook.url], env)
      yield* says("Waiting for events")
      for (const amount of [200, 300, 400]) {
        yield* shop.paid(amount)
        yield* hook.next
      }
      // A call of the shop's own, behind those of the listener.
      const { body } = yield* shop.get("/v1/balance")
      const calls = Effect.map(shop.get("/v1/logs?limit=100"), (reply) => reply.body.data.data as ReadonlyArray<any>)
      yield* eventually(
        "the log to have the shop's own call",
        Effect.map(calls, (all) => all.some(({ request_id }) => request_id === body.request_id))
      )
      const own = (yield* calls).filter(({ user_agent }) => String(user_agent).startsWith("coffer-listen/"))
      assert.deepStrictEqual(
        own.map(({ method, path }) => `${method} ${path}`),
        ["GET /v1/events"]
      )
    }))

  test("waits with an event while no receiver listens, and says so once", ({ env, shop }) =>
    Effect.gen(function* () {
      const port = yield* freePort
      const { said, says } = yield* watch(["listen", "--forward-to", `http://127.0.0.1:${port}/hook`], env)
      yield* says("Waiting for events")
      yield* shop.paid(100)
      yield* says("connection refused")
      const seen: Array<unknown> = []
      yield* Effect.acquireRelease(
        Effect.sync(() =>
          createServer((request, response) => {
            seen.push(request.headers["x-service-event-type"])
            response.end("seen")
          }).listen(port, "127.0.0.1")
        ),
        (server) => Effect.sync(() => server.close())
      )
      yield* says(/payment\.succeeded +200 /)
      assert.deepStrictEqual(seen, ["payment.succeeded"])
      assert.strictEqual(said.stderr.split("connection refused").length, 2)
    }))

  test("replays an event that is named, and ends with its verdict", ({ env, hook, shop }) =>
    Effect.gen(function* () {
      const { trade_no } = yield* shop.paid(700)
      const [{ id }] = (yield* shop.get(`/v1/events?object_id=${trade_no}`)).body.data.data
      const words = ["listen", "--forward-to", hook.url, "--replay", id]
      const { code, stdout } = yield* type(words, env)
      assert.deepStrictEqual([code, (yield* hook.next).event.id], [0, id])
      assert.isTrue(stripeAccepts(hook.all[0]!, secretIn(stdout)))
      hook.answer(500)
      assert.strictEqual((yield* type(words, env)).code, 1)
      const unknown = yield* type(["listen", "--forward-to", hook.url, "--replay", "evt_nothing"], env)
      assert.match(unknown.stderr, /event_not_found/)
    }))

  test("refuses an address, a type and a file that cannot be right", ({ env, hook }) =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
        [["--forward-to", "ftp://localhost:3000"], /"ftp:\/\/localhost:3000" is not a valid URL/],
        [
          ["--forward-to", hook.url, "--types", "payment.lost"],
          /"payment\.lost" is not an event type[\s\S]*payment\.failed/
        ],
        [["--forward-to", hook.url, "--state", "package.json"], /is not a progress file of coffer listen/]
      ]
      for (const [words, message] of cases) {
        const { code, stderr } = yield* type(["listen", ...words], env)
        assert.strictEqual(code, 2)
        assert.match(stderr, message)
      }
    }))
})
