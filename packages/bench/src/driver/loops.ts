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
  /** No more requests become due. */
  readonly stop: () => void
  /** When the requests became due that have no connection yet. */
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

/** The times of an open loop's requests, in milliseconds: evenly spaced by the rate, regardless of answers. */
export const makeSchedule = (rate: number, started: number) => {
  let count = 0
  return {
    /** The due times that have passed and were not taken yet, oldest first. */
    dueBy: (now: number): ReadonlyArray<number> => {
      const due: Array<number> = []
      for (let at = started; (at = started + (count * 1_000) / rate) <= now; count++) due.push(at)
      return due
    }
  }
}

/** How often due requests are checked. A request is sent at most this late, which its latency includes. */
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
          // In turn, so that none is idle long enough to be closed.
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
