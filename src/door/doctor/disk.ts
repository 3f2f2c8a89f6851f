/** The free space of a disk. */
import { statfs } from "node:fs/promises"
import { Effect } from "effect"
import { error, fine, Unmade, type Verdict, warning } from "./Finding.ts"

export interface Free {
  readonly bytes: number
  readonly ofBytes: number
}

export const freeOn = (folder: string): Effect.Effect<Free, Unmade> =>
  Effect.tryPromise({
    try: () => statfs(folder),
    catch: (cause) => new Unmade({ reason: cause instanceof Error ? cause.message : String(cause) })
  }).pipe(Effect.map(({ bavail, blocks, bsize }) => ({ bytes: bavail * bsize, ofBytes: blocks * bsize })))

const gigabyte = 1e9
/** Free bytes below which it is a warning, and below which writes may soon fail. */
const limits = { odd: 5 * gigabyte, few: 0.5 * gigabyte, oddShare: 0.05 }

export const diskVerdict = (folder: string, { bytes, ofBytes }: Free): Verdict => {
  const observation = `${size(bytes)} of ${size(ofBytes)} are free at ${folder}.`
  const advice = "Free up space on that disk, or move the data to a larger one."
  if (bytes < limits.few) return error(observation, advice)
  return bytes < limits.odd || bytes < limits.oddShare * ofBytes ? warning(observation, advice) : fine(observation)
}

const size = (bytes: number) =>
  bytes < gigabyte ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / gigabyte).toFixed(1)} GB`
