/** A simulated clock: stopped, or running with real time. A test moves it forward, never back. */

export interface SimulatedClock {
  /** Milliseconds since 1970. */
  readonly millis: () => number
  readonly isStanding: () => boolean
  /** To a time not before now. */
  readonly moveTo: (millis: number) => void
  readonly stand: () => void
  readonly goOn: () => void
}

/** Stopped at `standsAt`, or running with real time if that is undefined. */
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
