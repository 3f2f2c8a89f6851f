/**
 * Requests that arrive faster than they can be begun (docs/decisions/0014; silences: U12). A few of each turn of the
 * event loop begin at once. The others wait in lines, and the lines are served in turn, for a few milliseconds at a
 * time: nobody waits for thousands of requests of somebody else. It knows no sockets, and is given its clock.
 */

export interface FairQueue {
  /** Calls `begin` at once or when its line's turn has come, with how many of its line wait behind it. */
  readonly enter: (lineOf: () => string, begin: Begin) => void
  /** A connection was accepted, and there may be more: Node accepts one in each turn of the loop. */
  readonly accepted: () => void
}

type Begin = (behind: number) => void

/** In one turn of the loop, while nobody waits. */
export const atOnceMax = 64
/** For so long lines are served before sockets are read again; and connections accepted before lines are served. */
export const sliceMillis = 10
/** Whoever comes when so many wait begins at once, and is refused for the number behind it. */
export const waitingMax = 10_000

/** `later` calls back once in the next turn of the loop. */
export const make = (options: {
  readonly later: (turn: () => void) => unknown
  readonly millis: () => number
}): FairQueue => {
  const { later, millis } = options
  /** The line whose turn it is stands first. */
  const lines = new Map<string, Array<Begin>>()
  let [begun, waiting, paused] = [0, 0, 0]
  let [isPlanned, hasAccepted] = [false, false]

  const plan = () => {
    if (!isPlanned) later(turn)
    isPlanned = true
  }

  const turn = () => {
    isPlanned = false
    begun = 0
    // A turn is short while lines wait, so that what stands in the system's own line comes in soon, whoever it is.
    const isAccepting = hasAccepted && millis() - paused < sliceMillis
    hasAccepted = false
    if (!isAccepting) serve()
    if (waiting > 0) plan()
  }

  const serve = () => {
    const end = millis() + sliceMillis
    for (const [name, line] of lines) {
      lines.delete(name)
      const begin = line.shift()!
      waiting--
      if (line.length > 0) lines.set(name, line)
      begin(line.length)
      if (millis() >= end) break
    }
    paused = millis()
  }

  const wait = (name: string, begin: Begin) => {
    if (waiting++ === 0) paused = millis()
    const line = lines.get(name)
    if (line === undefined) lines.set(name, [begin])
    else line.push(begin)
  }

  return {
    enter: (lineOf, begin) => {
      plan()
      if (waiting === 0 && begun++ < atOnceMax) return begin(0)
      const name = lineOf()
      if (waiting < waitingMax) wait(name, begin)
      else begin(lines.get(name)?.length ?? 0)
    },
    accepted: () => {
      hasAccepted = true
    }
  }
}
