/**
 * Load on one side. Closed loop: each connection sends its next request when it has the answer to the last. Open loop:
 * requests fall due at a fixed rate whether or not answers come, and wait for a free connection if they must; what is
 * measured begins when a request is due, so that a side that stalls cannot hide it.
 */
import { Connection } from "./Connection.ts"
import { type Kind, sourceOf } from "./requests.ts"
import { type Summary, summarize } from "./summary.ts"

export interface Load {
  readonly port: number
  readonly connections: number
  readonly warmupMillis: number
  readonly millis: number
  readonly kind: Kind
  /** Requests a second; undefined: closed loop. */
  readonly rate?: number
}

/** Runs it to its end. `warm` is called when measuring begins. */
export const run = (load: Load, warm: () => void): Promise<Summary> =>
  new Promise((resolve, reject) => {
    const source = sourceOf(load.kind)
    const latencies: Array<number> = []
    const idle: Array<Connection> = []
    const due: Array<number> = []
    let measuring = false
    let ended = false
    let open = 0
    let unavailable = 0
    let began = 0
    let cpu = process.cpuUsage()

    const broken = (cause: Error) => {
      if (!ended) finish(cause)
    }
    const connections = Array.from({ length: load.connections }, () => new Connection(load.port, broken))

    const finish = (cause?: Error) => {
      if (ended) return
      ended = true
      const millis = performance.now() - began
      const used = process.cpuUsage(cpu)
      for (const connection of connections) connection.close()
      clearInterval(pacing)
      if (cause === undefined) resolve(summarize(latencies, millis, used.user + used.system, unavailable))
      else reject(cause)
    }

    const send = (connection: Connection, from: number) => {
      const request = source.next()
      if (request === undefined) {
        // Out of orders to pay: the last answers are in when nothing is under way.
        if (open === 0) finish(measuring ? undefined : new Error("there were too few orders for a warm-up"))
        return
      }
      open++
      connection.send(request, (status, body) => {
        open--
        if (ended) return
        const now = performance.now()
        if (status === source.expected) {
          if (measuring) latencies.push(now - from)
        } else if (status !== 503) {
          return finish(new Error(`answered ${status}: ${body()}`))
        } else if (measuring) {
          // "Come back later" is an answer, though not one that counts.
          unavailable++
        }
        if (load.rate === undefined) return send(connection, now)
        const next = due.shift()
        if (next === undefined) idle.push(connection)
        else send(connection, next)
      })
    }

    const started = performance.now()
    let given = 0
    const pace = () => {
      const now = performance.now()
      for (const wanted = ((now - started) * load.rate!) / 1_000; given < wanted; given++) {
        const at = started + (given * 1_000) / load.rate!
        const connection = idle.pop()
        if (connection === undefined) due.push(at)
        else send(connection, at)
      }
    }
    let pacing: NodeJS.Timeout | undefined
    if (load.rate === undefined) for (const connection of connections) send(connection, started)
    else {
      idle.push(...connections)
      pacing = setInterval(pace, 1)
    }

    setTimeout(() => {
      if (ended) return
      measuring = true
      began = performance.now()
      cpu = process.cpuUsage()
      warm()
      setTimeout(() => finish(), load.millis)
    }, load.warmupMillis)
  })
