/**
 * `coffer profiles`: named addresses with their keys, in `profiles.json` in `COFFER_HOME` or in the user's settings
 * folder. Only the user can read the file. A profile's keys are sent to its own address only.
 */
import { systemProblem } from "@coffer/rules/systemProblem"
import { Config, Console, Effect, FileSystem, Option, Path, Redacted, Schema } from "effect"
import { Argument, Command, Prompt, TerminalCapabilities } from "effect/cli"
import { failed } from "./CliFailure.ts"
import { canonical } from "./confirmed.ts"
import { baseUrl, command, key } from "./frame.ts"
import { table } from "./output.ts"
import { plain } from "./plain.ts"
import { readClosed, settingsFolder } from "./settingsFolder.ts"

const Profile = Schema.Struct({
  base_url: Schema.String,
  sandbox_key: Schema.optionalKey(Schema.String),
  live_key: Schema.optionalKey(Schema.String)
})
export type Profile = typeof Profile.Type

const Kept = Schema.Struct({
  current: Schema.optionalKey(Schema.String),
  profiles: Schema.Record(Schema.String, Profile)
})
type Kept = typeof Kept.Type
const KeptText = Schema.fromJsonString(Kept)
const none: Kept = { profiles: {} }

const fileOf = Effect.gen(function* () {
  const path = yield* Path.Path
  const home = yield* Config.option(Config.String("COFFER_HOME")).pipe(
    Effect.orElseSucceed(() => Option.none<string>())
  )
  const settings = yield* settingsFolder
  return Option.map(
    Option.orElse(home, () => settings),
    (found) => path.resolve(found, "profiles.json")
  )
})

const read = Effect.fnUntraced(function* (file: string) {
  const text = yield* readClosed(file, "its profiles are ignored")
  if (text === "") return none
  return yield* Schema.decodeEffect(KeptText)(text).pipe(
    Effect.catchTags({
      SchemaError: () =>
        failed(
          "bad_profiles",
          `${plain(file)} is not a valid profiles file.`,
          "correct the file by hand, or delete it and add your profiles again",
          2
        )
    })
  )
})

/** The profile with this name, otherwise the current one, if any. */
export const profileOf = Effect.fnUntraced(function* (name: Option.Option<string>) {
  const file = yield* fileOf
  const kept = Option.isNone(file) ? none : yield* read(file.value)
  const chosen = Option.getOrElse(name, () => kept.current)
  const found = chosen === undefined ? undefined : kept.profiles[chosen]
  if (found !== undefined) return Option.some({ name: chosen!, profile: found })
  if (Option.isNone(name)) return Option.none()
  return yield* unknown(name.value)
})

const unknown = (name: string) =>
  failed("no_profile", `No profile ${plain(name)} found.`, "use a name that coffer profiles list shows", 2)

/** At any moment either the old or the new file exists. */
const change = Effect.fnUntraced(function* <E, R>(by: (kept: Kept) => Effect.Effect<Kept, E, R>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = yield* fileOf
  if (Option.isNone(file)) {
    return yield* failed(
      "no_config_folder",
      "No settings folder found.",
      "set HOME or XDG_CONFIG_HOME, so that there is a place for settings",
      2
    )
  }
  const after = yield* by(yield* read(file.value))
  const text = yield* Effect.catchTags(Schema.encodeEffect(KeptText)(after), { SchemaError: Effect.die })
  const next = `${file.value}.new`
  yield* fs.makeDirectory(path.dirname(file.value), { recursive: true, mode: 0o700 }).pipe(
    Effect.andThen(fs.remove(next, { force: true })),
    Effect.andThen(fs.writeFileString(next, `${text}\n`, { mode: 0o600, flag: "wx" })),
    Effect.andThen(fs.rename(next, file.value)),
    Effect.catchTags({
      PlatformError: (error) =>
        failed(
          "bad_profiles",
          `${plain(file.value)} can't be written: ${systemProblem(error)}`,
          "check that you may write the file and its folder",
          2
        )
    })
  )
  return file.value
})

const isName = (name: string) => /^[\w.-]{1,64}$/.test(name) && name !== "__proto__"

const nameArgument = Argument.String("name").pipe(Argument.withDescription("Any name, such as shop or shop-live"))

const add = command(
  "add",
  {
    does: "Save a URL with a key, from COFFER_KEY or typed in; run again to add the account's second key",
    example: "COFFER_KEY=svc_test_… coffer profiles add shop --base-url https://pay.example/v1"
  },
  { name: nameArgument },
  Effect.fnUntraced(function* ({ name }) {
    if (!isName(name)) {
      return yield* failed(
        "bad_profile",
        `"${plain(name)}" is not a valid name.`,
        "choose a name of letters, digits, - _ and .",
        2
      )
    }
    const text = Redacted.value(yield* keyOfPerson)
    const isLive = text.startsWith("svc_live_")
    if (!isLive && !text.startsWith("svc_test_")) {
      return yield* failed(
        "bad_profile",
        "That is not an API key. One starts with svc_test_ or svc_live_.",
        "copy the whole key from the console, Developers, API keys, and enter it again",
        2
      )
    }
    const address = yield* addressOfPerson
    const file = yield* change((kept) => {
      const before = kept.profiles[name]
      if (before !== undefined && before.base_url !== address) {
        return failed(
          "bad_profile",
          `The profile ${name} is for ${plain(before.base_url)}.`,
          `use another name, or first run coffer profiles remove ${name}`,
          2
        )
      }
      const made: Profile = { ...before, base_url: address, [isLive ? "live_key" : "sandbox_key"]: text }
      return Effect.succeed({ ...kept, current: kept.current ?? name, profiles: { ...kept.profiles, [name]: made } })
    })
    yield* Console.error(`coffer: The profile ${name} now has a ${isLive ? "live" : "sandbox"} key, in ${plain(file)}.`)
  })
)

const setting = (name: string) =>
  Config.option(Config.String(name)).pipe(Effect.orElseSucceed(() => Option.none<string>()))

const keyOfPerson = Effect.gen(function* () {
  const flag = yield* key
  if (Option.isSome(flag)) return flag.value
  const environment = yield* setting("COFFER_KEY")
  if (Option.isSome(environment)) return Redacted.make(environment.value)
  const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
  const missing = failed("no_key", "No key was given.", "set COFFER_KEY, or type it in a terminal", 2)
  if (!canPrompt) return yield* missing
  return yield* Effect.catchTags(Prompt.run(Prompt.Password({ message: "API key" })), { QuitError: () => missing })
})

const addressOfPerson = Effect.gen(function* () {
  const flag = yield* baseUrl
  const address = Option.isSome(flag) ? flag : yield* setting("COFFER_BASE_URL")
  const known = Option.isSome(address) ? canonical(address.value) : undefined
  if (known !== undefined) return new URL(known).pathname === "/" ? `${known}/v1` : known
  return yield* failed(
    "bad_address",
    "No URL was given.",
    "name the service with the key: --base-url https://pay.example/v1",
    2
  )
})

const list = command(
  "list",
  { does: "List profiles. Keys are not printed", example: "" },
  {},
  Effect.fnUntraced(function* () {
    const file = yield* fileOf
    const { current, profiles } = Option.isNone(file) ? none : yield* read(file.value)
    const rows = Object.entries(profiles).map(([name, { base_url, live_key, sandbox_key }]) => ({
      name,
      base_url,
      has: [sandbox_key === undefined ? [] : ["sandbox"], live_key === undefined ? [] : ["live"]].flat(),
      current: name === current
    }))
    const print = yield* table<(typeof rows)[number]>([
      { title: "NAME", of: ({ name }) => name },
      { title: "ADDRESS", of: ({ base_url }) => base_url },
      { title: "KEYS", of: ({ has }) => has.join(", ") },
      { title: "IN USE", of: (row) => (row.current ? "yes" : "-") }
    ])
    yield* print(rows)
    if (rows.length === 0) yield* Console.error("There are no profiles.")
  })
)

const use = command(
  "use",
  { does: "Use a profile when no key and URL are given", example: "shop" },
  { name: nameArgument },
  Effect.fnUntraced(function* ({ name }) {
    yield* change((kept) =>
      kept.profiles[name] === undefined ? unknown(name) : Effect.succeed({ ...kept, current: name })
    )
    yield* Console.error(`coffer: The profile ${plain(name)} is now used by default.`)
  })
)

const remove = command(
  "remove",
  { does: "Remove a profile with its keys", example: "shop" },
  { name: nameArgument },
  Effect.fnUntraced(function* ({ name }) {
    yield* change(({ current, profiles: { [name]: gone, ...profiles } }) =>
      gone === undefined
        ? unknown(name)
        : Effect.succeed({ ...(current === undefined || current === name ? {} : { current }), profiles })
    )
    yield* Console.error(`coffer: The profile ${plain(name)} was removed. Its keys are still valid.`)
  })
)

export const profilesCommand = Command.make("profiles").pipe(
  Command.withDescription("Named URLs with their keys: add, list, use, remove"),
  Command.withSubcommands([add, list, use, remove])
)
