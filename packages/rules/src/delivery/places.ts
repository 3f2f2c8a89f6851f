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
  /** How many there are in each mode; {@link placesPerMode} where it is left out. */
  readonly perMode?: number
  /** The posts under way, if `taken` counts waiting deliveries. They count, too, for a line not known to be quick. */
  readonly begun?: ReadonlyMap<string, number>
}

export const placesPerMode = 64
/** Deliveries that may be leased and wait for a place, while there is a backlog (docs/decisions/0041). */
export const waitingPerMode = 256
export const placesPerLine = 8
/** Places of a line of which nothing is known. With more, a few lines that hang would hold all places of a merchant. */
export const placesOfNew = 1

/** A line that hung gets a place only while its merchant holds fewer than this part of the free ones. */
const shareOfHung = 1 / 4

export const lineKey = ({ destination, merchantId, mode }: Line): string => `${mode} ${merchantId} ${destination}`
const merchantKey = ({ merchantId, mode }: Line): string => `${mode} ${merchantId}`

/** The counts in which a post to a line is counted. */
export type Keys = readonly [mode: string, merchant: string, line: string]
export const keysOf = (line: Line): Keys => [line.mode, merchantKey(line), lineKey(line)]

/** Whether a merchant that has not hung may take one more place now. */
export const merchantMayTake = ([mode, merchant]: readonly [string, string, ...unknown[]], places: Places): boolean =>
  (places.taken.get(merchant) ?? 0) < freeOf(mode, places)

const freeOf = (mode: string, { perMode = placesPerMode, taken }: Places): number => perMode - (taken.get(mode) ?? 0)

/** Whether a line may take one more place now. */
export const mayTake = ([mode, merchant, line]: Keys, places: Places): boolean => {
  const { begun, limits, taken } = places
  const limit = limits.get(line)
  const isQuick = limit === placesPerLine
  const held = (taken.get(line) ?? 0) + (isQuick ? 0 : (begun?.get(line) ?? 0))
  if (held >= (limit ?? placesOfNew)) return false
  const share = limit === undefined || isQuick ? 1 : shareOfHung
  return (taken.get(merchant) ?? 0) < freeOf(mode, places) * share
}

/**
 * Hands out places in rounds: in each round every merchant gets at most one, for its lines in turn. `due` is in the
 * order of the first round. Lines that get nothing are left out.
 */
export const allot = (due: ReadonlyArray<DueLine>, places: Places): ReadonlyArray<Allotted> => {
  const counts = new Map(places.taken)
  const room = { ...places, taken: counts }
  const given = new Map<DueLine, number>()

  /** A line that may not take a place now may not take one later in the same call: counts only grow. */
  const giveOne = (queue: Array<DueLine>): boolean => {
    for (let line = queue.shift(); line !== undefined; line = queue.shift()) {
      const keys = keysOf(line)
      if ((given.get(line) ?? 0) >= line.due || !mayTake(keys, room)) continue
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
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

/** The lines that may begin now, and of the rest those that may wait for a place. */
export const allotBoth = (due: ReadonlyArray<DueLine>, now: Places, waiting: Places): ReadonlyArray<Allotted> => {
  const first = new Map(allot(due, now).map((line) => [lineKey(line), line.places]))
  const firstOf = (line: Line) => first.get(lineKey(line)) ?? 0
  const rest = due.map((line) => ({ ...line, due: line.due - firstOf(line) }))
  const more = new Map(allot(rest, waiting).map((line) => [lineKey(line), line.places]))
  return due.flatMap(({ destination, merchantId, mode }) => {
    const line = { mode, merchantId, destination }
    const places = firstOf(line) + (more.get(lineKey(line)) ?? 0)
    return places === 0 ? [] : [{ ...line, places }]
  })
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
