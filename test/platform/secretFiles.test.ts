/** Secrets: from files, and none that is easy to guess. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import * as DataDir from "../../src/platform/runtime/DataDir.ts"
import { layerSecretFiles } from "../../src/platform/runtime/roomSettings.ts"
import * as Settings from "../../src/platform/runtime/Settings.ts"
import * as Wiring from "../../src/Wiring.ts"
import { operatorToken, secretKey } from "../kit/Service.ts"
import { specifiersOf } from "../kit/texts/imports.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-secrets-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

const settingsOf = Effect.fnUntraced(function* (env: Record<string, string>) {
  const settings = Settings.layer({ embedded: false }).pipe(
    Layer.provide(DataDir.layer(yield* folder)),
    Layer.provide(Wiring.platform),
    Layer.provide(layerSecretFiles),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
  )
  return yield* Effect.provide(Settings.Settings, settings)
})

describe("a secret", () => {
  it.live("is read from the file that its setting with _FILE names, without the line break at its end", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "key")
      writeFileSync(file, `${secretKey}\n`)
      chmodSync(file, 0o400)
      const settings = yield* settingsOf({ SECRET_KEY_FILE: file, OPERATOR_TOKEN: operatorToken })
      assert.strictEqual(Redacted.value(settings.secretKey), secretKey)
    })
  )

  it.live("for the collector is read from its file too, and a wrong one stops the start", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "headers")
      writeFileSync(file, "s3cr3t\n")
      const env = { SECRET_KEY: secretKey, OPERATOR_TOKEN: operatorToken, OTEL_EXPORTER_OTLP_HEADERS_FILE: file }
      const wrong = yield* Effect.flip(settingsOf(env))
      assert.match(String(wrong), /OTEL_EXPORTER_OTLP_HEADERS must be comma-separated headers as name=value/)
      assert.notInclude(String(wrong), "s3cr3t")
      writeFileSync(file, "authorization=Bearer%20s3cr3t\n")
      yield* settingsOf(env)
    })
  )

  it.live("that is set twice, or whose file cannot be read, stops the start by its name", () =>
    Effect.gen(function* () {
      const twice = yield* Effect.flip(settingsOf({ SECRET_KEY: secretKey, SECRET_KEY_FILE: "/nowhere" }))
      assert.match(String(twice), /Set SECRET_KEY or SECRET_KEY_FILE, not both/)
      const missing = yield* Effect.flip(settingsOf({ REDIS_URL_FILE: "/nowhere/redis" }))
      assert.match(String(missing), /REDIS_URL_FILE is \/nowhere\/redis, which can't be read: ENOENT: /)
    })
  )

  for (const name of ["SMTP_URL", "FILES_S3_SECRET_KEY", "WEBHOOK_PROXY"]) {
    it.live(`is read for a room too: ${name}`, () =>
      Effect.gen(function* () {
        const missing = yield* Effect.flip(settingsOf({ [`${name}_FILE`]: "/nowhere/secret" }))
        assert.match(String(missing), new RegExp(`${name}_FILE is /nowhere/secret, which can't be read: ENOENT: `))
      })
    )
  }

  it('are those of all rooms that define settings, but for the channels\', which "channels.ts" loads', () => {
    const loaded = specifiersOf(readFileSync("src/settingsOfRooms.ts", "utf8")).map((file) => file.slice(2))
    const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
    const defining = files.filter((file) => /= roomSettings</.test(readFileSync(`src/${file}`, "utf8")))
    assert.sameMembers(
      loaded,
      defining.filter((file) => !/^(channels|platform)\//.test(file))
    )
  })

  const zeros = Buffer.alloc(32).toString("base64")
  for (const [what, env, setting] of [
    ["a key of zeros", { SECRET_KEY: zeros }, "SECRET_KEY"],
    ["a previous key of zeros", { SECRET_KEY_PREVIOUS: zeros }, "SECRET_KEY_PREVIOUS"],
    ["a token of fewer than 32 characters", { OPERATOR_TOKEN: operatorToken.slice(0, 31) }, "OPERATOR_TOKEN"],
    ["a token of one character", { OPERATOR_TOKEN: "a".repeat(64) }, "OPERATOR_TOKEN"]
  ] as const) {
    it.live(`that is easy to guess stops the start: ${what}`, () =>
      Effect.gen(function* () {
        const refused = yield* Effect.flip(settingsOf({ SECRET_KEY: secretKey, OPERATOR_TOKEN: operatorToken, ...env }))
        assert.match(String(refused), new RegExp(`${setting} is too easy to guess`))
      })
    )
  }
})
