/** The settings of a runner, and which of them stop the start. */
import { assert, describe, it } from "@effect/vitest"
import { Config, ConfigProvider, Effect } from "effect"
import { runnerPlace, variables } from "../../src/platform/runtime/places.ts"

const placeOf = (env: Record<string, string>) =>
  Effect.flatMap(Config.all(variables), runnerPlace).pipe(
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
  )
const messageOf = (env: Record<string, string>) => Effect.map(Effect.flip(placeOf(env)), ({ message }) => message)

const here = { RUNNER_HOST: "127.0.0.1", RUNNER_PORT: "9100" }
const files = { RUNNER_TLS_CERT_FILE: "cert.pem", RUNNER_TLS_KEY_FILE: "key.pem", RUNNER_TLS_CA_FILE: "ca.pem" }

describe("runners know each other", () => {
  it.effect("by a key from SECRET_KEY unless said otherwise, by certificates where all three files are named", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* placeOf(here))?.auth, "secret_key")
      assert.deepStrictEqual((yield* placeOf({ ...here, ...files }))?.auth, {
        cert: "cert.pem",
        key: "key.pem",
        ca: "ca.pem"
      })
      assert.isUndefined(yield* placeOf({}))
    })
  )

  for (const host of ["127.0.0.1", "127.8.9.10", "localhost", "::1"]) {
    it.effect(`not at all with RUNNER_AUTH=none, which ${host} may have`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* placeOf({ ...here, RUNNER_HOST: host, RUNNER_AUTH: "none" }))?.auth, "none")
      })
    )
  }

  for (const [what, env] of [
    ["10.0.0.7", { RUNNER_HOST: "10.0.0.7" }],
    ["a name", { RUNNER_HOST: "runner-1.internal" }],
    ["a name that looks like loopback", { RUNNER_HOST: "127.0.0.1.example" }],
    ["all addresses", { RUNNER_LISTEN_HOST: "0.0.0.0" }],
    ["all addresses of IPv6", { RUNNER_LISTEN_HOST: "::" }]
  ] as const) {
    it.effect(`RUNNER_AUTH=none at ${what} stops the start`, () =>
      Effect.gen(function* () {
        const message = yield* messageOf({ ...here, ...env, RUNNER_AUTH: "none" })
        assert.include(message, "RUNNER_AUTH=none needs RUNNER_HOST and RUNNER_LISTEN_HOST on this machine")
      })
    )
  }

  for (const [what, env, expected] of [
    ["a word that is neither", { RUNNER_AUTH: "password" }, "RUNNER_AUTH must be secret_key"],
    ["two of the three files", { ...files, RUNNER_TLS_CA_FILE: "" }, "must be set together"],
    ["certificates beside RUNNER_AUTH", { ...files, RUNNER_AUTH: "none" }, "not both"]
  ] as const) {
    it.effect(`${what} stops the start, and the message names the setting`, () =>
      Effect.gen(function* () {
        const given = Object.entries({ ...here, ...env }).filter(([, value]) => value !== "")
        assert.include(yield* messageOf(Object.fromEntries(given)), expected)
      })
    )
  }
})
