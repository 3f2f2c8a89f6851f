/**
 * `ANCHOR_FILE`: anchors outside the database, one a line, as JSON: `at`, `chain`, `sequence`, `id` and `hash`. Lines
 * are only added, so the file may be kept where it cannot be changed: append-only, or as a copy with retention.
 */
import { systemProblem } from "@coffer/rules/systemProblem"
import { Effect, FileSystem, Option, type PlatformError, Schema, Stream } from "effect"
import { BadSetting } from "../../platform/runtime/Settings.ts"

const Anchor = Schema.Struct({
  at: Schema.String,
  /** A wallet's id, or `audit_log`. */
  chain: Schema.String,
  sequence: Schema.Int,
  /** The row that was the head, and its hash. */
  id: Schema.String,
  hash: Schema.String
})
export type Anchor = typeof Anchor.Type

export class AnchorFileFailed extends Schema.TaggedError<AnchorFileFailed>()("AnchorFileFailed", {
  message: Schema.String
}) {}

/** Refuses a file that cannot be written to. */
export const open = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const opened = fs.open(path, { flag: "a+", mode: 0o600 })
  yield* Effect.scoped(opened).pipe(
    Effect.mapError((error) => new BadSetting({ message: `ANCHOR_FILE cannot be written: ${systemProblem(error)}` }))
  )
  /** Returns when the lines are on the disk. The file is opened each time, so that it may be moved away. */
  const append = Effect.fnUntraced(
    function* (anchors: ReadonlyArray<Anchor>) {
      const file = yield* opened
      const lines = anchors.map((anchor) => `${encode(anchor)}\n`).join("")
      yield* file.writeAll(new TextEncoder().encode((yield* endsInALine(file)) ? lines : `\n${lines}`))
      yield* file.sync
    },
    Effect.scoped,
    Effect.mapError(failed)
  )
  return { append }
})

const failed = (error: PlatformError.PlatformError) => new AnchorFileFailed({ message: systemProblem(error) })

/** A write that was cut off leaves half a line. */
const endsInALine = Effect.fnUntraced(function* (file: FileSystem.File) {
  const { size } = yield* file.stat
  if (size === 0n) return true
  yield* file.seek(size - 1n, "start")
  const last = yield* file.readAlloc(1)
  return Option.isSome(last) && last.value[0] === lineBreak
})

const lineBreak = 10

/** Lines that are compared together. */
const linesMax = 1_000

/** The anchors of a file, in groups. `lines`: how many lines are no anchor, such as half of one. */
export const read = (path: string) =>
  Stream.unwrap(Effect.map(FileSystem.FileSystem, (fs) => fs.stream(path))).pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.filter((line) => line !== ""),
    Stream.grouped(linesMax),
    Stream.map((lines) => {
      const anchors = lines.flatMap((line) => decode(line))
      return { anchors, unread: lines.length - anchors.length }
    }),
    Stream.mapError(failed)
  )

const codec = Schema.fromJsonString(Anchor)
const encode = Schema.encodeSync(codec)
const decodeOption = Schema.decodeUnknownOption(codec)
const decode = (line: string): ReadonlyArray<Anchor> => Option.toArray(decodeOption(line))
