/**
 * Clients that hold what others need: they ask and read nothing, announce and send nothing, connect and are silent, or
 * call without end.
 */
import { Agent, get, request } from "node:http"
import { connect, type Socket } from "node:net"
import { Effect } from "effect"
import { head } from "../callers/Raw.ts"

export interface Held {
  readonly socket: Socket
  /** The answer's, once its first bytes are there. */
  status: number | undefined
}

interface Holding {
  readonly port: number
  readonly from: string
  readonly sent: string
}

/** Sends this and reads only the first bytes of the answer. The connection lasts as long as the scope. */
export const hold = ({ from, port, sent }: Holding) =>
  Effect.acquireRelease(
    Effect.callback<Held>((resume) => {
      const socket = connect({ port, host: "127.0.0.1", localAddress: from }, () => {
        socket.write(sent)
        resume(Effect.succeed(held))
      })
      const held: Held = { socket, status: undefined }
      socket.on("error", () => undefined)
      socket.once("readable", () => {
        const first: Buffer | null = socket.read(12)
        if (first !== null) held.status = Number(first.toString().slice(9))
      })
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

export const holdMany = (count: number, holding: (index: number) => Holding) =>
  Effect.all(
    Array.from({ length: count }, (_, index) => hold(holding(index))),
    { concurrency: 100 }
  )

export const asking = (path: string, key?: string, times = 1) => head(`GET ${path}`, { "X-Api-Key": key }).repeat(times)

/** An order of which the first bytes are sent. */
export const announcing = (bytes: number, key: string) =>
  `${head("POST /v1/orders", {
    "X-Api-Key": key,
    "Content-Type": "application/json",
    "Content-Length": bytes
  })}{"amount":5,`

export interface Call {
  readonly what: string
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly from?: string
}

export interface Outcome {
  readonly what: string
  /** 0: the connection was closed without an answer. */
  readonly status: number
  readonly millis: number
}

/** One request on a connection of its own. */
export const ask = (port: number, { body, from, headers, method = "GET", path, what }: Call) =>
  Effect.callback<Outcome>((resume) => {
    const begun = performance.now()
    const end = (status: number) => resume(Effect.succeed({ what, status, millis: performance.now() - begun }))
    const options = { host: "127.0.0.1", port, path, method, agent: false, headers, localAddress: from }
    const sent = (method === "GET" ? get : request)(options, (response) => {
      response.resume()
      response.on("end", () => end(response.statusCode ?? 0))
      response.on("error", () => end(0))
    })
    sent.on("error", () => end(0))
    sent.end(body)
  })

interface Calling {
  readonly port: number
  readonly from: string
  readonly key: string
}

/** Connections of a key that calls without end. Each sends its next call when it has its answer. */
const callingConnections = 16

/** Creates orders as fast as it is answered, for as long as the scope, and counts what its quota says to each. */
export const callWithoutEnd = ({ from, key, port }: Calling, calls: { admitted: number; refused: number }) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const agent = new Agent({ keepAlive: true, maxSockets: callingConnections })
      const headers = { "X-Api-Key": key, "Content-Type": "application/json" }
      const options = {
        host: "127.0.0.1",
        port,
        path: "/v1/orders",
        method: "POST",
        agent,
        headers,
        localAddress: from
      }
      let isOver = false
      const next = () => {
        if (isOver) return
        const sent = request(options, (response) => {
          if (response.statusCode === 429) calls.refused++
          else calls.admitted++
          response.resume()
          response.on("close", next)
        })
        sent.on("error", () => setImmediate(next))
        sent.end('{"amount":5}')
      }
      for (let count = 0; count < callingConnections; count++) next()
      return () => {
        isOver = true
        agent.destroy()
      }
    }),
    (end) => Effect.sync(end)
  )
