/**
 * Standard error holds JSON lines, for whoever collects logs. What Node itself would print there becomes such a line:
 * its warnings, and an error that nobody caught, which still ends the process. The one exception is for people: the
 * line that begins with `coffer:` and says why the program did not start, or was cut short.
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
