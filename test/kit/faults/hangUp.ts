/** A caller that sends a whole request and hangs up before it is answered, as clients with short time-outs do. */
import { connect } from "node:net"
import { Effect } from "effect"

export interface Sent {
  readonly method: string
  readonly path: string
  readonly raw: string | Uint8Array
  readonly headers: Record<string, string>
}

/** Sends it, waits until `stay` has ended, and closes the connection. */
export const hangUp = (baseUrl: string, { headers, method, path, raw }: Sent, stay: Effect.Effect<unknown>) =>
  Effect.acquireUseRelease(
    Effect.callback<ReturnType<typeof connect>>((resume) => {
      const { hostname, port } = new URL(baseUrl)
      const lines = [
        `${method} ${path} HTTP/1.1`,
        `Host: ${hostname}`,
        `Content-Length: ${Buffer.byteLength(raw)}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
      ]
      const socket = connect(Number(port), hostname)
      socket.on("error", () => undefined)
      socket.write(`${lines.join("\r\n")}\r\n\r\n`)
      socket.write(raw, () => resume(Effect.succeed(socket)))
    }),
    () => stay,
    (socket) =>
      Effect.callback<void>((resume) => {
        socket.once("close", () => resume(Effect.void)).destroy()
      })
  )
