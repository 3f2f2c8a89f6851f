/** Answers to the console's reads on the wire: compressed, and named so that nothing is sent twice (0245). */
import { request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { headersOf, invite, signIn } from "../../kit/callers/console.ts"
import { merchantOf, said } from "../../kit/Merchant.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { start } from "../../kit/Service.ts"

interface Sent {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Buffer
}

/** As it is on the wire: `fetch` would unpack it. */
const send = (url: string, headers: Record<string, string>, method = "GET") =>
  Effect.promise(
    () =>
      new Promise<Sent>((resolve, reject) => {
        const sent = request(url, { method, headers }, (answer) => {
          const chunks: Array<Buffer> = []
          answer.on("data", (chunk: Buffer) => chunks.push(chunk))
          answer.on("end", () =>
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) })
          )
        })
        sent.on("error", reject)
        sent.end()
      })
  )

const begin = Effect.gen(function* () {
  const mails = yield* mailServer()
  const running = yield* start({ env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" } })
  const { api, merchant } = running
  const { merchantId } = merchant
  yield* invite(api, mails, { email: "owner@shop.example", role: "owner", merchant_id: merchantId })
  const session = headersOf(yield* signIn(api, mails, "owner@shop.example"))
  const account = `${api.url}/console/api/accounts/${merchantId}/sandbox`
  const read = (path: string, headers: Record<string, string> = {}, method?: string) =>
    send(path.startsWith("http") ? path : account + path, { ...session, ...headers }, method)
  const { post } = merchantOf(running)
  const create = said(post("/v1/orders", { amount: 1_999, subject: "Two books" }))
  return { ...running, read, create }
})

const all = { "Accept-Encoding": "gzip, deflate, br" }
const dataIn = (text: Buffer) => JSON.parse(text.toString()).data as unknown

describe("reads of the console", () => {
  it.live("are compressed as the client takes it, and unpack to the same", () =>
    Effect.gen(function* () {
      const { create, read } = yield* begin
      yield* Effect.replicateEffect(create, 5, { discard: true })
      const plain = yield* read("/orders")
      assert.isUndefined(plain.headers["content-encoding"])
      assert.strictEqual(plain.headers["cache-control"], "no-store")
      const packed = yield* read("/orders", all)
      assert.strictEqual(packed.headers["content-encoding"], "br")
      assert.isBelow(packed.body.length, plain.body.length / 3)
      assert.deepStrictEqual(dataIn(brotliDecompressSync(packed.body)), dataIn(plain.body))
      const gzipped = yield* read("/orders", { "Accept-Encoding": "gzip" })
      assert.deepStrictEqual(dataIn(gunzipSync(gzipped.body)), dataIn(plain.body))
      for (const { headers } of [plain, packed, gzipped]) assert.strictEqual(headers["vary"], "Accept-Encoding")
    })
  )

  it.live("are 304 without a body while nothing has changed, and 200 after a change", () =>
    Effect.gen(function* () {
      const { create, read } = yield* begin
      yield* create
      const first = yield* read("/orders", all)
      const known = { ...all, "If-None-Match": String(first.headers["etag"]) }
      assert.match(known["If-None-Match"], /^W\/"[\w-]{22}"$/)
      const same = yield* read("/orders", known)
      assert.strictEqual(same.status, 304)
      assert.strictEqual(same.body.length, 0)
      assert.strictEqual(same.headers["etag"], first.headers["etag"])
      assert.strictEqual(same.headers["cache-control"], "no-store")
      assert.isUndefined(same.headers["content-length"])
      const head = yield* read("/orders", {}, "HEAD")
      assert.strictEqual(head.headers["etag"], first.headers["etag"])
      yield* create
      const changed = yield* read("/orders", known)
      assert.strictEqual(changed.status, 200)
      assert.notStrictEqual(changed.headers["etag"], first.headers["etag"])
    })
  )

  it.live("do it for no call with a key, no secret, no refusal and no file", () =>
    Effect.gen(function* () {
      const { api, create, merchant, read } = yield* begin
      yield* Effect.replicateEffect(create, 10, { discard: true })
      const others = {
        key: yield* send(`${api.url}/v1/orders`, { ...all, "X-Api-Key": merchant.sandboxKey }),
        secret: yield* read("/webhook_signing_secret", all),
        refusal: yield* read("/orders/TRD_nothing", all),
        file: yield* read("/orders?format=csv", all)
      }
      const found = Object.entries(others).map(([name, { headers, status }]) => [
        name,
        status,
        headers["etag"] ?? headers["content-encoding"]
      ])
      assert.deepStrictEqual(found, [
        ["key", 200, undefined],
        ["secret", 200, undefined],
        ["refusal", 404, undefined],
        ["file", 200, undefined]
      ])
    })
  )

  it.live("tell nobody without a session whether an answer is the same", () =>
    Effect.gen(function* () {
      const { api, create, merchant, read } = yield* begin
      yield* create
      const { headers } = yield* read("/orders")
      const url = `${api.url}/console/api/accounts/${merchant.merchantId}/sandbox/orders`
      const stranger = yield* send(url, { "Coffer-Console": "1", "If-None-Match": String(headers["etag"]) })
      assert.strictEqual(stranger.status, 401)
    })
  )
})
