/**
 * The console's pages and their files, which `npm ci` has built and compressed (packages/console/scripts/build.ts).
 * Every page has the same script, which reads the address; they differ in the files that they load ahead. A file has
 * its hash in its name, so a browser caches it.
 */
import { readdir, readFile } from "node:fs/promises"
import path from "node:path"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { consoleAssets, consolePages } from "../edge/routes.ts"
import { serveStatic, type StaticContent } from "../edge/staticContent.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { programFolder } from "../../platform/runtime/Vitals.ts"
import { placeElsewhere } from "./otherName.ts"

const dist = path.join(programFolder, "packages/console/dist")

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  // The preview of the checkout.
  "frame-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'"
].join("; ")

const typeOf = (name: string) => (name.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8")

const fileOf = (name: string, text: string, brotli: Uint8Array | undefined): StaticContent => ({
  text,
  brotli,
  contentType: typeOf(name),
  headers: { "cache-control": "public, max-age=31536000, immutable" }
})

const pageOf = (text: string): StaticContent => ({
  text,
  contentType: "text/html; charset=utf-8",
  headers: {
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cache-control": "no-cache"
  }
})

const notBuilt = HttpServerResponse.text(
  "The console is not built: run `npm run prepare --workspace @coffer/console`.\n",
  {
    status: 404
  }
)

/**
 * All files by their names, read once: a rebuild of the console meanwhile removes none of them. A browser that asks for
 * a file of another build gets 404, and its page offers a reload.
 */
const filesIn = Effect.fnUntraced(function* (folder: string) {
  const names = yield* Effect.promise(() => readdir(folder).catch((): Array<string> => []))
  const read = (name: string) =>
    Effect.promise(() => readFile(path.join(folder, name)).catch((): undefined => undefined))
  const contents = yield* Effect.forEach(names, read, { concurrency: 8 })
  return new Map(
    names.flatMap((name, index) => (contents[index] === undefined ? [] : [[name, contents[index]] as const]))
  )
})

/**
 * The page of an address: `merchant-orders-one.html` for an order. Each is the same page, and names the files that its
 * address needs (`packages/console/src/parts/pages.ts`).
 */
const fileAt = (url: string): string => {
  const [, , area = "", ...parts] = url.replace(/[?#].*/s, "").split("/")
  const [first, ...rest] = (area === "operator" ? parts : parts.slice(1)).filter((part) => part !== "")
  const name = [
    area === "operator" ? area : "merchant",
    ...(first === undefined ? [] : [first]),
    ...rest.map(() => "one")
  ]
  return area === "" ? "index.html" : `${name.join("-")}.html`
}

export const layerOf = (folder: string, publicUrl?: string): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const contents = yield* filesIn(folder)
      const files = new Map<string, Effect.Success<ReturnType<typeof serveStatic>>>()
      for (const [name, content] of contents) {
        if (!/\.(js|css)$/.test(name)) continue
        const file = fileOf(name, content.toString(), contents.get(`${name}.br`))
        files.set(name, yield* serveStatic(Effect.succeed(file)))
      }
      const pages = new Map<string, Effect.Success<ReturnType<typeof serveStatic>>>()
      for (const [name, content] of contents) {
        if (name.endsWith(".html")) pages.set(name, yield* serveStatic(Effect.succeed(pageOf(content.toString()))))
      }
      const shownAt = (url: string) => pages.get(fileAt(url)) ?? pages.get("index.html") ?? Effect.succeed(notBuilt)

      const asset = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ url }) => {
        const name = /\/assets\/([^/?#]+)/.exec(url)?.[1] ?? ""
        return files.get(name) ?? Effect.succeed(HttpServerResponse.empty({ status: 404 }))
      })
      yield* router.add("GET", consoleAssets, asset)
      const page = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, url }) => {
        const target = publicUrl === undefined ? undefined : placeElsewhere(publicUrl, headers["host"], url)
        return target === undefined ? shownAt(url) : Effect.succeed(HttpServerResponse.redirect(target))
      })
      yield* Effect.forEach(consolePages, (each) => router.add("GET", each, page))
    })
  )

export const layer = Layer.unwrap(Effect.map(Settings, ({ publicUrl }) => layerOf(dist, publicUrl)))
