/**
 * Secrets from files, as container platforms mount them: `SECRET_KEY_FILE=/run/secrets/key` is `SECRET_KEY` with the
 * content of that file, less the line break at its end.
 */
import { readFileSync } from "node:fs"
import { Config, ConfigProvider, Effect, Option, Predicate } from "effect"
import { BadSetting } from "./places.ts"
import { definedSettings } from "./roomSettings.ts"

/** Settings that are secrets, or hold one. Rooms name theirs. */
const secretNames = [
  "DATABASE_URL",
  "MIGRATION_DATABASE_URL",
  "SECRET_KEY",
  "SECRET_KEY_PREVIOUS",
  "OPERATOR_TOKEN",
  "REDIS_URL",
  "OTEL_EXPORTER_OTLP_HEADERS"
]

/** The secrets that files hold, by the names of their settings. */
export const secretsOfFiles = Effect.gen(function* () {
  const secrets: Record<string, string> = {}
  for (const name of [...secretNames, ...definedSettings().flatMap((room) => room.secrets)]) {
    const file = yield* Config.option(Config.NonEmptyString(`${name}_FILE`))
    if (Option.isNone(file)) continue
    if (Option.isSome(yield* Config.option(Config.String(name)))) {
      return yield* new BadSetting({ message: `Set ${name} or ${name}_FILE, not both.` })
    }
    secrets[name] = yield* Effect.try({
      try: () => readFileSync(file.value, "utf8").replace(/\r?\n$/, ""),
      catch: (cause) =>
        new BadSetting({ message: `${name}_FILE names ${file.value}, which cannot be read: ${messageOf(cause)}` })
    })
  }
  return secrets
})

const messageOf = (cause: unknown) => (Predicate.isError(cause) ? cause.message : String(cause))

export const layer = ConfigProvider.layerAdd(
  Effect.map(secretsOfFiles, (secrets) => ConfigProvider.fromEnvRecord(secrets)),
  { asPrimary: true }
)
