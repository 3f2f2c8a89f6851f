/**
 * The addresses that a person has confirmed for keys of their own: a line for each in the user's config folder. A file
 * in a repository cannot replace it: git cannot create a file that only its owner may read.
 */
import { Console, Effect, FileSystem, Option, Path } from "effect"
import { Argument } from "effect/cli"
import { failed } from "./CliFailure.ts"
import { command } from "./frame.ts"
import { plain } from "./plain.ts"
import { readClosed, settingsFolder } from "./settingsFolder.ts"

/**
 * A canonical form, so that two spellings of one address are equal: without a trailing slash. Undefined unless it is
 * HTTP or HTTPS.
 */
export const canonical = (address: string): string | undefined => {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) ? url.href.replace(/\/+$/, "") : undefined
}

/** Whether only programs of this machine can answer there. */
export const isOnThisMachine = (address: string): boolean =>
  URL.canParse(address) && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(address).hostname)

/** `addresses` in the folder for settings. */
const fileOf = Effect.map(
  settingsFolder,
  Option.map((folder) => `${folder}/addresses`)
)

const read = (file: string) =>
  Effect.map(readClosed(file, "its confirmed URLs are ignored"), (text) =>
    text.split("\n").filter((line) => line !== "")
  )

const unwritable = (file: string) =>
  failed("bad_addresses", `${plain(file)} can't be read or written.`, "check its permissions, or delete it", 2)

/** Whether the person has confirmed this address. */
export const isConfirmed = Effect.fnUntraced(function* (address: string) {
  const file = yield* fileOf
  return Option.isSome(file) && (yield* read(file.value)).includes(canonical(address) ?? "")
})

export const confirmCommand = command(
  "confirm",
  {
    does: "Allow keys from flags or the environment to be sent to a URL",
    example: "coffer confirm https://pay.example/v1"
  },
  { address: Argument.String("address").pipe(Argument.withDescription("Such as https://pay.example/v1")) },
  Effect.fnUntraced(function* ({ address }) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const known = canonical(address)
    if (known === undefined) {
      return yield* failed(
        "bad_address",
        `"${plain(address)}" is not a valid URL.`,
        "use the whole URL of the service, such as https://pay.example/v1",
        2
      )
    }
    const file = yield* fileOf
    if (Option.isNone(file)) {
      return yield* failed(
        "no_config_folder",
        "No settings folder found.",
        "set HOME or XDG_CONFIG_HOME, so that there is a place for settings",
        2
      )
    }
    const isNew = !(yield* read(file.value)).includes(known)
    if (isNew) {
      // A line is appended in one write, so concurrent confirmations are both kept.
      yield* fs
        .makeDirectory(path.dirname(file.value), { recursive: true, mode: 0o700 })
        .pipe(
          Effect.andThen(fs.writeFileString(file.value, `${known}\n`, { flag: "a", mode: 0o600 })),
          Effect.catchTags({ PlatformError: () => unwritable(file.value) })
        )
    }
    yield* Console.error(`coffer: ${plain(known)} is confirmed for your keys, in ${plain(file.value)}.`)
  })
)
