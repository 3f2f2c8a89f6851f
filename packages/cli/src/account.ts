/**
 * The account of a command: a key and its address. Each comes from a flag, the environment, or the nearest
 * `.coffer/credentials.json`, which the service writes on a laptop. Merchants have an API key, operators a token, each
 * for its own API. A cloned repository may contain such a file, so a key from another source is sent to the file's
 * address only if the user has confirmed that address.
 */
import { Config, Effect, FileSystem, Option, Path, Redacted, Schema } from "effect"
import { CliFailure, failed } from "./CliFailure.ts"
import { canonical, isConfirmed, isOnThisMachine } from "./confirmed.ts"
import { plain } from "./plain.ts"
import { profileOf } from "./profiles.ts"

export interface Account {
  readonly key: Redacted.Redacted
  /** With the version, without a trailing slash. */
  readonly baseUrl: string
  /** Where the key came from, for messages. */
  readonly keyFrom: string
}

export interface AccountFlags {
  readonly key: Option.Option<Redacted.Redacted>
  readonly baseUrl: Option.Option<string>
  /** Only a merchant's. */
  readonly profile?: Option.Option<string>
  /** Use the live key if there are two. */
  readonly isLive?: boolean
}

const Credentials = Schema.fromJsonString(
  Schema.Struct({
    base_url: Schema.String,
    sandbox_key: Schema.String,
    live_key: Schema.optionalKey(Schema.String),
    operator_url: Schema.optionalKey(Schema.String),
    operator_token: Schema.optionalKey(Schema.String)
  })
)

/** An API: its credential, and the file to which the service has written it. */
export interface Door {
  /** The credential, in words for people. */
  readonly called: string
  readonly flags: { readonly key: string; readonly baseUrl: string }
  readonly variables: { readonly key: string; readonly baseUrl: string }
  /** The path of an address that has none. */
  readonly root: string
  readonly kept: (file: typeof Credentials.Type) => {
    readonly baseUrl?: string | undefined
    readonly key?: string | undefined
    readonly liveKey?: string | undefined
  }
  /** A sandbox key, so it may be sent to any program of this machine. */
  readonly isOfSandbox: (key: string) => boolean
}

export const merchantDoor: Door = {
  called: "key",
  flags: { key: "--key", baseUrl: "--base-url" },
  variables: { key: "COFFER_KEY", baseUrl: "COFFER_BASE_URL" },
  root: "/v1",
  kept: ({ base_url, live_key, sandbox_key }) => ({ baseUrl: base_url, key: sandbox_key, liveKey: live_key }),
  isOfSandbox: (key) => key.startsWith("svc_test_")
}

export const operatorDoor: Door = {
  called: "operator token",
  flags: { key: "--operator-token", baseUrl: "--operator-url" },
  variables: { key: "COFFER_OPERATOR_TOKEN", baseUrl: "COFFER_OPERATOR_URL" },
  root: "/operator/v1",
  kept: ({ operator_token, operator_url }) => ({ baseUrl: operator_url, key: operator_token }),
  isOfSandbox: () => false
}

interface Kept {
  readonly file: string
  readonly baseUrl: string
  readonly key: Redacted.Redacted | undefined
  /** All keys that it has for that address. */
  readonly keys: ReadonlyArray<string | undefined>
}

const settingsOf = ({ variables }: Door) =>
  Config.all({
    key: Config.option(Config.Redacted(variables.key)),
    baseUrl: Config.option(Config.String(variables.baseUrl)),
    home: Config.option(Config.String("COFFER_HOME"))
  })

/** `set`: the flags. */
export const accountOf = Effect.fnUntraced(function* (set: AccountFlags, door: Door) {
  const { flags, variables } = door
  const environment = yield* settingsOf(door).pipe(
    Effect.catchTags({ ConfigError: (error) => badSetting(error.message) })
  )
  const key = Option.orElse(set.key, () => environment.key)
  const address = Option.map(
    Option.orElse(set.baseUrl, () => environment.baseUrl),
    (url) => withRoot(url, door)
  )
  const keyFrom = Option.isSome(set.key) ? flags.key : variables.key
  const isNamed = set.profile !== undefined && Option.isSome(set.profile)
  if (isNamed && (Option.isSome(set.key) || Option.isSome(set.baseUrl))) return yield* twoAccounts()
  // A current profile counts if nothing else is given.
  if (isNamed || (set.profile !== undefined && Option.isNone(key) && Option.isNone(address))) {
    const found = yield* profileOf(set.profile!)
    if (Option.isSome(found)) return yield* accountOfProfile(found.value, set.isLive === true)
  }
  if (Option.isSome(key) && Option.isSome(address)) {
    return { key: key.value, baseUrl: address.value, keyFrom } satisfies Account
  }
  const kept = yield* nearest(environment.home, door, set.isLive === true)
  if (Option.isSome(key)) {
    if (kept === undefined) return yield* noAddress(door)
    if (!(yield* mayGo(Redacted.value(key.value), kept, door))) return yield* unconfirmed(kept, keyFrom, door)
    return { key: key.value, baseUrl: kept.baseUrl, keyFrom } satisfies Account
  }
  if (kept === undefined) return yield* noKey(door)
  if (kept.key === undefined) return yield* noLiveKey(kept.file)
  // A server at another address must not get this key.
  if (Option.isSome(address) && address.value !== kept.baseUrl) return yield* keyOfAnother(kept, address.value, door)
  return { key: kept.key, baseUrl: kept.baseUrl, keyFrom: kept.file } satisfies Account
})

/** Whether a key that was given without an address may go to the address that a file names. */
const mayGo = (key: string, { baseUrl, keys }: Kept, { isOfSandbox }: Door) =>
  keys.includes(key) || (isOfSandbox(key) && isOnThisMachine(baseUrl)) ? Effect.succeed(true) : isConfirmed(baseUrl)

/** `http://127.0.0.1:8080` means its first version. */
const withRoot = (address: string, { root }: Door): string => {
  const plain = address.replace(/\/+$/, "")
  return URL.canParse(plain) && new URL(plain).pathname === "/" ? `${plain}${root}` : plain
}

const accountOfProfile = Effect.fnUntraced(function* (
  {
    name,
    profile: { base_url, live_key, sandbox_key }
  }: Option.Option.Value<Effect.Success<ReturnType<typeof profileOf>>>,
  isLive: boolean
) {
  const key = isLive ? live_key : (sandbox_key ?? live_key)
  if (key === undefined) return yield* noLiveKey(`the profile ${name}`)
  return { key: Redacted.make(key), baseUrl: base_url, keyFrom: `the profile ${name}` } satisfies Account
})

const nearest = Effect.fnUntraced(function* (home: Option.Option<string>, door: Door, isLive: boolean) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const files = Option.match(home, {
    onSome: (folder) => [path.resolve(folder, "credentials.json")],
    onNone: () => upwards(path, path.resolve(".")).map((folder) => path.join(folder, ".coffer", "credentials.json"))
  })
  for (const file of files) {
    const info = yield* Effect.option(fs.stat(file))
    if (Option.isNone(info)) continue
    // A file that others have placed in a parent folder may name their server.
    const owner = Option.getOrUndefined(info.value.uid)
    if (process.getuid !== undefined && owner !== process.getuid()) return yield* foreign(file, door)
    const text = yield* fs.readFileString(file).pipe(Effect.catchTags({ PlatformError: () => unreadable(file, door) }))
    const credentials = yield* Schema.decodeEffect(Credentials)(text).pipe(
      Effect.catchTags({ SchemaError: () => unreadable(file, door) })
    )
    const { baseUrl, key, liveKey } = door.kept(credentials)
    if (baseUrl === undefined || key === undefined) return yield* unreadable(file, door)
    const chosen = isLive ? liveKey : key
    return {
      file,
      baseUrl: withRoot(baseUrl, door),
      key: chosen === undefined ? undefined : Redacted.make(chosen),
      keys: [key, liveKey]
    } satisfies Kept
  }
  return undefined
})

/** A folder and its parents. */
const upwards = (path: Path.Path, folder: string): ReadonlyArray<string> => {
  const parent = path.dirname(folder)
  return parent === folder ? [folder] : [folder, ...upwards(path, parent)]
}

const refuse = (code: string, message: string, next: string): Effect.Effect<never, CliFailure> =>
  Effect.fail(failed(code, message, next, 2))

const noKey = ({ called, flags, variables }: Door) =>
  refuse(
    "no_key",
    `No ${called} found: no ${flags.key}, ${variables.key} or .coffer/credentials.json in this folder ` +
      "or a parent folder.",
    `start the service here (npm start), which writes that file, or set ${variables.key} and ${variables.baseUrl}`
  )
const noLiveKey = (from: string) =>
  refuse("no_live_key", `No live key in ${plain(from)}.`, "set COFFER_KEY and COFFER_BASE_URL, or --key and --base-url")
const twoAccounts = () =>
  refuse("two_accounts", "A profile already has its own key and URL.", "use either --profile, or --key and --base-url")
const noAddress = ({ called, flags, root, variables }: Door) =>
  refuse(
    "no_base_url",
    `Found a ${called}, but no URL of the service.`,
    `set ${flags.baseUrl} or ${variables.baseUrl}, such as https://pay.example${root}`
  )
const unconfirmed = ({ baseUrl, file }: Kept, keyFrom: string, { called, flags, variables }: Door) =>
  refuse(
    "unconfirmed_address",
    `The ${called} is from ${keyFrom}, but the URL ${baseUrl} is from ${file}. That file could ` +
      `point to someone else's server, so the ${called} was not sent.`,
    `set ${flags.baseUrl} or ${variables.baseUrl}, or, if this URL is right, run once: ` +
      `coffer confirm ${quoted(canonical(baseUrl) ?? "")}`
  )
/** Quoted for a shell: it comes from a file of others. */
const quoted = (text: string): string => `'${plain(text).replaceAll("'", "%27")}'`
const keyOfAnother = ({ baseUrl, file }: Kept, address: string, { called, flags, variables }: Door) =>
  refuse(
    "no_key",
    `No ${called} for ${address}: the one in ${file} is for ${baseUrl} and is not sent elsewhere.`,
    `set the ${called} too: ${variables.key} or ${flags.key}`
  )
const foreign = (file: string, { variables }: Door) =>
  refuse(
    "foreign_credentials",
    `${file} belongs to another user, so it was not read.`,
    `set ${variables.key} and ${variables.baseUrl}`
  )
const unreadable = (file: string, { variables }: Door) =>
  refuse(
    "bad_credentials",
    `${file} can't be read, or is not in the expected format.`,
    `restart the service in its folder, or set ${variables.key} and ${variables.baseUrl}`
  )
const badSetting = (message: string) =>
  refuse("bad_setting", `Invalid setting: ${message}`, "correct the environment variable, or unset it")
