/**
 * Loggers for code that needs the database. `DatabaseHealth` logs one line when Postgres is away. Errors that follow
 * from it, and their stacks, are not logged. The first error waits until it is known whether Postgres answers.
 */
import { Cause, Logger } from "effect"
import { isDatabaseTrouble } from "./trouble.ts"

/**
 * The cluster logs these every second while Postgres is away or all clocks are wrong. DatabaseHealth and ClockSkew log
 * it once.
 */
const ofTheCluster = /^(Shard lock storage (is|has)|No healthy runners available)/

/**
 * The session that held the shard locks has ended, as in an orderly stop, and the locks with it: none is left to
 * release.
 */
const isReleasedAnyway = (message: unknown, trouble: string | undefined) =>
  String(message).startsWith("Could not release shards") && trouble?.includes("Pinned connection was released") === true

export const quiet = (
  loggers: ReadonlySet<Logger.Logger<unknown, unknown>>,
  unlessAway: UnlessAway
): ReadonlySet<Logger.Logger<unknown, unknown>> => new Set([...loggers].map((logger) => quieter(logger, unlessAway)))

/** Calls back unless Postgres is away. */
type UnlessAway = (tell: () => void) => void

const quieter = (logger: Logger.Logger<unknown, unknown>, unlessAway: UnlessAway) =>
  Logger.make<unknown, unknown>((options) => {
    const message = Array.isArray(options.message) ? options.message : [options.message]
    const trouble = troubleIn(options.cause)
    if (ofTheCluster.test(String(message[0])) || isReleasedAnyway(message[0], trouble)) return undefined
    if (trouble === undefined) return logger.log(options)
    return unlessAway(() => logger.log({ ...options, message: [...message, trouble], cause: Cause.empty }))
  })

/** The database's own message, however many errors are around it. */
const troubleIn = (cause: Cause.Cause<unknown>): string | undefined => {
  if (cause.reasons.length === 0) return undefined
  for (let error = Cause.squash(cause), depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++) {
    if (isDatabaseTrouble(error)) return error.message
  }
  return undefined
}
