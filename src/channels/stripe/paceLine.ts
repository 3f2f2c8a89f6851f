/** The calls of one account that wait for their turn, and whose turn it is. */

/** A buyer waits for it; money comes in by it; neither. */
export const urgencies = ["buyer", "money", "rest"] as const
export type Urgency = (typeof urgencies)[number]

export interface Waiting {
  readonly urgency: Urgency
  /** It waits no longer than this. */
  readonly until: number
  /** It may be made, or it is too late for it. */
  readonly go: (may: boolean) => void
}

export const newLine = () => {
  const waiting: Readonly<Record<Urgency, Array<Waiting>>> = { buyer: [], money: [], rest: [] }
  const all = () => urgencies.flatMap((urgency) => waiting[urgency])
  const remove = (gone: Waiting) => {
    const place = waiting[gone.urgency].indexOf(gone)
    if (place >= 0) waiting[gone.urgency].splice(place, 1)
  }
  return {
    waiting,
    /** Somebody lets them go. */
    isServed: false,
    /** No other call goes before. */
    closedUntil: 0,
    turn: 0,
    size: () => urgencies.reduce((sum, urgency) => sum + waiting[urgency].length, 0),
    /** When the first of them has waited for too long; undefined when nobody waits. */
    firstEnd: () => {
      const ends = all().map(({ until }) => until)
      return ends.length === 0 ? undefined : Math.min(...ends)
    },
    add: (one: Waiting, isFirst: boolean) => {
      if (isFirst) waiting[one.urgency].unshift(one)
      else waiting[one.urgency].push(one)
    },
    remove,
    dropLate: (now: number) => {
      for (const late of all().filter(({ until }) => until <= now)) {
        remove(late)
        late.go(false)
      }
    }
  }
}
type Line = ReturnType<typeof newLine>

/** Of so many turns one is money's, and of those one the rest's, however many buyers wait. */
const turnsPerOther = 8

const orderOf = (turn: number): ReadonlyArray<Urgency> =>
  turn % turnsPerOther ** 2 === 0
    ? ["rest", "money", "buyer"]
    : turn % turnsPerOther === 0
      ? ["money", "rest", "buyer"]
      : urgencies

export const nextIn = (line: Line): Waiting | undefined => {
  line.turn++
  const urgency = orderOf(line.turn).find((each) => line.waiting[each].length > 0)
  return urgency === undefined ? undefined : line.waiting[urgency].shift()
}

/** Those that go before it are more than can be made in its time. */
export const isCrowded = ({ waiting }: Line, urgency: Urgency, perSecond: number, seconds: number): boolean => {
  const before = urgencies.slice(0, urgencies.indexOf(urgency) + 1)
  const ahead = before.reduce((sum, each) => sum + waiting[each].length, 0)
  return ahead >= perSecond * (Math.floor(seconds) + 1)
}
