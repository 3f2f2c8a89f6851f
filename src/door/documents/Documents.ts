/**
 * The documents at `/docs`, `/llms.txt` and `/llms-full.txt`: files that are built and compressed with the program, or
 * in the repository by the first request for one (packages/site/scripts/build.ts). None is kept in memory: their list
 * is read with the first request, and a file when it is requested. A name is the hash of the content, so it is its
 * ETag, too.
 */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import path from "node:path"
import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import { Effect, Fiber, type Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { programFolder } from "../../platform/runtime/Vitals.ts"
import { documentPages, pathOf } from "../edge/routes.ts"
import { encodingFor, hasTag } from "../edge/staticContent.ts"

const dist = path.join(programFolder, "packages/site/dist")
/** The published program has none. */
const builder = path.join(programFolder, "packages/site/scripts/build.ts")

const File = Schema.Struct({ name: Schema.String, type: Schema.String })
const Manifest = Schema.fromJsonString(Schema.Record(Schema.String, File))
const decodeManifest = Schema.decodeUnknownOption(Manifest)

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'"
].join("; ")

const notBuilt = HttpServerResponse.text(
  "The documents are not built: run `npm run build --workspace @coffer/site`.\n",
  { status: 404 }
)

/** How long a reader waits for them. A browser retries by itself. */
const patience = "5 seconds"
const beingBuilt = HttpServerResponse.text("The documents are being built. Reload in a few seconds.\n", {
  status: 503,
  headers: { "retry-after": "3", refresh: "3", "cache-control": "no-store" }
})

const cachedFor = (address: string, status: number) =>
  status === 404
    ? "no-store"
    : address.startsWith("/docs/assets/")
      ? "public, max-age=31536000, immutable"
      : "public, max-age=300"

const headersOf = (address: string, etag: string, status: number) => ({
  etag,
  vary: "Accept-Encoding",
  "cache-control": cachedFor(address, status),
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
})

/** Ends when they are built, or cannot be. */
const build = (program: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (!existsSync(program)) return resume(Effect.void)
    const child = spawn(process.execPath, [program], { stdio: "ignore" })
    for (const event of ["error", "close"]) child.on(event, () => resume(Effect.void))
    return Effect.sync(() => void child.kill())
  })

/** `program`: builds missing documents into the folder. */
export const layerOf = (folder: string, program = builder): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const read = (name: string) =>
        Effect.promise(() => readFile(path.join(folder, name)).catch((): undefined => undefined))
      // It continues without its reader, and runs only once.
      const scope = yield* Effect.scope
      const begun = yield* Effect.cached(Effect.forkIn(build(program), scope))
      const list = Effect.map(read("manifest.json"), (bytes) => decodeManifest(bytes?.toString()))
      const built = Effect.gen(function* () {
        const found = yield* list
        if (Option.isSome(found)) return found
        const ended = yield* Effect.timeoutOption(Fiber.join(yield* begun), patience)
        return Option.isNone(ended) ? ("building" as const) : yield* list
      })
      let known: Readonly<Record<string, typeof File.Type>> | undefined
      const manifest = Effect.gen(function* () {
        if (known !== undefined) return known
        const found = yield* built
        if (found !== "building") known = Option.getOrElse(found, () => ({}))
        return known
      })
      const bytesOf = Effect.fnUntraced(function* (name: string, encoding: "br" | "gzip" | "identity") {
        const bytes = yield* read(`${name}.${encoding === "br" ? "br" : "gz"}`)
        if (encoding !== "identity" || bytes === undefined) return bytes
        return yield* Effect.promise(() => promisify(gunzip)(bytes))
      })

      const document = Effect.gen(function* () {
        const { headers: sent, url } = yield* HttpServerRequest.HttpServerRequest
        const files = yield* manifest
        if (files === undefined) return beingBuilt
        const address = pathOf(url)
        const [found, status] = Object.hasOwn(files, address) ? [files[address], 200] : [files["/docs/404"], 404]
        if (found === undefined) return notBuilt
        const encoding = encodingFor(sent["accept-encoding"])
        const etag = `"${found.name}-${encoding}"`
        const headers = headersOf(address, etag, status)
        if (status === 200 && hasTag(sent["if-none-match"], etag))
          return HttpServerResponse.empty({ status: 304, headers })
        const bytes = yield* bytesOf(found.name, encoding)
        // The documents were rebuilt since the list was read.
        if (bytes === undefined) return notBuilt
        return HttpServerResponse.uint8Array(bytes, {
          status,
          contentType: found.type,
          headers: encoding === "identity" ? headers : { ...headers, "content-encoding": encoding }
        })
      })
      // The framework's router answers `/docs` by `/docs/*`.
      const paths = documentPages.filter((each) => each !== "/docs")
      yield* Effect.forEach(paths, (each) => router.add("GET", each, document))
    })
  )

export const layer = layerOf(dist)
