/**
 * A way to the service that fails as networks and proxies do: it loses requests and answers, tears answers apart, sends
 * a request twice, and delivers one long after its sender gave up. Nothing here waits for a time.
 */
import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"

/**
 * The fate of a request. `refuse`: it does not reach the service. `lose`: the service has done it, and the connection
 * breaks. `tear`: it breaks in the middle of the answer. `double`: the service gets it twice at once. `silence`: the
 * service has done it, and no answer comes. `late`: it reaches the service after a later one has been answered.
 */
export type Fault = "pass" | "refuse" | "lose" | "tear" | "double" | "silence" | "late"

export const faults: ReadonlyArray<Fault> = ["pass", "refuse", "lose", "tear", "double", "silence", "late"]

export interface FaultyLine {
  readonly url: string
  /** The fates of the next requests, one each; those after them pass. */
  readonly plan: (...faults: ReadonlyArray<Fault>) => void
  /** How often each Idempotency-Key has reached the service. */
  readonly reached: ReadonlyMap<string, number>
  /** Until nothing is on its way to or from the service. */
  readonly idle: () => Promise<void>
}

interface Sent {
  readonly request: IncomingMessage
  readonly body: Buffer
}

interface Answered {
  readonly status: number
  readonly headers: NodeJS.Dict<string | Array<string>>
  readonly body: Buffer
}

/** `onSilence`: a sender will hear nothing. */
export const faultyLine = (target: string, onSilence: () => void): Effect.Effect<FaultyLine, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<FaultyLine & { readonly stop: () => void }>((resume) => {
      const planned: Array<Fault> = []
      const held: Array<Sent> = []
      const underWay = new Set<Promise<unknown>>()
      const reached = new Map<string, number>()

      const forward = (sent: Sent): Promise<Answered> => {
        const key = String(sent.request.headers["idempotency-key"])
        reached.set(key, (reached.get(key) ?? 0) + 1)
        const answered = ask(target, sent)
        underWay.add(answered)
        return answered.finally(() => underWay.delete(answered))
      }
      const serve = async (sent: Sent, response: ServerResponse) => {
        const fault = planned.shift() ?? "pass"
        if (fault === "refuse") return sent.request.socket.destroy()
        if (fault === "late") {
          held.push(sent)
          return onSilence()
        }
        const [answer] = await Promise.all([forward(sent), ...(fault === "double" ? [forward(sent)] : [])])
        if (fault === "lose") return sent.request.socket.destroy()
        if (fault === "silence") return onSilence()
        response.writeHead(answer.status, answer.headers)
        if (fault !== "tear") return response.end(answer.body, () => held.splice(0).forEach(forward))
        return response.write(answer.body.subarray(0, answer.body.length / 2), () => sent.request.socket.destroy())
      }
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => void serve({ request, body: Buffer.concat(chunks) }, response))
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(
          Effect.succeed({
            url: `http://127.0.0.1:${port}`,
            plan: (...faults) => void planned.splice(0, planned.length, ...faults),
            reached,
            idle: async () => {
              while (underWay.size > 0) await Promise.allSettled(underWay)
            },
            stop: () => server.close().closeAllConnections()
          })
        )
      })
    }),
    ({ stop }) => Effect.sync(stop)
  )

const ask = (target: string, { body, request }: Sent): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const { connection: _, host: __, ...headers } = request.headers
    const asked = requestOf(`${target}${request.url}`, { method: request.method!, headers }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => {
        const { connection: _, "transfer-encoding": __, ...kept } = response.headers
        resolve({ status: response.statusCode!, headers: kept, body: Buffer.concat(chunks) })
      })
    })
    asked.on("error", reject)
    asked.end(body)
  })
