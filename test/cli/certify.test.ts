/**
 * `coffer webhooks certify` distinguishes a good receiver from bad ones, each with one fault, and says how to fix it.
 */
import { createHmac } from "node:crypto"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { checks } from "@coffer/cli/certifyChecks"
import { webhooks } from "@coffer/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type } from "../kit/callers/cli.ts"
import { freePort } from "../kit/Service.ts"

const secret = "whsec_6mLxQ0PZzqk3c5m3dJbq0H0y5oQw1YJpYF5R7xkq0yE="

interface Shop {
  readonly seen: Set<string>
  readonly paid: Set<string>
  readonly times: Map<string, number>
  readonly busy: { id: string; meets?: () => void }
}

/** Fails when the request is not to be believed; what it gives is the status. */
type Handler = (raw: string, headers: IncomingHttpHeaders, shop: Shop) => Promise<number>

const good: Handler = async (raw, headers, shop) => {
  const event = await webhooks.verify(raw, headers, secret)
  shop.seen.add(event.id)
  return 200
}

const macOf = (t: string, raw: string) => createHmac("sha256", secret).update(`${t}.${raw}`).digest("hex")
const signatureOf = (headers: IncomingHttpHeaders) => String(headers["x-service-signature"])
const timeIn = (header: string) => /t=(\d+)/.exec(header)?.[1] ?? ""

/** One fault each. */
const bad: Readonly<Record<string, readonly [check: string, grade: string, exitCode: number, handler: Handler]>> = {
  "believes any sender with the right headers": [
    "rejects a wrong signature",
    "F",
    5,
    async (_, headers) => (Math.abs(Date.now() / 1_000 - Number(timeIn(signatureOf(headers)) || 0)) > 300 ? 400 : 200)
  ],
  "takes what is not signed at all": [
    "rejects a missing signature",
    "F",
    5,
    async (raw, headers, shop) => (headers["x-service-signature"] === undefined ? 200 : good(raw, headers, shop))
  ],
  "never looks at the time": [
    "rejects an old timestamp",
    "F",
    5,
    async (raw, headers) => {
      const signature = signatureOf(headers)
      return signature.includes(macOf(timeIn(signature), raw)) ? 200 : 400
    }
  ],
  "looks at the first signature alone": [
    "accepts a second signature",
    "C",
    4,
    async (raw, headers, shop) => {
      const [, first] = /v1=([0-9a-f]+)/.exec(signatureOf(headers)) ?? []
      return first === macOf(timeIn(signatureOf(headers)), raw) ? good(raw, headers, shop) : 400
    }
  ],
  "fails on an event that it has already": [
    "accepts a duplicate event",
    "C",
    4,
    async (raw, headers, shop) => {
      const { id } = await webhooks.verify(raw, headers, secret)
      if (shop.seen.has(id)) return 500
      shop.seen.add(id)
      return 200
    }
  ],
  "fails on an event that it is just handling": [
    "accepts a duplicate event",
    "C",
    4,
    async (raw, headers, shop) => {
      const { id } = await webhooks.verify(raw, headers, secret)
      if (shop.busy.id === id) {
        shop.busy.meets?.()
        return 500
      }
      // The first event after one that came three times is the one that comes twice at once.
      const times = (shop.times.get(id) ?? 0) + 1
      const isNext = times === 1 && [...shop.times.values()].includes(3) && shop.busy.id === ""
      shop.times.set(id, times)
      if (!isNext) return 200
      shop.busy.id = id
      await new Promise<void>((resolve) => (shop.busy.meets = resolve))
      return 200
    }
  ],
  "waits for the payment before a refund": [
    "accepts events in any order",
    "C",
    4,
    async (raw, headers, shop) => {
      const event = await webhooks.verify(raw, headers, secret)
      const tradeNo = (event.data.object as { readonly trade_no: string }).trade_no
      if (event.type === "payment.succeeded") shop.paid.add(tradeNo)
      return event.type.startsWith("refund") && !shop.paid.has(tradeNo) ? 409 : 200
    }
  ],
  "verifies JSON that it has written again": [
    "verifies the raw body",
    "C",
    4,
    (raw, headers, shop) => good(JSON.stringify(JSON.parse(raw)), headers, shop)
  ],
  "knows all types there will ever be": [
    "accepts an unknown event type",
    "B",
    3,
    async (raw, headers, shop) => {
      const { type } = await webhooks.verify(raw, headers, secret)
      return /succeeded|failed|expired|dispute/.test(type) ? good(raw, headers, shop) : 422
    }
  ],
  "takes 100 kB at most": [
    "accepts a large body",
    "B",
    3,
    (raw, headers, shop) => (raw.length > 102_400 ? Promise.resolve(413) : good(raw, headers, shop))
  ]
}

const serve = (handler: Handler, isHasty = false) =>
  Effect.gen(function* () {
    const shop: Shop = { seen: new Set(), paid: new Set(), times: new Map(), busy: { id: "" } }
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      const answer = async () => {
        const raw = Buffer.concat(chunks).toString("utf8")
        const status = await handler(raw, request.headers, shop).catch(() => 400)
        if (!response.headersSent) response.writeHead(status).end()
      }
      request.on("data", (chunk: Buffer) => {
        chunks.push(chunk)
        // Takes what came first for all of it.
        if (isHasty && Number(request.headers["content-length"]) < 10_000) void answer()
      })
      request.on("end", () => void answer())
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    )
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  })

const certify = (url: string, ...words: ReadonlyArray<string>) =>
  type(["webhooks", "certify", url, ...words], { COFFER_WEBHOOK_SECRET: secret })

const faultsIn = (stdout: string): ReadonlyArray<string> =>
  JSON.parse(stdout).checks.flatMap((check: any) => (check.ok ? [] : [check.name]))

describe("coffer webhooks certify", () => {
  it.live("gives a good receiver an A, and says what was checked", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* certify(yield* serve(good))
      assert.deepStrictEqual([code, stderr], [0, ""])
      for (const { name } of checks) assert.include(stdout, `ok    ${name}\n`)
      assert.match(stdout, /Grade A/)
    }).pipe(Effect.scoped)
  )

  it.live("tells one that takes a secret of the other family of headers alone as good as well", () =>
    Effect.gen(function* () {
      const standard: Handler = (raw, { "x-service-signature": _, ...rest }, shop) => good(raw, rest, shop)
      assert.strictEqual((yield* certify(yield* serve(standard))).code, 0)
    }).pipe(Effect.scoped)
  )

  for (const [what, [name, grade, exitCode, handler]] of Object.entries(bad)) {
    it.live(`finds the fault of one that ${what}, and no other`, () =>
      Effect.gen(function* () {
        const { code, stdout } = yield* certify(yield* serve(handler), "--json")
        const told = JSON.parse(stdout)
        assert.deepStrictEqual([faultsIn(stdout), told.grade, code], [[name], grade, exitCode])
        const { fault, fix, seen } = told.checks.find((check: any) => !check.ok)
        for (const text of [fault, fix, seen]) assert.isNotEmpty(text)
      }).pipe(Effect.scoped)
    )
  }

  it.live("finds the fault of one that does not wait for all of a body", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* certify(yield* serve(good, true), "--json")
      assert.deepStrictEqual([faultsIn(stdout), code], [["accepts a slow body"], 3])
    }).pipe(Effect.scoped)
  )

  it.live("judges nothing else of one that takes no event, and says where to look", () =>
    Effect.gen(function* () {
      const other = yield* serve(() => Promise.resolve(404))
      const { code, stdout } = yield* certify(other)
      assert.strictEqual(code, 4)
      assert.match(stdout, /fault accepts an event[\s\S]*404[\s\S]*Fix: use this secret/)
      assert.notInclude(stdout, "ok ")
      assert.notInclude(stdout, secret)
    }).pipe(Effect.scoped)
  )

  it.live("gives nobody a grade: it says that nothing listens there, at an address with or without its scheme", () =>
    Effect.gen(function* () {
      const address = `127.0.0.1:${yield* freePort}/hook`
      for (const url of [address, `http://${address}`]) {
        const { code, stderr, stdout } = yield* certify(url)
        assert.deepStrictEqual([code, stdout], [1, ""])
        assert.include(stderr, `Nothing listens at http://${address}`)
        assert.match(stderr, /Next: start your receiver/)
      }
    })
  )

  it.live("refuses to start without a secret, with an invalid one, or without an address", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
        [["http://127.0.0.1:1/"], /No signing secret was given[\s\S]*COFFER_WEBHOOK_SECRET/],
        [["http://127.0.0.1:1/", "--secret", "abc"], /whsec_/],
        [["ftp://127.0.0.1:1"], /is not a valid URL/]
      ]
      for (const [words, message] of cases) {
        const { code, stderr } = yield* type(["webhooks", "certify", ...words], {})
        assert.strictEqual(code, 2)
        assert.match(stderr, message)
      }
    })
  )
})
