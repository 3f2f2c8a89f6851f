/**
 * Whose account a command works on: a key and the address that it is for. Either comes from a flag, else from the
 * environment, else from the nearest `.coffer/credentials.json`, which the service writes on a laptop.
 */
import { Config, Effect, FileSystem, Option, Path, Redacted, Schema } from "effect"
import { CliFailure, failed } from "./CliFailure.ts"

export interface Account {
  readonly key: Redacted.Redacted
  /** With its version, without a slash at its end. */
  readonly baseUrl: string
  /** Where the key came from, for messages. */
  readonly keyFrom: string
}

export interface Given {
  readonly key: Option.Option<Redacted.Redacted>
  readonly baseUrl: Option.Option<string>
}

const Credentials = Schema.fromJsonString(Schema.Struct({ base_url: Schema.String, sandbox_key: Schema.String }))

const environment = Config.all({
  key: Config.option(Config.Redacted("COFFER_KEY")),
  baseUrl: Config.option(Config.String("COFFER_BASE_URL")),
  home: Config.option(Config.String("COFFER_HOME"))
})

interface Kept {
  readonly file: string
  readonly baseUrl: string
  readonly key: Redacted.Redacted
}

/** `given`: the flags. */
export const accountOf = Effect.fnUntraced(function* (given: Given) {
  const said = yield* environment.pipe(Effect.catchTags({ ConfigError: (error) => badSetting(error.message) }))
  const key = Option.orElse(given.key, () => said.key)
  const address = Option.map(
    Option.orElse(given.baseUrl, () => said.baseUrl),
    withVersion
  )
  const keyFrom = Option.isSome(given.key) ? "--key" : "COFFER_KEY"
  if (Option.isSome(key) && Option.isSome(address)) {
    return { key: key.value, baseUrl: address.value, keyFrom } satisfies Account
  }
  const kept = yield* nearest(said.home)
  if (Option.isSome(key)) {
    if (kept === undefined) return yield* noAddress
    return { key: key.value, baseUrl: kept.baseUrl, keyFrom } satisfies Account
  }
  if (kept === undefined) return yield* noKey
  // Whoever is at another address must not get this key.
  if (Option.isSome(address) && address.value !== kept.baseUrl) return yield* keyOfAnother(kept, address.value)
  return { key: kept.key, baseUrl: kept.baseUrl, keyFrom: kept.file } satisfies Account
})

/** `http://127.0.0.1:8080` means its first version. */
const withVersion = (address: string): string => {
  const plain = address.replace(/\/+$/, "")
  return URL.canParse(plain) && new URL(plain).pathname === "/" ? `${plain}/v1` : plain
}

const nearest = Effect.fnUntraced(function* (home: Option.Option<string>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const files = Option.match(home, {
    onSome: (folder) => [path.resolve(folder, "credentials.json")],
    onNone: () => upwards(path, path.resolve(".")).map((folder) => path.join(folder, ".coffer", "credentials.json"))
  })
  for (const file of files) {
    const info = yield* Effect.option(fs.stat(file))
    if (Option.isNone(info)) continue
    // A file that somebody else has put above us may name a server of theirs.
    const owner = Option.getOrUndefined(info.value.uid)
    if (process.getuid !== undefined && owner !== process.getuid()) return yield* foreign(file)
    const text = yield* fs.readFileString(file).pipe(Effect.catchTags({ PlatformError: () => unreadable(file) }))
    const { base_url, sandbox_key } = yield* Schema.decodeEffect(Credentials)(text).pipe(
      Effect.catchTags({ SchemaError: () => unreadable(file) })
    )
    return { file, baseUrl: withVersion(base_url), key: Redacted.make(sandbox_key) } satisfies Kept
  }
  return undefined
})

/** A folder and those that it is in. */
const upwards = (path: Path.Path, folder: string): ReadonlyArray<string> => {
  const parent = path.dirname(folder)
  return parent === folder ? [folder] : [folder, ...upwards(path, parent)]
}

const refuse = (code: string, message: string, next: string): Effect.Effect<never, CliFailure> =>
  Effect.fail(failed(code, message, next, 2))

const noKey = refuse(
  "no_key",
  "No key was found: there is no --key, no COFFER_KEY, and no .coffer/credentials.json here or in a folder above.",
  "start the service here (npm start), which writes that file; or set COFFER_KEY and COFFER_BASE_URL"
)
const noAddress = refuse(
  "no_base_url",
  "There is a key, but nothing says where the service is.",
  "give --base-url or COFFER_BASE_URL, as in https://pay.example/v1"
)
const keyOfAnother = ({ baseUrl, file }: Kept, address: string) =>
  refuse(
    "no_key",
    `There is no key for ${address}: the one in ${file} is for ${baseUrl}, and is not sent elsewhere.`,
    "give the key as well: COFFER_KEY, or --key"
  )
const foreign = (file: string) =>
  refuse(
    "foreign_credentials",
    `${file} belongs to another user, so it is not read.`,
    "set COFFER_KEY and COFFER_BASE_URL"
  )
const unreadable = (file: string) =>
  refuse(
    "bad_credentials",
    `${file} cannot be read, or is not what the service writes.`,
    "start the service in its folder again, or set COFFER_KEY and COFFER_BASE_URL"
  )
const badSetting = (message: string) =>
  refuse("bad_setting", `A setting is wrong: ${message}`, "mend it in the environment")
