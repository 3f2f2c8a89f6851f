/**
 * The receiver's process: servers on several ports of this machine that answer 200 to every post. One of them never
 * answers. Reports when each event first arrived.
 */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"

export interface Arrivals {
  /** Unix milliseconds with fractions. */
  readonly first: number
  readonly last: number
  /** By event. */
  readonly times: ReadonlyMap<string, number>
  readonly posts: number
  /** One of the bodies. */
  readonly body: string
}

/** The number of addresses that earlier measurements used. */
const portsCount = 16

let wanted = Infinity
let posts = 0
let body = ""
let times = new Map<string, number>()

const answer: RequestListener = (request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    response.end("ok")
    posts++
    const id = String(request.headers["x-service-event-id"])
    if (times.has(id)) return
    times.set(id, performance.timeOrigin + performance.now())
    if (times.size < wanted) return
    body = Buffer.concat(chunks).toString("utf8")
    wanted = Infinity
    const all = [...times.values()]
    process.send!({ first: all[0]!, last: all.at(-1)!, times, posts, body } satisfies Arrivals)
  })
}

const listen = (listener: RequestListener) =>
  new Promise<number>((resolve) => {
    const server = createServer({ keepAliveTimeout: 60_000 }, listener)
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })

const ports = await Promise.all(Array.from({ length: portsCount }, () => listen(answer)))
const deaf = await listen((request) => void request.resume())
process.on("message", (count: number) => {
  wanted = count
  posts = 0
  times = new Map()
  process.send!("ready")
})
process.on("disconnect", () => process.exit(0))
process.send!({ ports, deaf })
