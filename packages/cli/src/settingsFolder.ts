/**
 * The user's folder for settings of this program, and files in it that only their owner may read: git cannot bring one.
 */
import { Config, Effect, FileSystem, Option, Path } from "effect"
import { failed } from "./CliFailure.ts"
import { plain } from "./plain.ts"

/** An absolute folder from an environment variable. */
const folderIn = (name: string) =>
  Effect.flatMap(Path.Path, (path) =>
    Config.option(Config.String(name)).pipe(
      Effect.orElseSucceed(() => Option.none<string>()),
      Effect.map(Option.filter((folder) => path.isAbsolute(folder)))
    )
  )

/** `coffer` in the folder of the XDG specification. None if it cannot be determined. */
export const settingsFolder = Effect.gen(function* () {
  const path = yield* Path.Path
  const home = Option.map(yield* folderIn("HOME"), (folder) => path.join(folder, ".config"))
  return Option.map(
    Option.orElse(yield* folderIn("XDG_CONFIG_HOME"), () => home),
    (folder) => path.join(folder, "coffer")
  )
})

/** The text of a file that belongs to this user and only this user can read; "" if there is none. */
export const readClosed = Effect.fnUntraced(function* (file: string, otherwise: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(file))
  if (Option.isNone(info)) return ""
  const isOurs = process.getuid === undefined || Option.getOrUndefined(info.value.uid) === process.getuid()
  // Windows has no such modes.
  const isClosed = process.getuid === undefined || (info.value.mode & 0o077) === 0
  if (!isOurs || !isClosed) {
    return yield* failed(
      "open_settings",
      `${plain(file)} belongs to another user or is accessible to others, so ${otherwise}.`,
      "check its contents, then chmod 600 it, or delete it",
      2
    )
  }
  return yield* fs.readFileString(file).pipe(
    Effect.catchTags({
      PlatformError: () =>
        failed("bad_settings", `${plain(file)} can't be read.`, "check its permissions, or delete it", 2)
    })
  )
})
