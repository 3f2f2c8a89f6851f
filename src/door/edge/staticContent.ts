/**
 * Compressed answers. A text that stays the same while the process runs is compressed once for each encoding, away
 * from the event loop, and named by an ETag, so that a client that has it gets 304. Pages for buyers are compressed one
 * by one.
 */
import { createHash } from "node:crypto"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

export interface StaticContent {
  readonly text: string
  readonly contentType: string
  /** The text compressed by brotli at build time; otherwise it is compressed on demand. */
  readonly brotli?: Uint8Array | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Bytes that all answers share: a slow reader holds no memory of its own. */
const shared = new WeakSet<Uint8Array>()
export const isShared = (bytes: Uint8Array): boolean => shared.has(bytes)

/** Best first. Half a second for the reference; the best quality takes ten times as long, for a tenth less. */
const encodings = {
  br: (bytes: Buffer) =>
    compressWith((done) => brotliCompress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }, done)),
  gzip: (bytes: Buffer) => compressWith((done) => gzip(bytes, { level: 9 }, done)),
  identity: (bytes: Buffer) => Effect.succeed(bytes)
}
type Encoding = keyof typeof encodings

const compressWith = (start: (done: (error: Error | null, result: Buffer) => void) => void) =>
  Effect.callback<Buffer>((resume) =>
    start((error, result) => resume(error === null ? Effect.succeed(result) : Effect.die(error)))
  )

/** A route whose content `make` makes on the first request. */
export const serveStatic = Effect.fnUntraced(function* (make: Effect.Effect<StaticContent>) {
  const made = yield* Effect.cached(
    Effect.map(make, (content) => ({ ...content, bytes: Buffer.from(content.text), hash: hashOf(content.text) }))
  )
  const sent = (encoding: Encoding) =>
    Effect.cached(
      Effect.flatMap(made, ({ brotli, bytes }) => {
        const encode = encoding === "br" && brotli !== undefined ? Effect.succeed(brotli) : encodings[encoding](bytes)
        return Effect.map(Effect.uninterruptible(encode), (encoded) => {
          shared.add(encoded)
          return encoded
        })
      })
    )
  const bodies = { br: yield* sent("br"), gzip: yield* sent("gzip"), identity: yield* sent("identity") }

  return Effect.gen(function* () {
    const { headers: sent } = yield* HttpServerRequest.HttpServerRequest
    const { contentType, hash, headers } = yield* made
    const encoding = encodingFor(sent["accept-encoding"])
    const etag = `"${hash}-${encoding}"`
    const about = {
      etag,
      vary: "Accept-Encoding",
      // A new version of the program may have another.
      "cache-control": "public, max-age=300",
      "x-content-type-options": "nosniff",
      ...headers
    }
    if (hasTag(sent["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers: about })
    return HttpServerResponse.uint8Array(yield* bodies[encoding], {
      contentType,
      headers: encoding === "identity" ? about : { ...about, "content-encoding": encoding }
    })
  })
})

const hashOf = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, 22)

/** The first encoding that the client takes. Its preferences do not count: the first is the smallest. */
export const encodingFor = (
  accepted = "",
  offered: ReadonlyArray<Exclude<Encoding, "identity">> = ["br", "gzip"]
): Encoding => {
  const taken = new Map(
    accepted.split(",").map((each) => {
      const [name = "", quality] = each.toLowerCase().split(";")
      return [name.trim(), !/^\s*q\s*=\s*0(\.0*)?\s*$/.test(quality ?? "")] as const
    })
  )
  const takes = (encoding: string) => taken.get(encoding) ?? taken.get("*") ?? false
  return offered.find(takes) ?? "identity"
}

export const hasTag = (named: string | undefined, etag: string): boolean =>
  named !== undefined &&
  named.split(",").some((each) => {
    const tag = each.trim().replace(/^W\//, "")
    return tag === "*" || tag === etag
  })

// Pages for buyers ---------------------------------------------------------------
// Gzip makes a third of the bytes, in about a millisecond of another thread. Calls with a key are not compressed: they
// are small, and their path is short (docs/performance-notes.md). `consoleReads.ts` compresses those of the console.

/** Below this a page fits in one packet anyway. */
const compressedBytesMin = 1_400
/** The fastest level: the next ones save another tenth and take half as long again. */
const gzipLevel = 1

const compress = Effect.fnUntraced(function* (response: HttpServerResponse.HttpServerResponse) {
  const { body } = response
  if (
    body._tag !== "Uint8Array" ||
    !body.contentType.startsWith("text/html") ||
    body.contentLength < compressedBytesMin
  ) {
    return response
  }
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const vary = [response.headers["vary"], "Accept-Encoding"].filter((name) => name !== undefined).join(", ")
  if (encodingFor(headers["accept-encoding"], ["gzip"]) === "identity") {
    return HttpServerResponse.setHeader(response, "vary", vary)
  }
  const bytes = yield* Effect.callback<Buffer>((resume) =>
    gzip(body.body, { level: gzipLevel }, (error, result) =>
      resume(error === null ? Effect.succeed(result) : Effect.die(error))
    )
  )
  return HttpServerResponse.uint8Array(bytes, {
    status: response.status,
    contentType: body.contentType,
    headers: { ...response.headers, vary, "content-encoding": "gzip" },
    cookies: response.cookies
  })
})

/** In front of all routes of the layers that it is provided to. */
export const { layer: layerCompressed } = HttpRouter.middleware((route) => Effect.flatMap(route, compress))
