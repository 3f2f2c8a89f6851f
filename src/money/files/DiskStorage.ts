/**
 * Files in a folder of this machine, `COFFER_HOME/files`, readable by their owner alone. Several runners need a shared
 * folder, or a bucket.
 */
import { systemProblem } from "@coffer/rules/systemProblem"
import { Effect, FileSystem, Layer, Option, Path, type PlatformError, Stream } from "effect"
import { DataDir } from "../../platform/runtime/DataDir.ts"
import { FileStorage, StorageFailed } from "./FileStorage.ts"

export const layer = Layer.effect(
  FileStorage,
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = path.join((yield* DataDir).path, "files")

    /** Makes a new name in the folder durable. Systems on which folders cannot be opened do not need it. */
    const syncFolder = fs.open(folder, { flag: "r" }).pipe(
      Effect.flatMap((open) => open.sync),
      Effect.scoped,
      Effect.ignore
    )

    return FileStorage.of({
      // The content was synced when it was received, so a name never belongs to an incomplete file.
      keep: (name, received) =>
        fs
          .rename(received.path, path.join(folder, name))
          .pipe(Effect.andThen(syncFolder), Effect.mapError(storageFailed)),
      remove: (name) => Effect.mapError(fs.remove(path.join(folder, name), { force: true }), storageFailed),
      read: Effect.fnUntraced(function* (name) {
        const target = path.join(folder, name)
        if (!(yield* Effect.mapError(fs.exists(target), storageFailed))) return Option.none()
        return Option.some(Stream.mapError(fs.stream(target), storageFailed))
      })
    })
  })
)

const storageFailed = (error: PlatformError.PlatformError) => new StorageFailed({ message: systemProblem(error) })
