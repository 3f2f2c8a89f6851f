/**
 * Settings that a room defines beside the code that needs them (docs/decisions/0078), and secrets from files, of which
 * rooms name theirs. A room's settings are read and checked with all others at the start, and by the doctor too, since
 * a room that is wired has been loaded.
 */
import { Config, ConfigProvider, Effect, Option, Predicate } from "effect"
import { BadSetting } from "./places.ts"
import { readFileSync } from "node:fs"

export interface RoomSettings<out A> {
  /** Names of variables that are secrets, or hold one: a file may hold each. */
  readonly secrets: ReadonlyArray<string>
  /** `publicUrl`: where buyers and merchants reach this service, without a slash at the end. */
  readonly read: (publicUrl: string) => Effect.Effect<A, Config.ConfigError | BadSetting>
}

const defined: Array<RoomSettings<unknown>> = []

export const roomSettings = <A>(definition: RoomSettings<A>): RoomSettings<A> => {
  defined.push(definition)
  return definition
}

/** Those of the rooms that this program has loaded. */
export const definedSettings = (): ReadonlyArray<RoomSettings<unknown>> => defined

// Secrets from files -------------------------------------------------------------
// As container platforms mount them: `SECRET_KEY_FILE=/run/secrets/key` is `SECRET_KEY` with the content of that file,
// less the line break at its end.

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
        new BadSetting({ message: `${name}_FILE is ${file.value}, which can't be read: ${messageOf(cause)}` })
    })
  }
  return secrets
})

const messageOf = (cause: unknown) => (Predicate.isError(cause) ? cause.message : String(cause))

export const layerSecretFiles = ConfigProvider.layerAdd(
  Effect.map(secretsOfFiles, (secrets) => ConfigProvider.fromEnvRecord(secrets)),
  { asPrimary: true }
)
