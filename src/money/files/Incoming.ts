/**
 * Receives uploads: writes them to disk as they arrive, so that memory holds one chunk and never a file, and stops at
 * the size limit. A file that is not handed on to the storage is removed at the end, or after a crash by a later start.
 */
import { fileBytesMax } from "@coffer/model/Limits"
import { fileKind, headLength } from "@coffer/rules/files/fileKind"
import { InvalidField } from "@coffer/rules/InvalidField"
import { systemProblem } from "@coffer/rules/systemProblem"
import { Effect, FileSystem, Option, Path, type PlatformError, type Scope, Stream } from "effect"
import { currentMillis } from "../../platform/runtime/clock.ts"
import { DataDir } from "../../platform/runtime/DataDir.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { type ReceivedFile, StorageFailed } from "./FileStorage.ts"

/** No upload takes this long: the HTTP server gives up sooner. */
const abandonedMillis = 60 * 60 * 1_000
const suffix = ".part"

export const makeIncoming = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const secrets = yield* Secrets
  const folder = path.join((yield* DataDir).path, "files")

  const write = Effect.fnUntraced(function* <E>(target: string, content: Stream.Stream<Uint8Array, E>) {
    const file = yield* mapStorageFailure(fs.open(target, { flag: "wx", mode: 0o600 }))
    const head = new Uint8Array(headLength)
    let size = 0
    // Chunks that came together are written together: a body may come in chunks of one byte.
    yield* Stream.runForEachArray(content, (chunks): Effect.Effect<void, InvalidField | StorageFailed> => {
      const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
      if (size < headLength) head.set(bytes.subarray(0, headLength - size), size)
      size += bytes.length
      return size > fileBytesMax ? Effect.fail(tooLarge) : mapStorageFailure(file.writeAll(bytes))
    })
    yield* mapStorageFailure(file.sync)
    return { head: head.subarray(0, size), size }
  }, Effect.scoped)

  /** The file is removed with the scope, unless it was moved. */
  const receive = <E>(
    content: Stream.Stream<Uint8Array, E>
  ): Effect.Effect<ReceivedFile, InvalidField | StorageFailed | E, Scope.Scope> =>
    Effect.gen(function* () {
      yield* mapStorageFailure(fs.makeDirectory(folder, { recursive: true, mode: 0o700 }))
      const target = path.join(folder, `${yield* secrets.random(16)}${suffix}`)
      yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(target, { force: true })))
      const { head, size } = yield* write(target, content)
      const kind = fileKind(head)
      return kind === undefined ? yield* notTaken : { path: target, size, kind }
    })

  const removeAbandoned = Effect.gen(function* () {
    const now = yield* currentMillis
    for (const name of yield* fs.readDirectory(folder)) {
      if (!name.endsWith(suffix)) continue
      const { mtime } = yield* fs.stat(path.join(folder, name))
      if (Option.isSome(mtime) && now - mtime.value.getTime() > abandonedMillis) {
        yield* fs.remove(path.join(folder, name), { force: true })
      }
    }
  }).pipe(Effect.ignore)

  return { folder, receive, removeAbandoned }
})

const mapStorageFailure = <A, R>(
  effect: Effect.Effect<A, PlatformError.PlatformError, R>
): Effect.Effect<A, StorageFailed, R> =>
  Effect.mapError(effect, (error) => new StorageFailed({ message: systemProblem(error) }))

export const tooLarge = new InvalidField({ param: "file", problem: `must not be larger than ${fileBytesMax} bytes` })
const notTaken = Effect.fail(
  new InvalidField({ param: "file", problem: "must be a PDF, a PNG or a JPEG, by its content" })
)
