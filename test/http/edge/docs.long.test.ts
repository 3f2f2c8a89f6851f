/** `/docs/try` and `/openapi.json` over the wire: small, compressed once, kept by the browser, and under a policy. */
import { get, type IncomingHttpHeaders } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { encodingFor } from "../../../src/door/edge/staticContent.ts"
import { Clients } from "../../../src/shared/http/Clients.ts"
import { insertOrders } from "../../kit/rows/Rows.ts"
import { start } from "../../kit/Service.ts"

interface Got {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** As sent over the wire. */
const fetched = (url: string, headers: Record<string, string> = {}) =>
  Effect.callback<Got>((resume) => {
    get(url, { headers, agent: false }, (response) => {
      const parts: Array<Buffer> = []
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("end", () =>
        resume(Effect.succeed({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(parts) }))
      )
    })
  })

describe("/docs/try", () => {
  it.live("is under 500 kB compressed, the same page in each encoding, and 304 for a client that has it", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* start()
      const plain = yield* fetched(`${baseUrl}/docs/try`)
      const small = yield* fetched(`${baseUrl}/docs/try`, { "accept-encoding": "gzip, deflate, br" })
      const other = yield* fetched(`${baseUrl}/docs/try`, { "accept-encoding": "gzip" })
      assert.isBelow(small.bytes.length, 500_000)
      assert.deepStrictEqual(
        [plain, small, other].map(({ headers }) => headers["content-encoding"]),
        [undefined, "br", "gzip"]
      )
      assert.isTrue(brotliDecompressSync(small.bytes).equals(plain.bytes))
      assert.isTrue(gunzipSync(other.bytes).equals(plain.bytes))
      assert.match(plain.bytes.toString().slice(0, 100), /<html lang="en">/)
      for (const { headers } of [plain, small, other]) {
        assert.strictEqual(headers["vary"], "Accept-Encoding")
        assert.strictEqual(headers["cache-control"], "public, max-age=300")
        assert.match(
          headers["content-security-policy"] as string,
          /script-src( 'sha256-[^ ]+'){2}; .*connect-src 'self'/
        )
        assert.notMatch(headers["content-security-policy"] as string, /https?:/)
      }
      const tags = new Set([plain, small, other].map(({ headers }) => headers["etag"]))
      assert.strictEqual(tags.size, 3, "each encoding has a tag of its own")
      const kept = { "accept-encoding": "br", "if-none-match": `"other", ${small.headers["etag"]}` }
      const again = yield* fetched(`${baseUrl}/docs/try`, kept)
      assert.deepStrictEqual([again.status, again.bytes.length, again.headers["etag"]], [304, 0, small.headers["etag"]])
      assert.strictEqual((yield* fetched(`${baseUrl}/docs/try`, { "if-none-match": '"other"' })).status, 200)
    })
  )

  it.live("is sent from bytes that all clients share, and what one client reads alone is counted", () =>
    Effect.gen(function* () {
      const { baseUrl, context, merchant, sql } = yield* start()
      const { answers } = Context.get(context as Context.Context<Clients>, Clients)
      const { add } = answers
      const held: Array<number> = []
      Object.assign(answers, {
        add: (...given: Parameters<typeof add>) => {
          if (given[1] > 0) held.push(given[1])
          return add(...given)
        }
      })
      for (const path of ["/docs/try", "/openapi.json", "/operator/docs", "/operator/openapi.json"]) {
        for (const encoding of ["br", "gzip", "identity"]) {
          assert.strictEqual((yield* fetched(baseUrl + path, { "accept-encoding": encoding })).status, 200)
        }
      }
      assert.deepStrictEqual(held, [])
      const many = { merchantId: merchant.merchantId, since: 1_767_225_600_000, step: 1_000, count: 100 }
      yield* insertOrders(sql, many, { subject: "repeat('x', 255)" })
      const list = yield* fetched(`${baseUrl}/v1/orders?limit=100`, { "x-api-key": merchant.sandboxKey })
      assert.deepStrictEqual(held, [list.bytes.length])
    })
  )

  it.live("has its document beside it, compressed too", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* start()
      const small = yield* fetched(`${baseUrl}/openapi.json`, { "accept-encoding": "br" })
      assert.isBelow(small.bytes.length, 50_000)
      assert.strictEqual(small.headers["content-type"], "application/json")
      assert.strictEqual(JSON.parse(brotliDecompressSync(small.bytes).toString()).openapi, "3.1.0")
    })
  )

  it.live("has the part of its document that one group or one path needs, and names them all", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* start()
      const read = (query: string) =>
        Effect.map(fetched(`${baseUrl}/openapi.json${query}`), ({ bytes, status }) => ({
          status,
          text: bytes.toString()
        }))
      const whole = yield* read("")
      // About four bytes are a token.
      assert.isBelow(whole.text.length / 4, 95_000)
      const group = yield* read("?group=orders")
      assert.isBelow(group.text.length / 4, 15_000)
      for (const { text } of [whole, group, yield* read("?path=/v1/orders/{ref}")]) {
        const document = JSON.parse(text)
        const names = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)]
        assert.isAbove(names.length, 10)
        for (const [, kind, name] of names) assert.isDefined(document.components[kind!][name!], name)
      }
      assert.isTrue(Object.keys(JSON.parse(group.text).paths).every((path) => path.startsWith("/v1/orders")))
      const none = yield* read("?group=none")
      assert.strictEqual(none.status, 404)
      assert.include(none.text, "payment_links")
      assert.strictEqual((yield* read("?path=/v1/none")).status, 404)
    })
  )

  it.live("has the operators' reference beside it", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* start()
      const page = yield* fetched(`${baseUrl}/operator/docs`)
      assert.strictEqual(page.status, 200)
      assert.match(
        page.headers["content-security-policy"] as string,
        /script-src( 'sha256-[^ ]+'){2}; .*connect-src 'self'/
      )
      const document = JSON.parse((yield* fetched(`${baseUrl}/operator/openapi.json`)).bytes.toString())
      assert.strictEqual(document.info.title, "Coffer for operators")
      assert.isTrue(Object.keys(document.paths).every((path) => path.startsWith("/operator/v1/")))
    })
  )

  for (const [accepted, encoding] of [
    [undefined, "identity"],
    ["", "identity"],
    ["br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["GZIP", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["br;q=0.0, *", "gzip"],
    ["*", "br"],
    ["identity", "identity"],
    ["*;q=0", "identity"],
    ["brotli", "identity"]
  ] as const) {
    it(`goes to a client that takes ${String(accepted)} as ${encoding}`, () => {
      assert.strictEqual(encodingFor(accepted), encoding)
    })
  }
})

describe("a page for buyers", () => {
  it.live("is compressed for a browser that takes gzip, and says that it depends on that", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* start()
      const created = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100 })
      const url = created.body.data.checkout_url
      const plain = yield* fetched(url)
      const small = yield* fetched(url, { "accept-encoding": "gzip, deflate, br" })
      assert.deepStrictEqual(
        [plain.headers["content-encoding"], small.headers["content-encoding"]],
        [undefined, "gzip"]
      )
      for (const { headers } of [plain, small]) assert.strictEqual(headers["vary"], "Accept-Language, Accept-Encoding")
      assert.isBelow(small.bytes.length * 2, plain.bytes.length)
      assert.match(gunzipSync(small.bytes).toString(), /<html lang="en"/)
      const csp = "content-security-policy"
      assert.strictEqual(small.headers[csp], plain.headers[csp])
      const none = yield* fetched(`${new URL(url).origin}/checkout/nothing`, { "accept-encoding": "gzip" })
      assert.strictEqual(none.status, 404)
    })
  )
})
