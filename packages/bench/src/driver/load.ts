/**
 * Load on one side. Closed loop: each connection sends its next request when it has the answer to the last. Open loop:
 * requests fall due at a fixed rate whether or not answers come, and wait for a free connection if they must. Their
 * latency counts from the moment they fall due, so that a side that stalls cannot hide it.
 */
import { Connection } from "./Connection.ts"
import { type Kind, sourceOf } from "./requests.ts"
import { type Summary, summarize } from "./summary.ts"

export interface Load {
  /** Connections go to them in turn. */
  readonly ports: ReadonlyArray<number>
  readonly connections: number
  readonly warmupMillis: number
  readonly millis: number
  readonly kind: Kind
  /** Requests a second; undefined: closed loop. */
  readonly rate?: number
}

/** Runs the load to its end. `warm` is called when measuring begins. */
export const run = (load: Load, warm: () => void): Promise<Summary> =>
  new Promise((resolve, reject) => {
    const source = sourceOf(load.kind)
    const tally = makeTally(source.expected)
    let ended = false
    let underWay = 0

    const finish = (cause?: Error) => {
      if (ended) return
      ended = true
      tally.stop()
      for (const connection of connections) connection.close()
      loop.stop()
      if (cause === undefined) resolve(tally.summary())
      else reject(cause)
    }

    const send = (connection: Connection, from: number) => {
      const request = source.next()
      if (request === undefined) {
        // The source is exhausted; the last answers are in when nothing is under way.
        if (underWay === 0) finish(tally.isMeasuring() ? undefined : new Error("too few orders for a warm-up"))
        return
      }
      underWay++
      connection.send(request, (status, body) => {
        underWay--
        if (ended) return
        const now = performance.now()
        if (!tally.count(status, now - from)) return finish(new Error(`answered ${status}: ${body()}`))
        loop.release(connection, now)
      })
    }

    const connections = Array.from(
      { length: load.connections },
      (_, index) => new Connection(load.ports[index % load.ports.length]!, finish)
    )
    const loop = load.rate === undefined ? closedLoop(send) : openLoop(load.rate, send)
    loop.start(connections)

    setTimeout(() => {
      if (ended) return
      tally.start()
      warm()
      setTimeout(() => finish(), load.millis)
    }, load.warmupMillis)
  })

/** Counts answers, and measures them between `start` and `stop`. */
const makeTally = (expected: number) => {
  const latencies: Array<number> = []
  let measuring = false
  let unavailable = 0
  let began = 0
  let cpu = process.cpuUsage()
  let millis = 0
  return {
    isMeasuring: () => measuring,
    start: () => {
      measuring = true
      began = performance.now()
      cpu = process.cpuUsage()
    },
    /** False for an answer that no load expects. 503 is expected of all, and counted apart. */
    count: (status: number, latency: number): boolean => {
      if (status !== expected && status !== 503) return false
      if (!measuring) return true
      if (status === expected) latencies.push(latency)
      else unavailable++
      return true
    },
    stop: () => {
      millis = performance.now() - began
      cpu = process.cpuUsage(cpu)
    },
    summary: () => summarize(latencies, millis, cpu.user + cpu.system, unavailable)
  }
}

type Send = (connection: Connection, from: number) => void

/** Decides when a connection sends its next request. */
interface Loop {
  readonly start: (connections: ReadonlyArray<Connection>) => void
  /** The connection has its answer. */
  readonly release: (connection: Connection, now: number) => void
  readonly stop: () => void
}

const closedLoop = (send: Send): Loop => ({
  start: (connections) => {
    const now = performance.now()
    for (const connection of connections) send(connection, now)
  },
  release: send,
  stop: () => undefined
})

const openLoop = (rate: number, send: Send): Loop => {
  const idle: Array<Connection> = []
  /** When the requests fell due that wait for a connection. */
  const due: Array<number> = []
  let timer: NodeJS.Timeout | undefined
  return {
    start: (connections) => {
      idle.push(...connections)
      const started = performance.now()
      let count = 0
      timer = setInterval(() => {
        const wanted = ((performance.now() - started) * rate) / 1_000
        for (; count < wanted; count++) {
          const at = started + (count * 1_000) / rate
          const connection = idle.pop()
          if (connection === undefined) due.push(at)
          else send(connection, at)
        }
      }, 1)
    },
    release: (connection) => {
      const next = due.shift()
      if (next === undefined) idle.push(connection)
      else send(connection, next)
    },
    stop: () => clearInterval(timer)
  }
}
