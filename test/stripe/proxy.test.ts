/** Calls to Stripe through the operator's proxy (`STRIPE_PROXY`, silences: S34): a real one, with TLS end to end. */
import net from "node:net"
import tls from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, Redacted } from "effect"
import * as Faults from "../../src/platform/runtime/Faults.ts"
import type { Api } from "../kit/Api.ts"
import { operatorToken, secretKey as ofTests } from "../kit/Service.ts"
import { settingsOf } from "../kit/program/settings.ts"
import { password, proxying } from "../webhooks/proxy.ts"
import { run, selfSigned } from "../webhooks/receiver.ts"
import { trusting } from "../webhooks/secureReceiver.ts"
import { chooses, connectedAs, impatient, secretKey, worlds } from "./kit.ts"

/** The simulator behind TLS, and a service that reaches it through a proxy. `refuse`: the proxy's answer instead. */
const proxied = Effect.fnUntraced(function* (refuse: (target: string) => number | "hang" | undefined) {
  const { cert, key } = selfSigned("localhost")
  yield* trusting(cert)
  let simulator = 0
  const tunnelled = new Set<net.Socket>()
  const front = tls.createServer({ cert, key }, (socket) => {
    tunnelled.add(socket)
    const there = net.connect(simulator, "127.0.0.1")
    socket.pipe(there).pipe(socket)
    there.on("error", () => socket.destroy())
    socket.on("error", () => there.destroy())
  })
  const { port } = yield* run(front)
  const proxy = yield* proxying(refuse)
  const env = { STRIPE_API: `https://localhost:${port}`, STRIPE_PROXY: Redacted.value(proxy.url) }
  const log: Array<string> = []
  const logger = Logger.layer([Logger.map(Logger.formatJson, (line) => void log.push(line))])
  const world = yield* worlds({ ...impatient, env, faults: Layer.merge(Faults.layer, logger) })
  simulator = Number(new URL(world.simulator.url).port)
  const metric = (name: string, labels = "") =>
    Effect.map(world.api.get("/metrics"), ({ text }) => {
      const line = text.split("\n").find((each) => /^\w+/.exec(each)?.[0] === name && each.includes(labels))
      return Number(line?.split(" ").at(-1))
    })
  /** Later calls then need a tunnel of their own. */
  const closeTunnels = Effect.sync(() => tunnelled.forEach((socket) => socket.destroy()))
  return { ...world, proxy, metric, closeTunnels, log: () => log.join("\n"), target: `localhost:${port}` }
})

const chosen = (api: Api, key: string) =>
  Effect.gen(function* () {
    const { body } = yield* api.post("/v1/orders", key, { amount: 2_000 })
    return chooses(api, body.data, "card")
  })

const times = (count: number) => Array.from({ length: count })

describe("with STRIPE_PROXY", () => {
  it.live("calls to Stripe go through one kept tunnel, which is opened with the proxy's password", () =>
    Effect.gen(function* () {
      const { api, merchant, proxy, simulator, target, ...world } = yield* proxied(() => undefined)
      yield* connectedAs({ api, ...world }, merchant, secretKey)
      for (const _ of times(3)) yield* yield* chosen(api, merchant.sandboxKey)
      assert.lengthOf(simulator.all("checkout.session"), 3)
      const authorization = `Basic ${Buffer.from(`coffer:${password}`).toString("base64")}`
      assert.deepStrictEqual(
        new Set(proxy.asked.map((each) => JSON.stringify(each))),
        new Set([JSON.stringify({ method: "CONNECT", target, host: target, authorization })])
      )
      // Concurrent calls need one each; consecutive ones share them.
      assert.isAtMost(proxy.asked.length, 3)
    })
  )

  for (const [what, refusal, detail] of [
    ["refuses the password", 407, "it answered CONNECT with 407"],
    ["does not allow Stripe", 403, "it answered CONNECT with 403"],
    ["does not reach Stripe", 502, "it answered CONNECT with 502"],
    ["never answers", "hang", "timed out"]
  ] as const) {
    it.live(
      `a proxy that ${what} is reported as the proxy's failure, closes no account, and recovers when it works`,
      () =>
        Effect.gen(function* () {
          let works = true
          const { api, closeTunnels, leap, log, merchant, metric, ...world } = yield* proxied(() =>
            works ? undefined : refusal
          )
          yield* connectedAs({ api, ...world }, merchant, secretKey)
          const choose = yield* chosen(api, merchant.sandboxKey)
          const failures = metric("coffer_stripe_calls_total", 'outcome="proxy"')
          const before = yield* failures
          works = false
          yield* closeTunnels
          for (const _ of times(7)) assert.strictEqual((yield* choose).status, 502)
          assert.strictEqual((yield* failures) - before, 5)
          assert.strictEqual(yield* metric("coffer_stripe_proxy_down"), 1)
          assert.strictEqual(yield* metric("coffer_stripe_down"), 0)
          assert.match(log(), new RegExp(`STRIPE_PROXY opens no connection to Stripe: .*${detail}`))
          assert.notInclude(log(), password)
          assert.notInclude(log(), encodeURIComponent(password))
          assert.notInclude(log(), "Stripe did not answer")
          works = true
          yield* leap("11 seconds")
          assert.strictEqual((yield* choose).status, 200)
          assert.strictEqual(yield* metric("coffer_stripe_proxy_down"), 0)
        })
    )
  }

  it.live("a start says what the setting has to look like, and repeats nothing of it", () =>
    Effect.gen(function* () {
      const database = {
        DATABASE_URL: "postgres://app@db.example/coffer",
        SECRET_KEY: ofTests,
        OPERATOR_TOKEN: operatorToken
      }
      for (const value of ["proxy.example:3128", "https://u:s3cret@proxy.example", "http://u:s3cret@proxy.example/a"]) {
        const exit = yield* Effect.exit(settingsOf({ ...database, STRIPE_PROXY: value }))
        assert.isTrue(Exit.isFailure(exit))
        assert.include(String(exit), "STRIPE_PROXY must look like")
        assert.notInclude(String(exit), "s3cret")
      }
    })
  )
})
