/**
 * Decide when a connection sends its next request. Closed loop: when it has the answer to the last. Open loop: requests
 * fall due at a fixed rate whether or not answers come, and wait for a free connection if they must.
 */
import type { Connection } from "./Connection.ts"

/** `from` is the moment from which the latency counts. */
export type Send = (connection: Connection, from: number) => void

export interface Loop {
  readonly start: (connections: ReadonlyArray<Connection>) => void
  /** The connection has its answer. */
  readonly release: (connection: Connection, now: number) => void
  /** Nothing falls due any more. */
  readonly stop: () => void
  /** Since when the requests are due that have no connection yet. */
  readonly waiting: () => ReadonlyArray<number>
}

export const closedLoop = (send: Send): Loop => ({
  start: (connections) => {
    const now = performance.now()
    for (const connection of connections) send(connection, now)
  },
  release: send,
  stop: () => undefined,
  waiting: () => []
})

/** The moments of an open loop, in milliseconds: as far from one another as the rate says, whatever is answered. */
export const makeSchedule = (rate: number, started: number) => {
  let count = 0
  return {
    /** Those that have come by now and were not taken yet, the oldest first. */
    dueBy: (now: number): ReadonlyArray<number> => {
      const due: Array<number> = []
      for (let at = started; (at = started + (count * 1_000) / rate) <= now; count++) due.push(at)
      return due
    }
  }
}

/** How often it is looked what has fallen due. A request is sent so late at the most, and its latency says so. */
const tickMillis = 1

export const openLoop = (rate: number, send: Send): Loop => {
  const idle: Array<Connection> = []
  const waiting: Array<number> = []
  let timer: NodeJS.Timeout | undefined
  return {
    start: (connections) => {
      idle.push(...connections)
      const schedule = makeSchedule(rate, performance.now())
      timer = setInterval(() => {
        for (const at of schedule.dueBy(performance.now())) {
          // In turn, so that none is idle for so long that it is closed.
          const connection = idle.shift()
          if (connection === undefined) waiting.push(at)
          else send(connection, at)
        }
      }, tickMillis)
    },
    release: (connection) => {
      const next = waiting.shift()
      if (next === undefined) idle.push(connection)
      else send(connection, next)
    },
    stop: () => clearInterval(timer),
    waiting: () => waiting
  }
}
