/** An OpenTelemetry collector on a socket of its own, and what was posted to it. */
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

export interface Post {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** As the protocol has it in JSON, as far as the tests read it. */
export interface ExportedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Readonly<Record<string, unknown>> }>
}

/** `status`: what it answers. */
export const collector = ({ status = 200 }: { readonly status?: number } = {}) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly url: URL; readonly all: Array<Post>; readonly close: () => void }>((resume) => {
        const all: Array<Post> = []
        const server = createServer((request, response) => {
          const parts: Array<Buffer> = []
          request.on("data", (part: Buffer) => parts.push(part))
          request.on("end", () => {
            all.push({ path: request.url!, headers: request.headers, body: Buffer.concat(parts).toString() })
            response.writeHead(status).end("{}")
          })
        })
        server.listen(0, "127.0.0.1", () => {
          const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
          resume(Effect.succeed({ url, all, close: () => server.close() }))
        })
      }),
      ({ close }) => Effect.sync(close)
    ),
    ({ all, url }) => ({
      url,
      all: all as ReadonlyArray<Post>,
      /** All that was posted to a path. */
      posted: (path: string) =>
        all
          .filter((post) => post.path === path)
          .map(({ body }) => body)
          .join("\n"),
      spans: (): ReadonlyArray<ExportedSpan> =>
        all
          .filter(({ path }) => path === "/v1/traces")
          .flatMap(({ body }) =>
            JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: Array<{ spans: [] }> }) =>
              scopeSpans.flatMap(({ spans }) => spans)
            )
          )
    })
  )
