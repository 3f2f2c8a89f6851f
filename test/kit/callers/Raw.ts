/** A client that writes the bytes of its requests itself, and may keep some of them back. */
import { connect } from "node:net"
import { Effect } from "effect"

export interface RawReply {
  readonly status: number
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  // oxlint-disable-next-line no-explicit-any -- a test reads what it expects
  readonly body: any
}

/** Sends these bytes and nothing more, and waits for one whole answer; the connection is closed then. */
export const sendRaw = (url: string, ...parts: ReadonlyArray<string | Uint8Array>): Effect.Effect<RawReply> =>
  Effect.callback<RawReply>((resume) => {
    let received = Buffer.alloc(0)
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => {
      for (const part of parts) socket.write(part)
    })
    const finish = (reply: RawReply) => {
      socket.destroy()
      resume(Effect.succeed(reply))
    }
    socket.on("data", (part: Buffer) => {
      received = Buffer.concat([received, part])
      const reply = parse(received)
      if (reply !== undefined) finish(reply)
    })
    socket.on("error", () => undefined)
    socket.on("close", () => finish(parse(received) ?? { status: 0, headers: {}, text: "", body: undefined }))
    return Effect.sync(() => socket.destroy())
  })

/** Sends these bytes, in Latin-1, and waits for all that comes back until the service hangs up. */
export const speak = (url: string, bytes: string) =>
  Effect.callback<string>((resume) => {
    const parts: Array<Buffer> = []
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(bytes, "latin1"))
    socket.on("data", (part: Buffer) => parts.push(part))
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.succeed(Buffer.concat(parts).toString())))
    return Effect.sync(() => socket.destroy())
  })

/** The head of a request; `Host` is there unless it is among the headers. */
export const head = (line: string, headers: Record<string, string | number | undefined> = {}) =>
  [
    `${line} HTTP/1.1`,
    ...Object.entries({ Host: "localhost", ...headers }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}: ${value}`]
    ),
    "",
    ""
  ].join("\r\n")

const parse = (received: Buffer): RawReply | undefined => {
  const end = received.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const [line = "", ...lines] = received.subarray(0, end).toString("latin1").split("\r\n")
  const headers = Object.fromEntries(
    lines.map((each) => [each.slice(0, each.indexOf(":")).toLowerCase(), each.slice(each.indexOf(":") + 1).trim()])
  )
  const rest = received.subarray(end + 4)
  const length = Number(headers["content-length"] ?? 0)
  if (rest.length < length) return undefined
  const text = rest.subarray(0, length).toString()
  const isJson = headers["content-type"]?.includes("json") === true
  return { status: Number(line.split(" ")[1]), headers, text, body: isJson ? JSON.parse(text) : undefined }
}
