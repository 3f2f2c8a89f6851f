/** An operator's proxy for the tests: a real one on loopback, which does what the caller or the test asks. */
import http from "node:http"
import net, { type Socket } from "node:net"
import { Effect, Redacted } from "effect"
import { run } from "./receiver.ts"

interface Asked {
  readonly method: string | undefined
  readonly target: string | undefined
  readonly host: string | undefined
  readonly authorization: string | undefined
}

/** `refuse`: the status for a target instead of doing it, or "hang"; undefined does it. */
export const proxying = Effect.fnUntraced(function* (
  refuse: (target: string) => number | "hang" | undefined = () => undefined
) {
  const asked: Array<Asked> = []
  const note = ({ headers, method, url }: http.IncomingMessage) => {
    asked.push({ method, target: url, host: headers.host, authorization: headers["proxy-authorization"] })
    return refuse(url ?? "")
  }
  const server = http.createServer((request, response) => {
    const refusal = note(request)
    if (refusal === "hang") return
    if (refusal !== undefined) return void response.writeHead(refusal).end()
    const { "proxy-authorization": _, ...headers } = request.headers
    request.pipe(
      http.request(request.url!, { method: "POST", headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode!)
        answer.pipe(response)
      })
    )
  })
  server.on("connect", (request: http.IncomingMessage, socket: Socket) => {
    const refusal = note(request)
    // A socket without a reader does not notice that it was closed, and this one closes only on command.
    if (refusal === "hang") return void socket.resume().on("end", () => socket.end())
    if (refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`)
    const { hostname, port } = new URL(`http://${request.url}`)
    const there = net.connect(Number(port), hostname.replace(/^\[(.*)\]$/, "$1"), () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
      socket.pipe(there).pipe(socket)
    })
    there.on("error", () => socket.destroy())
    socket.on("error", () => there.destroy())
    socket.on("close", () => there.destroy())
  })
  const running = yield* run(server)
  return { ...running, asked, url: proxyAt(running.port) }
})

export const password = "s3cr:et/päss"
export const proxyAt = (port: number) =>
  Redacted.make(`http://coffer:${encodeURIComponent(password)}@127.0.0.1:${port}`)
