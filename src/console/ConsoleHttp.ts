/**
 * The console's page and its files, which `npm ci` has built (packages/console/scripts/build.ts). Each address of the
 * console is the same page, whose script reads the address. A file has its hash in its name, so a browser keeps it.
 */
import { readdir, readFile } from "node:fs/promises"
import path from "node:path"
import { Effect, type Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { consoleAssets, consolePages } from "../edge/routes.ts"
import { serveStatic, type StaticContent } from "../edge/staticContent.ts"

const dist = path.resolve(import.meta.dirname, "../../packages/console/dist")

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'"
].join("; ")

const typeOf = (name: string) => (name.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8")

const file = (name: string): Effect.Effect<StaticContent> =>
  Effect.map(
    Effect.promise(() => readFile(path.join(dist, name), "utf8")),
    (text) => ({
      text,
      contentType: typeOf(name),
      headers: { "cache-control": "public, max-age=31536000, immutable" }
    })
  )

const page: Effect.Effect<StaticContent> = Effect.map(
  Effect.promise(() => readFile(path.join(dist, "index.html"), "utf8")),
  (text) => ({
    text,
    contentType: "text/html; charset=utf-8",
    headers: {
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
      "cache-control": "no-cache"
    }
  })
)

const notBuilt = HttpServerResponse.text(
  "The console is not built: run `npm run prepare --workspace @coffer/console`.\n",
  {
    status: 404
  }
)

export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter> = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const names = yield* Effect.promise(() => readdir(dist).catch((): Array<string> => []))
    const files = new Map<string, Effect.Success<ReturnType<typeof serveStatic>>>()
    for (const name of names) if (/\.(js|css)$/.test(name)) files.set(name, yield* serveStatic(file(name)))
    const shown = names.includes("index.html") ? yield* serveStatic(page) : Effect.succeed(notBuilt)

    const asset = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
      const name = /\/assets\/([^/?#]+)/.exec(url)?.[1] ?? ""
      return files.get(name) ?? Effect.succeed(HttpServerResponse.empty({ status: 404 }))
    })
    yield* router.add("GET", consoleAssets, asset)
    yield* Effect.forEach(consolePages, (each) => router.add("GET", each, shown))
  })
)
