/** A clock of its own: it stands still, or goes on with real time. A test moves it forward, never back. */

export interface SimulatedClock {
  /** Milliseconds since 1970. */
  readonly millis: () => number
  readonly isStanding: () => boolean
  /** To a time that is not before now. */
  readonly moveTo: (millis: number) => void
  readonly stand: () => void
  readonly goOn: () => void
}

/** It stands still at `standsAt`, or goes with real time if that is undefined. */
export const makeClock = (realMillis: () => number, standsAt: number | undefined): SimulatedClock => {
  let standing = standsAt
  let ahead = 0
  const millis = () => standing ?? realMillis() + ahead
  return {
    millis,
    isStanding: () => standing !== undefined,
    moveTo: (to) => {
      if (to <= millis()) return
      if (standing === undefined) ahead = to - realMillis()
      else standing = to
    },
    stand: () => {
      standing = millis()
    },
    goOn: () => {
      if (standing === undefined) return
      ahead = standing - realMillis()
      standing = undefined
    }
  }
}
