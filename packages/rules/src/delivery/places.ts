/**
 * How many posts to each destination may start now (docs/decisions/0016). A place is one post under way in this
 * process. Pure: what is under way, and how destinations behaved lately, comes in.
 *
 * Live and sandbox have places of their own. Within a mode a merchant may take another place while it holds fewer than
 * are free. So one merchant alone gets half of the places, two get a third each, and somebody who holds none always
 * finds one as long as fewer merchants than places are greedy.
 */
import type { Mode } from "@coffer/model/Ids"

/** One merchant's deliveries to one host and port, in one mode. */
export interface Line {
  readonly mode: Mode
  readonly merchantId: string
  readonly destination: string
}

export interface DueLine extends Line {
  /** Deliveries that are due, as far as they were counted. */
  readonly due: number
}

export interface Allotted extends Line {
  readonly places: number
}

export interface Places {
  /** Posts under way, by {@link keysOf}. */
  readonly taken: ReadonlyMap<string, number>
  /** How many posts each line may have under way, by {@link lineKey}; {@link placesOfNew} where there is no entry. */
  readonly limits: ReadonlyMap<string, number>
}

export const placesPerMode = 64
export const placesPerLine = 8
/** Nobody knows yet whether such a line hangs. With more, a few that do would hold all places of their merchant. */
export const placesOfNew = 1

/** A line that hung gets a place only while its merchant holds fewer than this part of the free ones. */
const shareOfHung = 1 / 4

export const lineKey = ({ destination, merchantId, mode }: Line): string => `${mode} ${merchantId} ${destination}`
const merchantKey = ({ merchantId, mode }: Line): string => `${mode} ${merchantId}`

/** What a post to this line is counted under. */
export const keysOf = (line: Line): ReadonlyArray<string> => [line.mode, merchantKey(line), lineKey(line)]

/**
 * Hands out places in rounds: in each round every merchant gets at most one, for its lines in turn. `due` is in the
 * order of the first round. Lines that get nothing are left out.
 */
export const allot = (due: ReadonlyArray<DueLine>, { limits, taken }: Places): ReadonlyArray<Allotted> => {
  const counts = new Map(taken)
  const given = new Map<DueLine, number>()
  const countOf = (key: string) => counts.get(key) ?? 0

  const mayTake = (line: DueLine): boolean => {
    const known = limits.get(lineKey(line))
    const limit = known ?? placesOfNew
    const share = known !== undefined && known < placesPerLine ? shareOfHung : 1
    const free = placesPerMode - countOf(line.mode)
    return (
      (given.get(line) ?? 0) < line.due && countOf(lineKey(line)) < limit && countOf(merchantKey(line)) < free * share
    )
  }
  /** A line that may not take a place now may not take one later in the same call: counts only grow. */
  const giveOne = (queue: Array<DueLine>): boolean => {
    for (let line = queue.shift(); line !== undefined; line = queue.shift()) {
      if (!mayTake(line)) continue
      for (const key of keysOf(line)) counts.set(key, countOf(key) + 1)
      given.set(line, (given.get(line) ?? 0) + 1)
      queue.push(line)
      return true
    }
    return false
  }

  let merchants = [...Map.groupBy(due, merchantKey).values()]
  while (merchants.length > 0) merchants = merchants.filter(giveOne)
  return [...given].map(([{ destination, merchantId, mode }, places]) => ({ mode, merchantId, destination, places }))
}

/** A post that took this long has hung; one below {@link quickMillis} has not. Between them nothing changes. */
const hungMillis = 5_000
const quickMillis = 1_000

/**
 * How many posts a line may have under way after one that took so long, whatever came of it. `limit` is undefined for a
 * line of which nothing was known: it gets all its places unless the post hung.
 */
export const limitAfter = (limit: number | undefined, millis: number): number => {
  if (millis >= hungMillis) return Math.max(1, Math.floor((limit ?? placesOfNew) / 2))
  if (limit === undefined) return placesPerLine
  return millis < quickMillis ? Math.min(placesPerLine, limit * 2) : limit
}
