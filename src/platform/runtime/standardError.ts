/**
 * Standard error holds JSON lines, for log collectors. Node's warnings become such lines, and so does an uncaught
 * error, which still ends the process. The one exception is for people: a line that begins with `coffer:` says why the
 * program did not start, or ended early.
 */
import { Cause, Effect, Logger } from "effect"

export const logger = Logger.layer([Logger.withConsoleError(Logger.formatJson)])

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
