/**
 * The data directory, COFFER_HOME, `.coffer` by default: holds what must survive a restart. Its files are secrets,
 * readable by their owner alone.
 */
import { systemProblem } from "@coffer/rules/systemProblem"
import { Context, Effect, FileSystem, Layer, Path, type PlatformError, Schema } from "effect"

export class DataDirUnusable extends Schema.TaggedError<DataDirUnusable>()("DataDirUnusable", {
  message: Schema.String
}) {}

export class DataDir extends Context.Service<
  DataDir,
  {
    readonly path: string
    /** The content of the file. If the file does not exist, it is created with what `make` returns. */
    readonly keep: <R>(file: string, make: Effect.Effect<string, never, R>) => Effect.Effect<string, DataDirUnusable, R>
    readonly write: (file: string, content: string) => Effect.Effect<void, DataDirUnusable>
  }
>()("@coffer/platform/DataDir") {}

export const layer = (folder: string) =>
  Layer.effect(
    DataDir,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const home = path.resolve(folder)

      const usable = <A>(effect: Effect.Effect<A, PlatformError.PlatformError>) =>
        Effect.mapError(
          effect,
          (error) => new DataDirUnusable({ message: `${home} cannot be used: ${systemProblem(error)}` })
        )

      const isNew = !(yield* usable(fs.exists(home)))
      yield* usable(fs.makeDirectory(home, { recursive: true }))
      // On a laptop it is made inside a developer's checkout. The rights of an existing folder are left to its owner.
      if (isNew) yield* Effect.ignore(fs.writeFileString(path.join(home, ".gitignore"), "*\n"))

      const onDisk = <E = never>(
        name: string,
        flag: "w" | "r",
        work: (file: FileSystem.File) => Effect.Effect<void, E> = () => Effect.void
      ) =>
        fs.open(name, { flag, mode: 0o600 }).pipe(
          Effect.flatMap((file) => Effect.andThen(work(file), file.sync)),
          Effect.scoped
        )

      const write = Effect.fnUntraced(function* (file: string, content: string) {
        const target = path.join(home, file)
        // Written to another file and renamed, so that a crash leaves either the old content or the new one. The
        // content is on disk before the name, and the name before anything depends on it.
        yield* usable(onDisk(`${target}.new`, "w", (file) => file.writeAll(new TextEncoder().encode(content))))
        yield* usable(fs.rename(`${target}.new`, target))
        yield* usable(onDisk(home, "r"))
      })

      const keep = Effect.fnUntraced(function* <R>(file: string, make: Effect.Effect<string, never, R>) {
        const target = path.join(home, file)
        if (yield* usable(fs.exists(target))) return (yield* usable(fs.readFileString(target))).trim()
        const content = yield* make
        yield* write(file, `${content}\n`)
        return content
      })

      return DataDir.of({ path: home, keep, write })
    })
  )

/** For a program that only reads: it creates no folder and no file. */
export const layerReading = (folder: string) =>
  Layer.effect(
    DataDir,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const home = path.resolve(folder)
      const fail = (file: string, why: string) =>
        Effect.fail(new DataDirUnusable({ message: `${path.join(home, file)} ${why}` }))

      return DataDir.of({
        path: home,
        keep: (file) =>
          fs.readFileString(path.join(home, file)).pipe(
            Effect.map((content) => content.trim()),
            Effect.catch(() => fail(file, "cannot be read. The first start of coffer serve makes it."))
          ),
        write: (file) => fail(file, "is not written by this program.")
      })
    })
  )
