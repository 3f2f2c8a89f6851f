/**
 * Standard error holds JSON lines, for log collectors. Node's warnings become such lines, and so does an uncaught
 * error, which still ends the process. The one exception is for people: a line that begins with `coffer:` says why the
 * program did not start, or ended early.
 *
 * A line that was written in a trace has its `trace_id` and `span_id`, by which a collector finds the trace.
 *
 * Secrets are cut from each line as from an API log, since an error may quote what a merchant or a database said.
 */
import { redact, redactText } from "@coffer/rules/redaction"
import { Cause, Context, DateTime, Effect, type Fiber, Logger, Option, Tracer } from "effect"
import { jsonText, parseJson } from "./codecs.ts"
import { unmovedMillisOf } from "./MerchantClocks.ts"

/** Where this process serves; null until it is known. */
let runner: string | null = null
export const nameRunner = (name: string) => {
  runner = name
}

/**
 * A line is parsed again, so that redaction leaves valid JSON; circular objects are gone by then. Each line names its
 * process.
 */
const complete = (line: string, trace: object): string =>
  Option.match(parseJson(line), {
    onNone: () => redactText(line),
    onSome: (log) => jsonText(redact({ ...withText(log as Line), ...trace, pid: process.pid, runner }))
  })

/** The trace in which a fiber is, where one is collected. */
const traceOf = ({ context }: Fiber.Fiber<unknown, unknown>) => {
  const span = Context.getOrUndefined(context, Tracer.ParentSpan)
  return span?.sampled === true ? { trace_id: span.traceId.padStart(32, "0"), span_id: span.spanId } : {}
}

interface Line {
  readonly message?: unknown
}

/** Collectors index `message` as text. The rest of what was logged is `data`, an object: a field has one type. */
const withText = (line: Line): Line => {
  const [first, ...rest] = Array.isArray(line.message) ? line.message : [line.message]
  const isText = typeof first === "string"
  const data = isText ? rest : [first, ...rest]
  return {
    ...line,
    message: isText ? first : "logged without words",
    ...(data.length === 0 ? {} : { data: data.length === 1 && isObject(data[0]) ? data[0] : { more: data } })
  }
}

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value)

/** The log is the operator's: its lines have real time, also those of a sandbox whose clock was moved. */
const jsonLogger = Logger.make((line) => {
  const date = DateTime.toDateUtc(DateTime.makeUnsafe(unmovedMillisOf(line.fiber)))
  return complete(Logger.formatJson.log({ ...line, date }), traceOf(line.fiber))
})

export const logger = Logger.layer([Logger.withConsoleError(jsonLogger)])

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
