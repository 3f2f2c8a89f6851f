/** A caller that sends a whole request and hangs up before it is answered, as clients with short time-outs do. */
import { connect } from "node:net"
import { Effect } from "effect"

export interface Sent {
  readonly path: string
  readonly body: object
  readonly headers: Record<string, string>
}

/** Sends a POST, waits until `stay` has ended, and closes the connection. */
export const hangUp = (baseUrl: string, { body, headers, path }: Sent, stay: Effect.Effect<unknown>) =>
  Effect.acquireUseRelease(
    Effect.callback<ReturnType<typeof connect>>((resume) => {
      const { hostname, port } = new URL(baseUrl)
      const text = JSON.stringify(body)
      const lines = [
        `POST ${path} HTTP/1.1`,
        `Host: ${hostname}`,
        "Content-Type: application/json",
        `Content-Length: ${Buffer.byteLength(text)}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
      ]
      const socket = connect(Number(port), hostname)
      socket.on("error", () => undefined)
      socket.write(`${lines.join("\r\n")}\r\n\r\n${text}`, () => resume(Effect.succeed(socket)))
    }),
    () => stay,
    (socket) =>
      Effect.callback<void>((resume) => {
        socket.once("close", () => resume(Effect.void)).destroy()
      })
  )
