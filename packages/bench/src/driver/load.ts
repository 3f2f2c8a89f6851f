/**
 * Load on one side, in a closed or an open loop (`loops.ts`). The latency of an open loop counts from the moment when a
 * request fell due, so that a side that stalls cannot hide it. Requests that are due when the time is over are waited
 * for.
 */
import { Connection } from "./Connection.ts"
import { closedLoop, openLoop } from "./loops.ts"
import { type Kind, sourceOf } from "./requests.ts"
import type { Summary } from "./summary.ts"
import { makeTally } from "./tally.ts"

export interface Load {
  /** Connections are distributed over them in turn. */
  readonly ports: ReadonlyArray<number>
  readonly connections: number
  readonly warmupMillis: number
  readonly millis: number
  readonly kind: Kind
  /** Requests a second; undefined: closed loop. */
  readonly rate?: number
  /** The interval of summaries in milliseconds, besides the last one. */
  readonly lapMillis?: number
}

export interface Heard {
  /** Measuring begins. */
  readonly warm: () => void
  readonly lap: (summary: Summary) => void
}

/** How long to wait for the last answers of an open loop. */
const patienceMillis = 10_000

/** Runs the load to its end, or until `stop` is called. */
export const run = (load: Load, { lap, warm }: Heard) => {
  const { promise, reject, resolve } = Promise.withResolvers<Summary>()
  const source = sourceOf(load.kind)
  const isOpen = load.rate !== undefined
  const tally = makeTally(isOpen)
  /** A fast side ends its warm-up early, so that enough requests are left for its measurement. */
  const shareMeasured = load.millis / (load.warmupMillis + load.millis)
  const leftToMeasure = Math.floor((source.left?.() ?? 0) * shareMeasured)
  /** When the requests under way were due. */
  const underWay = new Map<Connection, number>()
  const timers: Array<NodeJS.Timeout> = []
  let [isOver, isEnded] = [false, false]

  const finish = (cause?: Error) => {
    if (isEnded) return
    isEnded = true
    for (const timer of timers) clearTimeout(timer)
    loop.stop()
    const now = performance.now()
    tally.end(now)
    tally.give([...underWay.values(), ...loop.waiting()], now)
    for (const connection of connections) connection.close()
    if (cause === undefined) resolve(tally.summary(now))
    else reject(cause)
  }

  /** The time is over: requests that are due are still answered. */
  const end = () => {
    isOver = true
    loop.stop()
    tally.end(performance.now())
    if (!isOpen || isIdle()) finish()
    else timers.push(setTimeout(() => finish(), patienceMillis))
  }
  const isIdle = () => underWay.size === 0 && loop.waiting().length === 0

  const begin = () => {
    if (tally.isMeasuring()) return
    tally.start(performance.now())
    warm()
    timers.push(setTimeout(end, load.millis))
    if (load.lapMillis !== undefined) {
      timers.push(setInterval(() => !isOver && lap(tally.summary(performance.now())), load.lapMillis))
    }
  }

  const send = (connection: Connection, from: number) => {
    if (!tally.isMeasuring() && source.left !== undefined && source.left() <= leftToMeasure) begin()
    const request = source.next()
    if (request === undefined) {
      // The source is exhausted; all answers have arrived once nothing is under way.
      if (underWay.size === 0) finish()
      return
    }
    underWay.set(connection, from)
    connection.send(request.text, (status, body) => {
      underWay.delete(connection)
      if (isEnded) return
      const now = performance.now()
      if (!tally.count(status, request.expected, from, now)) return finish(new Error(`answered ${status}: ${body()}`))
      if (status === request.expected) request.answered?.(body)
      loop.release(connection, now)
      if (isOver && isIdle()) finish()
    })
  }

  const connections = Array.from(
    { length: load.connections },
    (_, index) => new Connection(load.ports[index % load.ports.length]!, finish)
  )
  const loop = isOpen ? openLoop(load.rate!, send) : closedLoop(send)
  loop.start(connections)
  timers.push(setTimeout(begin, load.warmupMillis))
  return { done: promise, stop: () => (tally.isMeasuring() ? end() : finish(new Error("ended before it was warm"))) }
}
