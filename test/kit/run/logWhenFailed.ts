/** Prints the log of a service when its test has failed, and only then: it tells why something was not done. */
import { Effect, Layer, Logger } from "effect"
import { onTestFailed, TestRunner } from "vitest"

/** The last lines are kept. */
const linesMax = 200

/** A logger for the service of the test that runs now. A service of several tests logs nothing. */
export const logWhenFailed: Effect.Effect<Layer.Layer<never>> = Effect.sync(() => {
  if (TestRunner.getCurrentTest() === undefined) return Logger.layer([])
  const lines: Array<string> = []
  onTestFailed(() => {
    if (lines.length > 0) console.error(`Its service logged:\n${lines.join("\n")}`)
  })
  // The service's own time stands in the line. The real time tells what waited.
  const keep = Logger.map(Logger.formatLogFmt, (line) => {
    lines.push(`${new Date().toISOString()} ${line}`)
    if (lines.length > linesMax) lines.shift()
  })
  return Logger.layer([keep])
})
