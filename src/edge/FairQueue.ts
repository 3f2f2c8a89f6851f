/**
 * Requests that arrive faster than they can be begun (docs/decisions/0014; silences: U12). A few of each turn of the
 * event loop begin at once. The others wait in lines, and the lines are served in turn, for a few milliseconds at a
 * time: no party waits for thousands of requests of another. It knows no sockets, and is given its clock.
 */

export interface FairQueue {
  /** Calls `begin` at once or when its line's turn has come, with how many of its line wait behind it. */
  readonly enter: (lineOf: () => string, begin: Begin) => void
  /** A connection was accepted, and there may be more: Node accepts one in each turn of the loop. */
  readonly accepted: () => void
}

type Begin = (behind: number) => void

/** In one turn of the loop, while no party waits. */
export const atOnceMax = 64
/** So many connections are accepted, one in each turn, before lines are served again. */
export const acceptsMax = 256
/** Lines are served this long before sockets are read again. If accepting took longer, they are served longer. */
export const sliceMillis = 10
const sliceMillisMax = 50
/** When this many wait, a new request begins at once. `Admission` counts its line, and refuses it if that is long. */
export const waitingMax = 10_000

/** `later` calls back once at the end of this turn of the loop. */
export const make = (options: {
  readonly later: (turn: () => void) => unknown
  readonly millis: () => number
}): FairQueue => {
  const { later, millis } = options
  /** The line whose turn it is stands first. */
  const lines = new Map<string, Array<Begin>>()
  /** Since lines were served: connections accepted, and the moment itself. */
  let [accepts, pausedAt] = [0, 0]
  let [begun, waiting] = [0, 0]
  let [isPlanned, isAccepting] = [false, false]

  const plan = () => {
    if (!isPlanned) later(turn)
    isPlanned = true
  }

  const turn = () => {
    // While connections are accepted no request begins: turns stay short, and the system's accept queue empties.
    if (waiting > 0 && !(isAccepting && accepts < acceptsMax)) serve()
    isPlanned = false
    isAccepting = false
    begun = 0
    if (waiting > 0) plan()
    else accepts = 0
  }

  const serve = () => {
    const now = millis()
    const end = now + Math.min(sliceMillisMax, Math.max(sliceMillis, now - pausedAt))
    for (const [name, line] of lines) {
      lines.delete(name)
      const begin = line.shift()!
      waiting--
      if (line.length > 0) lines.set(name, line)
      begin(line.length)
      if (millis() >= end) break
    }
    accepts = 0
    pausedAt = millis()
  }

  const wait = (name: string, begin: Begin) => {
    if (waiting++ === 0) pausedAt = millis()
    const line = lines.get(name)
    if (line === undefined) lines.set(name, [begin])
    else line.push(begin)
  }

  return {
    enter: (lineOf, begin) => {
      plan()
      if (waiting === 0 && !isAccepting && begun++ < atOnceMax) return begin(0)
      const name = lineOf()
      if (waiting < waitingMax) wait(name, begin)
      else begin(lines.get(name)?.length ?? 0)
    },
    accepted: () => {
      plan()
      isAccepting = true
      accepts++
    }
  }
}
