/**
 * How many posts to each address may start now (docs/decisions/0016). A place is one post under way in this process.
 * Pure: the posts under way and the recent behaviour of addresses are parameters.
 *
 * Each mode has its own places, and within a mode new lines, hanging lines and answering lines do. So new and hanging
 * lines take no place of answering ones. In each of these rooms a post may begin while the posts of the room, of its
 * merchant, of its host and of its line together are fewer than the room's places. So a party with many posts under way
 * leaves places to others at each of these levels, and one with none finds a place as long as any is free.
 */
import type { Mode } from "@coffer/model/Ids"
import { hostOf } from "./route.ts"

/** One merchant's deliveries to one address, in one mode. */
export interface Line {
  readonly mode: Mode
  readonly merchantId: string
  /** In the format of `destinationOf`. */
  readonly destination: string
}

export interface DueLine extends Line {
  /** The counted due deliveries. */
  readonly due: number
}

export interface Allotted extends Line {
  readonly places: number
}

/** `hung`: its latest posts had no answer in time. */
export type Standing = "answers" | "new" | "hung"
type Rooms = Readonly<Record<Standing, number>>

export interface Places {
  /** Posts under way, by {@link keysOf}. */
  readonly taken: ReadonlyMap<string, number>
  /** How many posts each line may have under way, by {@link lineKey}; without an entry the line is new. */
  readonly limits: ReadonlyMap<string, number>
  /** Default: {@link placesOf}. */
  readonly rooms?: Rooms
  /**
   * The posts under way, if `taken` also counts waiting deliveries. For a line not known to answer both counts apply.
   */
  readonly begun?: ReadonlyMap<string, number>
}

export const standings: ReadonlyArray<Standing> = ["answers", "new", "hung"]
/** The places of each mode. */
export const placesOf: Rooms = { answers: 256, new: 128, hung: 64 }
/** Deliveries that may be leased and wait for a place, while there is a backlog (docs/decisions/0016). */
export const waitingOf: Rooms = { answers: 192, new: 48, hung: 16 }

export const sumOf = (rooms: Rooms): number => standings.reduce((sum, standing) => sum + rooms[standing], 0)

export const placesPerLine = 32
/** A line with a lower limit than this is a hanging line. */
const answeringFrom = 8

export const standingOf = (limit: number | undefined): Standing => {
  if (limit === undefined) return "new"
  return limit < answeringFrom ? "hung" : "answers"
}

export const lineKey = ({ destination, merchantId, mode }: Line): string => `${mode} ${merchantId} ${destination}`
export const merchantKey = ({ merchantId, mode }: Line): string => `${mode} ${merchantId}`
export const roomKey = (mode: Mode, standing: Standing): string => `${mode} ${standing}`

/** The counts to which a post to a line belongs. The line's own count is the same in all rooms. */
export type Keys = readonly [room: string, merchant: string, host: string, line: string]
export const keysOf = (line: Line, standing: Standing): Keys => {
  const room = roomKey(line.mode, standing)
  const merchant = `${room} ${line.merchantId}`
  return [room, merchant, `${merchant} @${hostOf(line.destination)}`, lineKey(line)]
}

/** Whether a line may take one more place now: the counts to which that place belongs; undefined if it may not. */
export const mayTake = (line: Line, { begun, limits, rooms = placesOf, taken }: Places): Keys | undefined => {
  const key = lineKey(line)
  const limit = limits.get(key)
  const standing = standingOf(limit)
  const held = (taken.get(key) ?? 0) + (standing === "answers" ? 0 : (begun?.get(key) ?? 0))
  if (held >= (limit ?? placesPerLine)) return undefined
  const keys = keysOf(line, standing)
  let posts = 0
  for (const counted of keys) posts += taken.get(counted) ?? 0
  return posts < rooms[standing] ? keys : undefined
}

/**
 * Assigns places in rounds: in each round every merchant gets at most one, for its lines in turn. `due` is in the order
 * of the first round. Lines without a place are omitted.
 */
export const allot = (due: ReadonlyArray<DueLine>, places: Places): ReadonlyArray<Allotted> => {
  const counts = new Map(places.taken)
  const room = { ...places, taken: counts }
  const allotted = new Map<DueLine, number>()

  /** A line that may not take a place now may not take one later in the same call: counts only grow. */
  const giveOne = (queue: Array<DueLine>): boolean => {
    for (let line = queue.shift(); line !== undefined; line = queue.shift()) {
      const keys = (allotted.get(line) ?? 0) >= line.due ? undefined : mayTake(line, room)
      if (keys === undefined) continue
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
      allotted.set(line, (allotted.get(line) ?? 0) + 1)
      queue.push(line)
      return true
    }
    return false
  }

  let merchants = [...Map.groupBy(due, merchantKey).values()]
  while (merchants.length > 0) merchants = merchants.filter(giveOne)
  return [...allotted].map(([{ destination, merchantId, mode }, places]) => ({ mode, merchantId, destination, places }))
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

/** A post without an answer after this long has hung. One that was refused at once has not. */
const hungMillis = 5_000

/**
 * The limit of concurrent posts of a line after one has ended. `limit` is undefined for an unknown line. The duration
 * of an answer does not matter: a receiver has ten seconds.
 */
export const limitAfter = (
  limit: number | undefined,
  { isAnswered, millis }: { readonly isAnswered: boolean; readonly millis: number }
): number => {
  if (!isAnswered && millis >= hungMillis) return limit === undefined ? 1 : Math.max(1, Math.floor(limit / 2))
  if (limit === undefined) return placesPerLine
  // From here on it grows slowly: a receiver may handle some posts at once, but not all.
  return Math.min(placesPerLine, limit < answeringFrom ? limit * 2 : limit + 1)
}
