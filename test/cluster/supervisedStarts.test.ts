/** `coffer serve --runners N` on a database of the operator's own, and where it refuses to start. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { answered, connect, launch, newHome, postgresRuns, run } from "../kit/Process.ts"
import { freshDatabase, operatorToken, secretKey } from "../kit/Service.ts"
import { busyClients, tally } from "../kit/stories/busyClients.ts"
import { usedHome } from "../kit/program/usedHome.ts"

/** On a database of the operator's own, with runners at this host. */
const ofOperator = Effect.fnUntraced(function* (host: string) {
  return {
    DATABASE_URL: yield* freshDatabase,
    COFFER_HOME: yield* newHome,
    SECRET_KEY: secretKey,
    OPERATOR_TOKEN: operatorToken,
    RUNNER_HOST: host
  }
})

describe("serve --runners on a database of the operator's own", () => {
  it.live("shares it with other runners, and stops in good order", () =>
    Effect.gen(function* () {
      // Without RUNNER_PORT: free ports of this address.
      const env = yield* ofOperator("127.0.0.2")
      const coffer = yield* run({ env, runners: 2 })
      const places = yield* (yield* connect(env.DATABASE_URL))<{ address: string }>`select address from runners`
      assert.lengthOf(places, 2)
      for (const { address } of places) assert.match(address, /^127\.0\.0\.2:(2\d|3[0-2])\d{3}$/)
      assert.match(coffer.said.stdout, /^Coffer serves .*\n2 runners share the port\.$/m)
      const { sandboxKey } = yield* coffer.api.newMerchant()
      const load = yield* Effect.forkChild(
        busyClients(8, [coffer.port], sandboxKey, (paid) => void (paid === 40 && coffer.signal("SIGTERM")))
      )
      const outcomes = tally(yield* Fiber.join(load))
      // A request may be under way on a kept connection that is being closed.
      const { "200": _paid, "201": _made, cut = 0, refused = 0, ...others } = outcomes
      assert.deepStrictEqual([cut + refused, others], [8, {}], JSON.stringify(outcomes))
      assert.deepStrictEqual(yield* coffer.ended, { code: 0, signal: null })
    })
  )
})

describe("serve --runners does not start, and says why in one line,", () => {
  for (const [runners, words] of [
    ["0", "--runners must be a whole number from 1 to 64, not 0."],
    ["three", "--runners must be a whole number from 1 to 64, not three."],
    ["65", "--runners must be a whole number from 1 to 64, not 65."],
    ["2.5", "--runners must be a whole number from 1 to 64, not 2.5."]
  ] as const) {
    it.live(`with ${runners} of them`, () =>
      Effect.gen(function* () {
        const coffer = yield* launch({ env: { COFFER_HOME: yield* newHome }, runners })
        assert.strictEqual((yield* coffer.ended).code, 1)
        assert.strictEqual(coffer.said.stderr, `coffer: ${words}\n`)
      })
    )
  }

  it.live("when its runners cannot listen at RUNNER_HOST", () =>
    Effect.gen(function* () {
      const coffer = yield* launch({ env: yield* ofOperator("192.0.2.1"), runners: 2 })
      assert.strictEqual((yield* coffer.ended).code, 1)
      assert.match(coffer.said.stderr, /^coffer: The runners can't listen at 192\.0\.2\.1: .* Set RUNNER_HOST or /)
    })
  )

  it.live("when its port is taken", () =>
    Effect.gen(function* () {
      const first = yield* run({ env: { COFFER_HOME: yield* usedHome } })
      const home = yield* usedHome
      const coffer = yield* launch({ env: { COFFER_HOME: home }, runners: 2, port: first.port })
      assert.strictEqual((yield* coffer.ended).code, 1)
      assert.include(coffer.said.stderr, `coffer: Port ${first.port} is in use`)
      assert.include(coffer.said.stderr, "coffer: Runner 1 did not start (exit code 1). See its output above.")
      assert.isFalse(yield* postgresRuns(home), "left its Postgres behind")
      assert.isDefined(yield* answered(first.api.get("/healthz")))
    })
  )
})
