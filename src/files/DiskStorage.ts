/**
 * Files in a folder of this machine, `COFFER_HOME/files`, readable by their owner alone. Several runners need one
 * folder that all of them see, or a bucket.
 */
import { Effect, FileSystem, Layer, Option, Path, Stream } from "effect"
import { DataDir } from "../platform/runtime/DataDir.ts"
import { FileStorage, StorageFailed } from "./FileStorage.ts"

export const layer = Layer.effect(
  FileStorage,
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = path.join((yield* DataDir).path, "files")

    /** The new name is in the folder, and the folder is a file too. Where folders cannot be opened there is no need. */
    const syncFolder = fs.open(folder, { flag: "r" }).pipe(
      Effect.flatMap((open) => open.sync),
      Effect.scoped,
      Effect.ignore
    )

    return FileStorage.of({
      // Its content was synced when it was received, so that no name ever stands for half a file.
      keep: (name, received) =>
        fs
          .rename(received.path, path.join(folder, name))
          .pipe(Effect.andThen(syncFolder), Effect.mapError(storageFailed)),
      read: Effect.fnUntraced(function* (name) {
        const target = path.join(folder, name)
        if (!(yield* Effect.mapError(fs.exists(target), storageFailed))) return Option.none()
        return Option.some(Stream.mapError(fs.stream(target), storageFailed))
      })
    })
  })
)

const storageFailed = ({ message }: { readonly message: string }) => new StorageFailed({ message })
