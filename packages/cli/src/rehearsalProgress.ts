/**
 * The progress of a rehearsal, in a file: after Ctrl-C, a kill or a lost network the same command resumes it. Next to
 * it is the simulator's state. The file has ids of the account and no key.
 */
import { createHash } from "node:crypto"
import { systemProblem } from "@coffer/rules/systemProblem"
import { Clock, Effect, FileSystem, Option, Path, Schema } from "effect"
import { failed } from "./CliFailure.ts"
import { goesOnHours, type Progress, type Taken } from "./rehearsal.ts"
import type { Run } from "./rehearsalSteps.ts"

const Kept = Schema.fromJsonString(
  Schema.Struct({
    /** The flags and the key of the run. A resumed run must have the same. */
    begunWith: Schema.String,
    tag: Schema.String,
    /** Seconds of Unix time. */
    began: Schema.Finite,
    taken: Schema.Array(Schema.Unknown)
  })
)

/** The resumed run, or a new one. */
export const openProgress = Effect.fnUntraced(function* (
  named: Option.Option<string>,
  fresh: Run,
  at: { readonly api: string; readonly key: string }
) {
  if (Option.isNone(named)) {
    const progress: Progress = { file: undefined, taken: [], keep: () => Effect.void, end: Effect.void }
    return { run: fresh, progress, stateFile: undefined }
  }
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.resolve(named.value)
  const stateFile = `${file}.simulator`
  const next = "use another file with --progress, or delete it and start over"
  const unusable = (why: string) => failed("bad_progress", `${file} ${why}.`, next, 2)
  const { began: _, tag: __, ...flags } = fresh
  // A key cannot be found from this.
  const account = createHash("sha256").update(at.key).digest("hex").slice(0, 16)
  // oxlint-disable-next-line no-restricted-properties -- plain data of ours
  const begunWith = [at.api, account, ...Object.entries(flags).map(([name, value]) => `${name}=${value}`)].join(" ")

  const kept = yield* Effect.gen(function* () {
    if (!(yield* fs.exists(file))) {
      yield* fs.remove(stateFile, { force: true })
      return undefined
    }
    if (!(yield* fs.exists(stateFile))) return yield* unusable("exists without the simulator's file next to it")
    return yield* Schema.decodeEffect(Kept)(yield* fs.readFileString(file))
  }).pipe(
    Effect.catchTags({
      PlatformError: (error) => unusable(`can't be read: ${systemProblem(error)}`),
      SchemaError: () => unusable("is not a progress file of coffer stripe rehearse")
    })
  )
  if (kept !== undefined && kept.begunWith !== begunWith) {
    return yield* unusable("is from a run with another key or other flags")
  }
  const now = (yield* Clock.currentTimeMillis) / 1_000
  if (kept !== undefined && now - kept.began > goesOnHours * 3_600) {
    return yield* unusable(`is from a run that started more than ${goesOnHours} hours ago`)
  }
  const { began, tag } = kept ?? fresh
  let taken = (kept?.taken ?? []) as ReadonlyArray<Taken>

  /** At any moment either the old or the new file exists. */
  const write = Effect.fnUntraced(
    function* (all: ReadonlyArray<Taken>) {
      const text = yield* Schema.encodeEffect(Kept)({ begunWith, tag, began, taken: all.map(withoutSecrets) })
      yield* fs.writeFileString(`${file}.new`, text, { mode: 0o600 })
      yield* fs.rename(`${file}.new`, file)
      taken = all
    },
    Effect.catchTags({
      PlatformError: (error) => unusable(`can't be written: ${systemProblem(error)}`),
      SchemaError: () => unusable("can't be written")
    })
  )
  if (kept === undefined) yield* write([])

  const progress: Progress = {
    file,
    taken,
    keep: (one) => write([...taken, one]),
    end: Effect.forEach([file, stateFile], (each) => fs.remove(each, { force: true }), { discard: true }).pipe(
      Effect.catchTags({ PlatformError: (error) => unusable(`can't be deleted: ${systemProblem(error)}`) })
    )
  }
  return { run: { ...fresh, tag, began }, progress, stateFile }
})

/** Later steps need ids and states. */
const withoutSecrets = ({ real, simulated, ...rest }: Taken): Taken => {
  const shown = (body: unknown) =>
    typeof body !== "object" || body === null
      ? body
      : Object.fromEntries(Object.entries(body).filter(([name]) => !/secret/.test(name)))
  return { ...rest, real: shown(real), simulated: shown(simulated) }
}
