/**
 * A bucket: a small HTTP server which speaks of S3 what the service needs, PUT, GET and DELETE of an object. It looks
 * at the signature's form, not at its truth, so that a real S3 accepts ours is not shown by it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

export interface Bucket {
  readonly url: string
  readonly objects: Map<string, Buffer>
  readonly requests: Array<string>
  /** The next so many requests are answered with 500. */
  failing: number
}

export const bucket = Effect.acquireRelease(
  Effect.callback<Bucket & { readonly close: () => void }>((resume) => {
    const server = createServer((request, response) => void answer(request, response))
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      Object.assign(state, {
        url: `http://127.0.0.1:${port}`,
        close: () => server.closeAllConnections() ?? server.close()
      })
      resume(Effect.succeed(state))
    })
    const state = {
      url: "",
      objects: new Map<string, Buffer>(),
      requests: [] as Array<string>,
      failing: 0,
      close: () => {}
    }

    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const chunks: Array<Buffer> = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const target = request.url!.replace(/\?.*$/, "")
      state.requests.push(`${request.method} ${target}`)
      const signed = /^AWS4-HMAC-SHA256 Credential=an-access-key\/\d{8}\/eu-west-9\/s3\/aws4_request, /
      if (!signed.test(request.headers.authorization ?? "")) return response.writeHead(403).end()
      if (state.failing > 0) {
        state.failing--
        return response.writeHead(500).end()
      }
      if (request.method === "PUT") {
        state.objects.set(target, Buffer.concat(chunks))
        return response.writeHead(200, { ETag: '"e"' }).end()
      }
      if (request.method === "DELETE") {
        state.objects.delete(target)
        return response.writeHead(204).end()
      }
      const object = state.objects.get(target)
      return object === undefined
        ? response.writeHead(404, { "Content-Type": "application/xml" }).end("<Error><Code>NoSuchKey</Code></Error>")
        : response.writeHead(200, { "Content-Length": object.length }).end(object)
    }
  }),
  ({ close }) => Effect.sync(close)
)

/** The settings of an installation that keeps its files there. */
export const bucketSettings = (url: string) => ({
  FILES_URL: "https://files.example/evidence/",
  FILES_S3_ENDPOINT: url,
  FILES_S3_REGION: "eu-west-9",
  FILES_S3_BUCKET: "a-bucket",
  FILES_S3_ACCESS_KEY: "an-access-key",
  FILES_S3_SECRET_KEY: "a-secret-key"
})
