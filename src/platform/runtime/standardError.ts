/**
 * Standard error holds JSON lines, for log collectors. Node's warnings become such lines, and so does an uncaught
 * error, which still ends the process. The one exception is for people: a line that begins with `coffer:` says why the
 * program did not start, or ended early.
 *
 * Secrets are cut from each line as from an API log, since an error may quote what a merchant or a database said.
 */
import { redact, redactText } from "@coffer/rules/redaction"
import { Cause, DateTime, Effect, Logger, Option } from "effect"
import { jsonText, parseJson } from "./codecs.ts"
import { unmovedMillisOf } from "./MovedClock.ts"

/** Where this process serves; null until it is known. */
let runner: string | null = null
export const nameRunner = (name: string) => {
  runner = name
}

/**
 * A line is read back, so that what is cut leaves JSON, and objects that hold themselves are gone by then. Each says
 * which process wrote it.
 */
const completed = (line: string): string =>
  Option.match(parseJson(line), {
    onNone: () => redactText(line),
    onSome: (log) => jsonText(redact({ ...withText(log as Line), pid: process.pid, runner }))
  })

interface Line {
  readonly message?: unknown
}

/** Collectors index `message` as text. What else was logged with it stands beside it as `data`. */
const withText = (line: Line): Line => {
  const [first, ...rest] = Array.isArray(line.message) ? line.message : [line.message]
  const isText = typeof first === "string"
  const data = isText ? rest : [first, ...rest]
  return {
    ...line,
    message: isText ? first : "logged without words",
    ...(data.length === 0 ? {} : { data: data.length === 1 ? data[0] : data })
  }
}

/** The log is the operator's: its lines have real time, also those of a sandbox whose clock was moved. */
const dated = Logger.make<unknown, string>((line) =>
  Logger.formatJson.log({ ...line, date: DateTime.toDateUtc(DateTime.makeUnsafe(unmovedMillisOf(line.fiber))) })
)

export const logger = Logger.layer([Logger.withConsoleError(Logger.map(dated, completed))])

export const keepToJson = () => {
  process.removeAllListeners("warning")
  process.on("warning", ({ message, name }) =>
    Effect.runSync(Effect.provide(Effect.logWarning(`${name}: ${message}`), logger))
  )
  process.on("uncaughtException", (error) => {
    Effect.runSync(Effect.provide(Effect.logFatal("an error was not caught", Cause.die(error)), logger))
    process.exit(1)
  })
}
