/**
 * One keep-alive connection with at most one request under way. Our own client on a bare socket: undici and autocannon
 * take 40 to 90 µs of the same two cores for a request, which would be measured too; this takes about 15. It reads only
 * responses with a Content-Length, which all sides send.
 */
import { connect, type Socket } from "node:net"

const headEnd = Buffer.from("\r\n\r\n")
const lengthPattern = /content-length: *(\d+)/i

export class Connection {
  #socket: Socket
  #pending: Buffer | undefined
  #received: ((status: number, body: () => string) => void) | undefined

  constructor(port: number, broken: (cause: Error) => void) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true })
    this.#socket.on("data", (chunk: Buffer) => this.#read(chunk))
    this.#socket.on("error", broken)
    this.#socket.on("close", () => {
      if (this.#received !== undefined) broken(new Error("the connection was closed in the middle of a request"))
    })
  }

  send(request: string, received: (status: number, body: () => string) => void): void {
    this.#received = received
    this.#socket.write(request)
  }

  close(): void {
    this.#received = undefined
    this.#socket.destroy()
  }

  #read(chunk: Buffer): void {
    const bytes = this.#pending === undefined ? chunk : Buffer.concat([this.#pending, chunk])
    const end = bytes.indexOf(headEnd)
    const length = end < 0 ? undefined : lengthPattern.exec(bytes.toString("latin1", 0, end))?.[1]
    const whole = length === undefined ? Infinity : end + headEnd.length + Number(length)
    if (bytes.length < whole) {
      this.#pending = bytes
      return
    }
    this.#pending = undefined
    const received = this.#received
    // An unsolicited answer, such as 408 on a connection that was idle for too long.
    if (received === undefined) return
    this.#received = undefined
    // "HTTP/1.1 200 OK"
    received(Number(bytes.toString("latin1", 9, 12)), () => bytes.toString("utf8", end + headEnd.length, whole))
  }
}
