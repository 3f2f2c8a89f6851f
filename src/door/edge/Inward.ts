/**
 * Calls of the service to itself on behalf of a caller: through the whole server, as a request of that caller. Key,
 * allowlist, quota, admission, idempotency and log are those of any call, so there is one entry (docs/decisions/0208).
 * Nothing goes over a network: Node's request and response use a stream of their own.
 */
import { IncomingMessage, type OutgoingHttpHeaders, type Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"
import { Context, Effect, Layer } from "effect"
import type { RequestRecord } from "../../shared/http/CurrentRequest.ts"

export interface InwardCall {
  readonly method: string
  /** With the version: `/v1/orders`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface InwardAnswer {
  /** 0 when the call could not be made. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export class Inward extends Context.Service<
  Inward,
  {
    /** Set by the server that is open to merchants. */
    server: Server | undefined
    /** On behalf of the current request's caller. Ends when the caller leaves. */
    readonly call: (of: RequestRecord, call: InwardCall) => Effect.Effect<InwardAnswer>
  }
>()("@coffer/edge/Inward") {}

const notOpen: InwardAnswer = { status: 0, headers: {}, text: "" }

export const layer = Layer.sync(Inward, () => {
  const inward: Inward["Service"] = {
    server: undefined,
    call: (of, call) =>
      Effect.callback((resume) => {
        const { server } = inward
        if (server === undefined) return resume(Effect.succeed(notOpen))
        const [request, response] = requestOf(of, call, (answer) => resume(Effect.succeed(answer)))
        server.emit("request", request, response)
        return Effect.sync(() => void response.destroy())
      })
  }
  return inward
})

/** A stream without bytes: the request has its body already, and the response collects what is written. */
class Line extends Duplex {
  readonly remoteAddress: string
  readonly bytesRead: number
  constructor(remoteAddress: string, body: string) {
    super()
    this.remoteAddress = remoteAddress
    this.bytesRead = body.length
  }
  override _read() {}
  override _write(_chunk: unknown, _encoding: string, written: () => void) {
    written()
  }
  // Node's response asks for them.
  setTimeout() {
    return this
  }
}

class KeptResponse extends ServerResponse {
  readonly parts: Array<Buffer> = []
  sent: OutgoingHttpHeaders = {}

  override writeHead(status: number, ...rest: ReadonlyArray<unknown>): this {
    this.sent = (rest.at(-1) ?? {}) as OutgoingHttpHeaders
    return super.writeHead(status, ...(rest as [OutgoingHttpHeaders]))
  }

  override write(chunk: unknown, ...rest: ReadonlyArray<unknown>): boolean {
    this.keep(chunk)
    return super.write(chunk, ...(rest as []))
  }

  override end(...all: ReadonlyArray<unknown>): this {
    this.keep(all[0])
    return super.end(...(all as []))
  }

  private keep(chunk: unknown) {
    if (typeof chunk === "string") this.parts.push(Buffer.from(chunk))
    else if (chunk instanceof Uint8Array) this.parts.push(Buffer.from(chunk))
  }
}

const requestOf = (
  { ip, sent }: RequestRecord,
  { body = "", headers, method, url }: InwardCall,
  answered: (answer: InwardAnswer) => void
): readonly [IncomingMessage, ServerResponse] => {
  const line = new Line(ip, body) as unknown as Socket
  const request = new IncomingMessage(line)
  request.method = method
  request.url = url
  request.httpVersion = "1.1"
  request.httpVersionMajor = 1
  request.httpVersionMinor = 1
  request.headers = {
    ...headers,
    host: sent["host"] ?? "localhost",
    ...(body === "" ? {} : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) })
  }
  if (body !== "") request.push(body)
  request.push(null)
  request.complete = true
  const response = new KeptResponse(request)
  response.assignSocket(line)
  response.once("finish", () => {
    answered({
      status: response.statusCode,
      headers: Object.fromEntries(
        Object.entries({ ...response.getHeaders(), ...response.sent }).map(([name, value]) => [
          name.toLowerCase(),
          String(value)
        ])
      ),
      text: Buffer.concat(response.parts).toString("utf8")
    })
    // The server releases the call's resources.
    line.destroy()
  })
  response.once("close", () => answered(notOpen))
  return [request, response]
}
