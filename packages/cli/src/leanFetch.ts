/**
 * `fetch` for the calls of commands, over Node's `http` and `https`. Node's own `fetch` loads a hundred modules before
 * its first call, which takes as long as the rest of a command (docs/decisions/0202).
 */
import type { IncomingMessage } from "node:http"
import type { Fetch } from "../../sdk/src/index.ts"

/** As with `fetch`. */
const connectMillis = 10_000

/** For calls whose body is text and whose answer is read whole, without redirects. All others use `fetch`. */
export const leanFetch: Fetch = (url, init) => {
  const { body, redirect } = init
  const isLean = redirect !== undefined && redirect !== "follow" && (body === undefined || typeof body === "string")
  return isLean ? exchange(url, init, body) : fetch(url, init)
}

const exchange = (url: string, init: RequestInit, body: string | undefined): Promise<Response> =>
  new Promise((resolve, reject) => {
    // `import` would read all exports of these modules, which loads the `fetch` client.
    const { request: open } = url.startsWith("https:")
      ? process.getBuiltinModule("node:https")
      : process.getBuiltinModule("node:http")
    const { headers, method, redirect, signal } = init
    const request = open(url, {
      ...(method === undefined ? {} : { method }),
      headers: { Accept: "*/*", ...(headers as Readonly<Record<string, string>>) },
      ...(signal == null ? {} : { signal })
    })
    request.on("error", reject)
    request.on("socket", (socket) => {
      if (!socket.connecting) return
      const late = setTimeout(
        () => request.destroy(new Error(`no connection within ${connectMillis} ms`)),
        connectMillis
      )
      const clear = () => clearTimeout(late)
      socket.once("connect", clear).once("close", clear)
    })
    request.on("response", (message) => {
      const status = message.statusCode ?? 0
      if (redirect === "error" && status >= 300 && status < 400 && message.headers.location !== undefined) {
        request.destroy(new Error("the response is a redirect"))
        return
      }
      wholeOf(message).then((bytes) => resolve(answerOf(message, status, bytes)), reject)
    })
    request.end(body)
  })

const wholeOf = async (message: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The part of a `Response` that the callers read. The real class would load what this file avoids. */
const answerOf = ({ headers }: IncomingMessage, status: number, bytes: Buffer): Response => {
  const answer = {
    status,
    ok: status >= 200 && status < 300,
    headers: { get: (name: string) => headers[name.toLowerCase()]?.toString() ?? null },
    text: () => Promise.resolve(new TextDecoder().decode(bytes)),
    arrayBuffer: () => Promise.resolve(new Uint8Array(bytes).buffer)
  }
  return answer as unknown as Response
}
