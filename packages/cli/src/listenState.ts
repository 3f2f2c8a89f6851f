/** The progress of `coffer listen`, in a file: after a restart, a kill or a lost network it continues from there. */
import { createHash, randomBytes } from "node:crypto"
import { systemProblem } from "@coffer/rules/systemProblem"
import { Config, Effect, FileSystem, Option, Path, Redacted, Schema } from "effect"
import type { Account } from "./account.ts"
import { failed } from "./CliFailure.ts"

const State = Schema.fromJsonString(
  Schema.Struct({
    /** The signing secret is kept, so that the receiver need not be configured again. */
    secret: Schema.String,
    /** The newest event that was forwarded. */
    settled: Schema.NullOr(Schema.String),
    /** Forwarded events that are newer than the position, as an older version stored them. */
    taken: Schema.optional(Schema.Record(Schema.String, Schema.Finite)),
    /** False until the first start has found its position. */
    started: Schema.Boolean
  })
)
type State = typeof State.Type

/** One for each account, environment and receiver, unless a file is given. */
const fileFor = Effect.fnUntraced(function* ({ baseUrl, key }: Account, forwardTo: string) {
  const path = yield* Path.Path
  const home = Option.getOrElse(
    yield* Effect.orElseSucceed(Config.option(Config.String("COFFER_HOME")), Option.none),
    () => ".coffer"
  )
  // A key cannot be found from this.
  const text = [baseUrl, Redacted.value(key), forwardTo].join("\n")
  return path.resolve(home, "listen", `${createHash("sha256").update(text).digest("hex").slice(0, 16)}.json`)
})

const newState = (): State => ({
  secret: `whsec_${randomBytes(32).toString("base64")}`,
  settled: null,
  started: false
})

export const openState = Effect.fnUntraced(function* (
  account: Account,
  forwardTo: string,
  chosen: Option.Option<string>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = Option.isSome(chosen) ? path.resolve(chosen.value) : yield* fileFor(account, forwardTo)
  const unusable = (why: string) =>
    failed("bad_state", `${file} ${why}.`, "use another file with --state, or delete it to start from now", 2)

  const read = Effect.gen(function* () {
    if (!(yield* fs.exists(file))) return newState()
    const text = yield* fs.readFileString(file)
    return yield* Schema.decodeEffect(State)(text)
  }).pipe(
    Effect.catchTags({
      PlatformError: (error) => unusable(`can't be read: ${systemProblem(error)}`),
      SchemaError: () => unusable("is not a progress file of coffer listen")
    })
  )
  let state = yield* read

  /** At any moment either the old or the new file exists. */
  const write = Effect.fnUntraced(
    function* (next: State) {
      const text = yield* Schema.encodeEffect(State)(next)
      yield* fs.makeDirectory(path.dirname(file), { recursive: true })
      yield* fs.writeFileString(`${file}.new`, text, { mode: 0o600 })
      yield* fs.rename(`${file}.new`, file)
      state = next
    },
    Effect.catchTags({
      PlatformError: (error) => unusable(`can't be written: ${systemProblem(error)}`),
      SchemaError: () => unusable("can't be written")
    })
  )

  if (!state.started) yield* write(state)

  const { started } = state
  // Events that an older version has forwarded after its `settled` are not forwarded again.
  const position: string | undefined = Object.keys(state.taken ?? {}).reduce(
    (newest: string | undefined, id) => (newest === undefined || id > newest ? id : newest),
    state.settled ?? undefined
  )
  return {
    file,
    secret: state.secret,
    /** False on a first start. */
    isStarted: started,
    position,
    keep: (position: string | undefined) => write({ secret: state.secret, settled: position ?? null, started: true })
  }
})
