/** The documents over the wire: pages, their Markdown, the texts for machines, and who may cache them. */
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { get, type IncomingHttpHeaders } from "node:http"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { layerOf } from "../../../src/door/documents/Documents.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/documents") {}

/** As sent over the wire. */
const fetched = (path: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(Service, ({ baseUrl }) =>
    Effect.callback<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer }>((resume) => {
      get(baseUrl + path, { headers, agent: false }, (response) => {
        const parts: Array<Buffer> = []
        response.on("data", (part: Buffer) => parts.push(part))
        response.on("end", () =>
          resume(
            Effect.succeed({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(parts) })
          )
        )
      })
    })
  )

layer(Layer.effect(Service, start()), { excludeTestServices: true })("the documents", (it) => {
  it.effect("are pages without an inline script or style, under a policy that allows none", () =>
    Effect.gen(function* () {
      for (const path of ["/docs", "/docs/settings", "/docs/errors/conflict", "/docs/reference/orders"]) {
        const { bytes, headers, status } = yield* fetched(path)
        assert.strictEqual(status, 200, path)
        assert.strictEqual(headers["content-type"], "text/html; charset=utf-8")
        assert.include(headers["content-security-policy"] as string, "script-src 'self'; style-src 'self'")
        assert.notMatch(headers["content-security-policy"] as string, /unsafe|https?:/)
        const text = bytes.toString()
        assert.notMatch(text, /<style|<script(?![^>]* src=)| style=| on[a-z]+=/)
        assert.notMatch(text, /(src|href)="(https?:)?\/\/[^"]*\.(js|css|woff2?|png)"/)
      }
    })
  )

  it.effect("are the same in each encoding, and 304 for a client that has them", () =>
    Effect.gen(function* () {
      const plain = yield* fetched("/docs/settings")
      const small = yield* fetched("/docs/settings", { "accept-encoding": "br" })
      const other = yield* fetched("/docs/settings", { "accept-encoding": "gzip" })
      assert.isTrue(brotliDecompressSync(small.bytes).equals(plain.bytes))
      assert.isTrue(gunzipSync(other.bytes).equals(plain.bytes))
      const tags = [plain, small, other].map(({ headers }) => headers.etag!)
      assert.lengthOf([...new Set(tags)], 3)
      const again = yield* fetched("/docs/settings", { "accept-encoding": "br", "if-none-match": tags[1]! })
      assert.deepStrictEqual([again.status, again.bytes.length], [304, 0])
    })
  )

  it.effect("are Markdown at the same address with .md, and are listed for machines", () =>
    Effect.gen(function* () {
      const page = yield* fetched("/docs/errors/conflict.md")
      assert.strictEqual(page.headers["content-type"], "text/markdown; charset=utf-8")
      assert.match(page.bytes.toString(), /^# conflict\n/)
      const first = yield* fetched("/docs.md")
      assert.deepStrictEqual([first.status, first.headers["content-type"]], [200, "text/markdown; charset=utf-8"])
      assert.isTrue(first.bytes.equals((yield* fetched("/docs/index.md")).bytes))
      const list = (yield* fetched("/llms.txt")).bytes.toString()
      // What an agent needs before its first call, and last what only operators read.
      for (const word of ["`/v1`", "X-Api-Key", "svc_test_", "`/console`", "/docs/sdk.md", "`/mcp`", "?group="]) {
        assert.include(list.slice(0, list.indexOf("\n## ")), word)
      }
      assert.isAbove(list.indexOf("/docs/settings.md"), list.indexOf("## Optional"))
      const links = [...list.matchAll(/\]\((\/[^)]+)\)/g)].map(([, link]) => link!)
      assert.isAbove(links.length, 30)
      for (const link of links) assert.strictEqual((yield* fetched(link)).status, 200, link)
      assert.strictEqual((yield* fetched("/llms-full.txt")).status, 200)
    })
  )

  it.effect("have assets that a browser keeps, and a page of their own for an address without one", () =>
    Effect.gen(function* () {
      const text = (yield* fetched("/docs")).bytes.toString()
      const assets = [...text.matchAll(/"(\/docs\/assets\/[^"]+)"/g)].map(([, address]) => address!)
      assert.isAbove(assets.length, 3)
      for (const address of assets) {
        const { headers, status } = yield* fetched(address)
        assert.deepStrictEqual([status, headers["cache-control"]], [200, "public, max-age=31536000, immutable"])
      }
      for (const path of ["/docs/none", "/docs/assets/none.js", "/docs/__proto__", "/docs/..%2f..%2fpackage.json"]) {
        const { bytes, headers, status } = yield* fetched(path)
        assert.deepStrictEqual([status, headers["cache-control"]], [404, "no-store"], path)
        assert.include(bytes.toString(), "Not here")
      }
    })
  )
})

describe("documents that are not built", () => {
  const folder = Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-documents-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const asking = Effect.fnUntraced(function* (at: string, program: string) {
    const app = yield* HttpRouter.toHttpEffect(layerOf(at, program))
    const request = HttpServerRequest.fromWeb(new Request("http://localhost/docs"))
    return Effect.flatMap(Effect.provideService(app, HttpServerRequest.HttpServerRequest, request), (response) =>
      Effect.promise(async () => {
        const { headers, status } = HttpServerResponse.toWeb(response)
        return [status, headers.get("content-type")?.split(";")[0]]
      })
    )
  })

  it.live("are built by the first request for one, once, however many ask meanwhile", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const program = path.join(at, "build.ts")
      const manifest = JSON.stringify({ "/docs": { name: "page", type: "text/html; charset=utf-8" } })
      writeFileSync(
        program,
        `import { appendFileSync, writeFileSync } from "node:fs"
        import { gzipSync } from "node:zlib"
        appendFileSync(${JSON.stringify(path.join(at, "times"))}, "1")
        writeFileSync(${JSON.stringify(path.join(at, "page.gz"))}, gzipSync("<p>A page</p>"))
        writeFileSync(${JSON.stringify(path.join(at, "manifest.json"))}, ${JSON.stringify(manifest)})`
      )
      const ask = yield* asking(at, program)
      const answers = yield* Effect.all([ask, ask, ask], { concurrency: "unbounded" })
      for (const answer of answers) assert.deepStrictEqual(answer, [200, "text/html"])
      assert.strictEqual(readFileSync(path.join(at, "times"), "utf8"), "1")
    }).pipe(Effect.scoped)
  )

  it.effect("and take long are waited for some seconds; then a browser has to retry", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const program = path.join(at, "build.ts")
      writeFileSync(program, "setInterval(() => {}, 1000)")
      const ask = yield* asking(at, program)
      const waiting = yield* Effect.forkScoped(ask)
      while (waiting.pollUnsafe() === undefined) {
        yield* TestClock.adjust("5 seconds")
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      assert.deepStrictEqual(yield* Fiber.join(waiting), [503, "text/plain"])
    }).pipe(Effect.scoped)
  )

  it.live("and cannot be, as without the packages of developers, are 404 with the command that builds them", () =>
    Effect.gen(function* () {
      const at = yield* folder
      assert.deepStrictEqual(yield* yield* asking(at, path.join(at, "none.ts")), [404, "text/plain"])
    }).pipe(Effect.scoped)
  )
})
