/**
 * One POST on one connection, and what came back. Redirects are not followed: a 3xx is an answer like another (spec:
 * Events; silences: W8, W20, W22).
 */
import { Duration } from "effect"
import type { Checked, Connections, Trip } from "./connections.ts"
import { ProxyTrouble } from "./egressProxy.ts"
import type { NotDeliveredReason, OutboundRequest, Outcome } from "./Outbound.ts"

/** Bytes of the receiver's answer that are kept, so that the merchant can see it. */
const snippetBytesMax = 1024
/** How long they are waited for. The headers have decided already, and the post holds a place meanwhile. */
export const excerptPatience = Duration.seconds(1)

export interface ExchangeMeans {
  readonly connections: Connections
  /** Calls back after {@link excerptPatience}, unless what it returns is called before. */
  readonly excerpts: { readonly after: (late: () => void) => () => boolean }
}

/** What has arrived so far. It outlives the exchange, so that a time-out can still report it. */
export interface Received extends Trip {
  status: number | undefined
  bytes: number
  readonly chunks: Array<Buffer>
}

export interface Exchange {
  readonly checked: Checked
  readonly request: OutboundRequest
  readonly received: Received
  /** On a connection of its own. */
  readonly fresh: boolean
}

export const notDelivered = (reason: NotDeliveredReason, detail: string): Outcome => ({
  _tag: "NotDelivered",
  reason,
  detail
})

/** The answer as far as it has arrived; without a status, the reason why there is none. */
export const outcomeOf = ({ chunks, status }: Received, reason: NotDeliveredReason, detail: string): Outcome =>
  status === undefined ? notDelivered(reason, detail) : { _tag: "Answered", status, snippet: snippetOf(chunks) }

// PostgreSQL's text cannot hold a NUL, and a receiver may send one.
const snippetOf = (chunks: ReadonlyArray<Buffer>): string =>
  (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    .toString("utf8", 0, snippetBytesMax)
    .replaceAll("\0", "\uFFFD")

/**
 * Connects, sends, and listens until the snippet is full, the answer ends, or it takes too long to end. `done` is told
 * undefined when a kept connection turned out to be closed. What is returned closes the connection,
 * unless the exchange is over.
 */
export const exchange = (
  { checked, fresh, received, request }: Exchange,
  { connections, excerpts }: ExchangeMeans,
  done: (outcome: Outcome | undefined) => void
): (() => void) => {
  const way = connections.wayTo(checked, request.headers)
  const { connection, isKept } = connections.take(way, checked, received, fresh)
  let isOver = false
  let disarm: () => void = () => {}
  const stop = () => {
    // The connection may be another post's by now.
    if (isOver) return
    isOver = true
    disarm()
    connection.close()
  }
  const finish = (reason: NotDeliveredReason, detail: string) => {
    if (isOver) return
    stop()
    done(outcomeOf(received, reason, detail))
  }

  connection.client.dispatch(
    { path: way.path, method: "POST", headers: way.headers, body: request.body, reset: fresh },
    {
      onRequestStart: () => {},
      onResponseStart: (_, status) => {
        if (isOver || status < 200) return
        if (connections.isProxysOwn(checked.url, status)) return finish("proxy", `the proxy answered ${status}`)
        received.status = status
        disarm = excerpts.after(() => finish(received.stage, ""))
      },
      onResponseData: (_, chunk) => {
        received.chunks.push(chunk)
        received.bytes += chunk.length
        // A longer answer is cut off, and its connection with it.
        if (received.bytes >= snippetBytesMax) finish(received.stage, "")
      },
      onResponseEnd: () => {
        if (isOver) return
        isOver = true
        disarm()
        // The client says only after this whether the connection can be kept.
        process.nextTick(() => {
          connection.release()
          done(outcomeOf(received, received.stage, ""))
        })
      },
      onResponseError: (_, error) => {
        if (isOver) return
        const isStale = isKept && received.status === undefined && codeOf(error) in closed
        if (!isStale) return finish(error instanceof ProxyTrouble ? error.reason : received.stage, detailOf(error))
        stop()
        done(undefined)
      }
    }
  )
  return stop
}

const codeOf = (error: NodeJS.ErrnoException): string => error.code ?? error.name

/** What a connection says that was closed before we wrote to it or before it answered. */
const closed = {
  ECONNRESET: "ECONNRESET",
  EPIPE: "EPIPE",
  UND_ERR_SOCKET: "ECONNRESET",
  UND_ERR_DESTROYED: "ECONNRESET"
}
/** Our words, or Node's, for what undici says. Merchants read them. */
const details: Readonly<Record<string, string>> = {
  ...closed,
  HTTPParserError: "the answer is not HTTP/1.1",
  UND_ERR_HEADERS_OVERFLOW: "HPE_HEADER_OVERFLOW",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "HPE_UNEXPECTED_CONTENT_LENGTH"
}

/** The code alone, since messages of others contain addresses. */
const detailOf = (error: Error): string =>
  error instanceof ProxyTrouble ? error.message : (details[codeOf(error)] ?? codeOf(error))
