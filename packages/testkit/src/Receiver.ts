/** A merchant's webhook endpoint: records deliveries, and answers as the test wants. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Deferred, Effect, Exit, Queue } from "effect"
import type { Received } from "./options.ts"

interface Receiver {
  readonly url: string
  readonly all: Array<Received>
  /** The first delivery that was not taken yet, or the next one to arrive. */
  readonly next: Effect.Effect<Received>
  /** Sets the status to answer with. */
  readonly answer: (status: number) => void
}

export const receiver = Effect.gen(function* () {
  const queue = yield* Queue.unbounded<Received>()
  const all: Array<Received> = []
  let status = 200
  const listening = yield* Deferred.make<void>()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const raw = Buffer.concat(chunks).toString("utf8")
      const received = { headers: request.headers, raw, event: JSON.parse(raw) }
      all.push(received)
      Queue.offerUnsafe(queue, received)
      response.writeHead(status).end("seen")
    })
  }).on("error", (error) => Deferred.doneUnsafe(listening, Exit.die(error)))
  yield* Effect.acquireRelease(
    Effect.suspend(() => {
      server.listen(0, "127.0.0.1", () => Deferred.doneUnsafe(listening, Exit.void))
      return Deferred.await(listening)
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )
  const { port } = server.address() as AddressInfo
  const built: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    all,
    next: Queue.take(queue),
    answer: (next) => {
      status = next
    }
  }
  return built
})
