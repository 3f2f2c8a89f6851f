/**
 * Answers to the reads of the console's pages: named by a weak ETag, so that a page that reads again takes nothing
 * while nothing has changed, and compressed (0245). Calls with a key and answers that show a secret are neither.
 */
import { createHash } from "node:crypto"
import { brotliCompress, constants, gzip } from "node:zlib"
import { consoleActs, merchantActs, operatorActs } from "@coffer/contract/acts"
import { Api } from "@coffer/contract/Api"
import { ConsoleApi } from "@coffer/contract/Console"
import { OperatorApi } from "@coffer/contract/Operator"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { RequestRecord } from "../../shared/http/CurrentRequest.ts"
import { encodingFor, hasTag } from "./staticContent.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Below this an answer fits in one packet anyway. */
const compressedBytesMin = 1_400
/** A page of a list is far below this. */
const compressedBytesMax = 1_000_000
/** Answers that are compressed at a time. Others meanwhile are sent as they are: nobody waits for the compressor. */
const atOnceMax = 4
/** A quarter of a millisecond for a page of orders, in another thread. */
const brotliQuality = 4
const gzipLevel = 3

/** The request's own number is in each answer, at its start. */
const headLength = 300

const compressors = {
  br: (bytes: Uint8Array, done: (error: Error | null, result: Buffer) => void) =>
    brotliCompress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }, done),
  gzip: (bytes: Uint8Array, done: (error: Error | null, result: Buffer) => void) =>
    gzip(bytes, { level: gzipLevel }, done)
}

interface Contract {
  readonly groups: Readonly<Record<string, { readonly endpoints: Readonly<Record<string, { readonly path: string }>> }>>
}

/** Paths of the operations that give a secret, in the rows of this table. */
const secretPaths = (contract: object, acts: Readonly<Record<string, object>>) =>
  Object.entries((contract as Contract).groups).flatMap(([group, { endpoints }]) =>
    Object.entries(endpoints).flatMap(([name, { path }]) =>
      "gives" in (acts[`${group}.${name}`] ?? {}) ? [path.replaceAll(/:(\w+)/g, "{$1}")] : []
    )
  )
const secrets = new Set([
  ...secretPaths(Api, merchantActs),
  ...secretPaths(ConsoleApi, consoleActs),
  ...secretPaths(OperatorApi, operatorActs)
])

/** Whether a page of the console reads with it. Its session is known once the answer is 200. */
export const isConsoleRead = ({ isOfOperatorsPage, method, ofConsole, path, route }: RequestRecord): boolean =>
  (ofConsole !== undefined || isOfOperatorsPage === true || path.startsWith("/console/api/")) &&
  (method === "GET" || method === "HEAD") &&
  !secrets.has(route)

/** The same while nothing but the request's number differs, so it is weak. */
const etagOf = (bytes: Uint8Array, { requestId }: RequestRecord): string => {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(headLength, bytes.byteLength))
  const at = head.indexOf(requestId)
  const hash = createHash("sha256")
  if (at === -1) hash.update(bytes)
  else hash.update(bytes.subarray(0, at)).update(bytes.subarray(at + requestId.length))
  return `W/"${hash.digest("base64url").slice(0, 22)}"`
}

let underWay = 0

/** What is sent instead of an answer. Files, exports and streams stay as they are. */
export const asConsoleRead = (record: RequestRecord, response: Response): Effect.Effect<Response> => {
  const { body } = response
  if (response.status !== 200 || body._tag !== "Uint8Array" || !body.contentType.startsWith("application/json")) {
    return Effect.succeed(response)
  }
  const etag = etagOf(body.body, record)
  const vary = [response.headers["vary"], "Accept-Encoding"].filter((name) => name !== undefined).join(", ")
  const headers = { ...response.headers, etag, vary }
  if (hasTag(record.sent["if-none-match"], etag.slice(2))) {
    const { "content-length": _length, "content-type": _type, ...kept } = headers as Record<string, string>
    return Effect.succeed(HttpServerResponse.empty({ status: 304, headers: kept, cookies: response.cookies }))
  }
  const encoding = encodingFor(record.sent["accept-encoding"])
  const size = body.contentLength
  if (
    encoding === "identity" ||
    record.method === "HEAD" ||
    size < compressedBytesMin ||
    size > compressedBytesMax ||
    underWay >= atOnceMax
  ) {
    return Effect.succeed(HttpServerResponse.setHeaders(response, { etag, vary }))
  }
  return Effect.callback<Response>((resume) => {
    underWay += 1
    compressors[encoding](body.body, (error, bytes) => {
      underWay -= 1
      resume(
        Effect.succeed(
          error === null
            ? HttpServerResponse.uint8Array(bytes, {
                status: 200,
                contentType: body.contentType,
                headers: { ...headers, "content-encoding": encoding },
                cookies: response.cookies
              })
            : HttpServerResponse.setHeaders(response, { etag, vary })
        )
      )
    })
  })
}
