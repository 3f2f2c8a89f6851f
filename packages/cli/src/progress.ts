/**
 * The progress of long work, on standard error: rows, rate, time left. On a terminal it is one line that is updated.
 */
import { Clock, Effect } from "effect"
import { count } from "./output.ts"

/** Work that ends before this shows no progress. */
const quietMillis = 2_000
const terminalMillis = 200
const elsewhereMillis = 10_000

/** Returns a function to call with the number of finished rows, out of `total` if known; `lineOf` formats the line. */
export const progress = Effect.fnUntraced(function* (total?: number, lineOf: LineOf = progressLine) {
  const began = yield* Clock.currentTimeMillis
  const isTerminal = process.stderr.isTTY
  const everyMillis = isTerminal ? terminalMillis : elsewhereMillis
  let shownAt = began + quietMillis - everyMillis
  return Effect.fnUntraced(function* (done: number, knownTotal = total) {
    const now = yield* Clock.currentTimeMillis
    const isDone = done === knownTotal
    // The line is cleared at the end.
    if (isDone && isTerminal && shownAt >= began + quietMillis) process.stderr.write("\r\u001b[K")
    if (isDone || now - shownAt < everyMillis || now - began < quietMillis) return
    shownAt = now
    const line = lineOf(done, knownTotal, now - began)
    process.stderr.write(isTerminal ? `\r\u001b[K${line}` : `${line}\n`)
  })
})

type LineOf = (done: number, total: number | undefined, millis: number) => string

export const progressLine: LineOf = (done, total, millis) => {
  const rate = done / (millis / 1_000)
  const left = total === undefined || rate === 0 ? "" : `, ${seconds((total - done) / rate)} left`
  const of = total === undefined ? "" : ` of ${count(total)}`
  return `${count(done)}${of} rows, ${count(Math.round(rate))} a second${left}`
}

const seconds = (left: number): string => {
  const whole = Math.ceil(left)
  return whole < 100 ? `${whole} s` : `${Math.ceil(whole / 60)} min`
}
