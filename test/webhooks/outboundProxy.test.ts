/**
 * Deliveries through the operator's proxy (silences: W21): what it is asked to do, and who is charged for failures. The
 * proxy and its targets are real servers on loopback.
 */
import net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Queue } from "effect"
import { TestClock } from "effect/testing"
import type { NotDeliveredReason } from "../../src/webhooks/deliveries/egressProxy.ts"
import type { Outcome } from "../../src/webhooks/deliveries/Outbound.ts"
import { password, proxyAt, proxying } from "./proxy.ts"
import { answering, posting, reasonOf, run, stub } from "./receiver.ts"
import { secure, trusting } from "./secureReceiver.ts"

const answered = (snippet: string) => ({ _tag: "Answered" as const, status: 200, snippet })
const failed = (reason: NotDeliveredReason, detail: string): Outcome => ({ _tag: "NotDelivered", reason, detail })
const local = stub(["127.0.0.1"])
const authorization = `Basic ${Buffer.from(`coffer:${password}`).toString("base64")}`
const named = "https://merchant.example/"
const another = "https://another.example/"

/** An https server of the name that every test posts to. */
const shop = Effect.fnUntraced(function* () {
  const server = yield* secure((request, response) => response.end(request.url))
  yield* trusting(server.cert)
  return { ...server, url: `https://merchant.example:${server.port}/` }
})

describe("outbound through a proxy: the requests it receives", () => {
  it.effect("https: a tunnel to the address that was checked, and the name in TLS alone", () =>
    Effect.gen(function* () {
      const server = yield* shop()
      const proxy = yield* proxying()
      const resolver = stub(["127.0.0.1"], ["10.0.0.1"])
      const post = yield* posting({ ...resolver, proxy: proxy.url })
      assert.deepStrictEqual(yield* post({ url: `${server.url}a` }), answered("/a"))
      const host = `127.0.0.1:${server.port}`
      assert.deepStrictEqual(proxy.asked, [{ method: "CONNECT", target: host, host, authorization }])
      assert.deepStrictEqual(server.names, ["merchant.example"])
      assert.deepStrictEqual(resolver.asked, ["merchant.example"])
    })
  )

  it.effect("https: the certificate has to be that of the name, as without a proxy", () =>
    Effect.gen(function* () {
      const server = yield* shop()
      const post = yield* posting({ ...local, proxy: (yield* proxying()).url })
      const outcome = yield* post({ url: server.url.replace("merchant", "other") })
      assert.deepStrictEqual(outcome, failed("tls", "ERR_TLS_CERT_ALTNAME_INVALID"))
    })
  )

  it.effect("http: the absolute form with the address that was checked, and the name in Host", () =>
    Effect.gen(function* () {
      const server = yield* answering((request, response) => response.end(request.headers.host))
      const proxy = yield* proxying()
      const post = yield* posting({ ...local, proxy: proxy.url })
      const host = `merchant.example:${server.port}`
      assert.deepStrictEqual(yield* post({ url: `http://${host}/a?b` }), answered(host))
      const target = `http://127.0.0.1:${server.port}/a?b`
      assert.deepStrictEqual(proxy.asked, [{ method: "POST", target, host, authorization }])
    })
  )

  it.effect("nothing, where the address is not public", () =>
    Effect.gen(function* () {
      const proxy = yield* proxying()
      const post = yield* posting({ ...local, proxy: proxy.url })
      assert.strictEqual(reasonOf(yield* post({ url: named, privateAllowed: false })), "refused_address")
      const http = { url: named.replace("https", "http"), httpAllowed: true, privateAllowed: false }
      assert.strictEqual(reasonOf(yield* post(http)), "refused_address")
      assert.strictEqual(proxy.connections(), 0)
    })
  )

  it.effect("the next address when it works and cannot reach the first, IPv4 before IPv6", () =>
    Effect.gen(function* () {
      const server = yield* shop()
      const refuse = (target: string) => (target === `127.0.0.1:${server.port}` ? undefined : 502)
      const proxy = yield* proxying(refuse)
      const { resolve } = stub(["127.0.0.1"], ["::1", "127.0.0.9", "127.0.0.1"])
      const post = yield* posting({ resolve, proxy: proxy.url })
      yield* post({ url: server.url })
      assert.deepStrictEqual(yield* post({ url: `${server.url}next` }), answered("/next"))
      assert.deepStrictEqual(
        proxy.asked.map(({ target }) => target),
        ["127.0.0.1", "127.0.0.9", "127.0.0.1"].map((address) => `${address}:${server.port}`)
      )
    })
  )

  it.effect("one tunnel for posts that follow each other", () =>
    Effect.gen(function* () {
      const server = yield* shop()
      const proxy = yield* proxying()
      const post = yield* posting({ ...local, proxy: proxy.url })
      for (const path of ["a", "b", "c"]) {
        assert.deepStrictEqual(yield* post({ url: server.url + path }), answered(`/${path}`))
      }
      assert.deepStrictEqual([proxy.asked.length, server.connections()], [1, 1])
    })
  )
})

describe("outbound through a proxy: what is the proxy's own failure", () => {
  for (const url of [named, "http://merchant.example/"]) {
    it.effect(`${url}: the port of the proxy is closed`, () =>
      Effect.gen(function* () {
        const { port } = yield* Effect.scoped(answering(() => undefined))
        const post = yield* posting({ ...local, proxy: proxyAt(port) })
        assert.deepStrictEqual(yield* post({ url }), failed("proxy", "ECONNREFUSED"))
      })
    )

    it.effect(`${url}: it does not know us (407)`, () =>
      Effect.gen(function* () {
        const post = yield* posting({ ...local, proxy: (yield* proxying(() => 407)).url })
        const outcome = yield* post({ url })
        assert.strictEqual(reasonOf(outcome), "proxy")
        assert.include(JSON.stringify(outcome), "407")
      })
    )
  }

  for (const status of [400, 405, 429]) {
    it.effect(`it answers CONNECT with ${status}`, () =>
      Effect.gen(function* () {
        const post = yield* posting({ ...local, proxy: (yield* proxying(() => status)).url })
        const outcome = yield* post({ url: named })
        assert.deepStrictEqual(outcome, failed("proxy", `the proxy returned ${status} to CONNECT`))
      })
    )
  }

  for (const status of [500, 502, 503, 504]) {
    it.effect(`it answers CONNECT with ${status} for two hosts, and nothing shows that it works`, () =>
      Effect.gen(function* () {
        const post = yield* posting({
          ...local,
          proxy: (yield* proxying(() => status)).url
        })
        const detail = `the proxy returned ${status} to CONNECT`
        assert.deepStrictEqual(yield* post({ url: named }), failed("connect", detail))
        yield* TestClock.adjust("9 minutes")
        assert.deepStrictEqual(yield* post({ url: another }), failed("proxy", detail))
        assert.deepStrictEqual(yield* post({ url: named }), failed("proxy", detail))
      })
    )
  }

  for (const [what, talk] of [
    ["hangs up", (socket: net.Socket) => socket.destroy()],
    ["does not speak HTTP", (socket: net.Socket) => socket.end("SSH-2.0-OpenSSH\r\n")],
    ["speaks before it is spoken to", (socket: net.Socket) => socket.write("HTTP/1.1 200 OK\r\n\r\nhello")]
  ] as const) {
    it.effect(`it ${what}`, () =>
      Effect.gen(function* () {
        const server = yield* run(net.createServer((socket) => socket.once("data", () => talk(socket))))
        const post = yield* posting({ ...local, proxy: proxyAt(server.port) })
        assert.strictEqual(reasonOf(yield* post({ url: named })), "proxy")
      })
    )
  }

  it.effect("it does not answer CONNECT within 10 seconds for two hosts; the connection to it is closed then", () =>
    Effect.gen(function* () {
      const arrived = yield* Queue.make<void>()
      const proxy = yield* proxying(() => {
        Queue.offerUnsafe(arrived, undefined)
        return "hang"
      })
      const post = yield* posting({ ...local, proxy: proxy.url })
      for (const [url, reason] of [
        [named, "timeout"],
        [another, "proxy"]
      ] as const) {
        const fiber = yield* Effect.forkChild(post({ url }))
        yield* Queue.take(arrived)
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(yield* Fiber.join(fiber), failed(reason, "no response within 10 seconds"))
      }
      yield* proxy.closed
    })
  )
})

describe("outbound through a proxy: what is the destination's failure", () => {
  it.effect("the proxy refuses it by a rule (403)", () =>
    Effect.gen(function* () {
      const post = yield* posting({ ...local, proxy: (yield* proxying(() => 403)).url })
      const outcome = yield* post({ url: named })
      assert.deepStrictEqual(outcome, failed("refused_address", "the proxy returned 403 to CONNECT"))
    })
  )

  it.effect("a proxy that has opened a tunnel within the last minute cannot reach it, at none of its addresses", () =>
    Effect.gen(function* () {
      const server = yield* shop()
      const proxy = yield* proxying((target) => (target === `127.0.0.1:${server.port}` ? undefined : 502))
      const resolve = stub(["127.0.0.1"], ["::1", "127.0.0.9"]).resolve
      const post = yield* posting({ resolve, proxy: proxy.url })
      const dead = { url: `https://merchant.example:${server.port + 1}/` }
      assert.deepStrictEqual(yield* post({ url: server.url }), answered("/"))
      assert.deepStrictEqual(yield* post(dead), failed("connect", "the proxy returned 502 to CONNECT"))
      const tried = proxy.asked.slice(1).map(({ target }) => target)
      assert.deepStrictEqual(tried, [`127.0.0.9:${server.port + 1}`, `[::1]:${server.port + 1}`])
    })
  )

  it.effect(
    "it is the one host that the proxy cannot reach, however often, and the log is silent about the proxy",
    () => {
      const lines: Array<unknown> = []
      return Effect.gen(function* () {
        const post = yield* posting({ ...local, proxy: (yield* proxying(() => 502)).url })
        for (let attempt = 0; attempt < 5; attempt++) {
          assert.strictEqual(reasonOf(yield* post({ url: named })), "connect")
          yield* TestClock.adjust("2 minutes")
        }
        assert.isEmpty(lines)
      }).pipe(Effect.provide(Layer.fresh(Logger.layer([Logger.make(({ message }) => void lines.push(message))]))))
    }
  )

  it.effect("it closes the connection, answers with an error or has no name, as without a proxy", () =>
    Effect.gen(function* () {
      const proxy = yield* proxying()
      const server = yield* secure((request, response) =>
        request.url === "/close" ? request.socket.destroy() : response.writeHead(502).end("mine")
      )
      yield* trusting(server.cert)
      const url = `https://merchant.example:${server.port}`
      const post = yield* posting({ ...local, proxy: proxy.url })
      assert.deepStrictEqual(yield* post({ url: `${url}/close` }), failed("protocol", "ECONNRESET"))
      assert.deepStrictEqual(yield* post({ url }), { _tag: "Answered", status: 502, snippet: "mine" })
      const nameless = yield* posting({ ...stub(), proxy: proxy.url })
      assert.deepStrictEqual(yield* nameless({ url }), failed("dns", "ENOTFOUND"))
    })
  )
})

it.live("the log says once that the proxy fails and once that it works again, and never its password", () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel}: ${String(message)}`))
  return Effect.gen(function* () {
    const server = yield* shop()
    let works = false
    const proxy = yield* proxying((target) => (works ? (target.endsWith(":1") ? 502 : undefined) : 407))
    const post = yield* posting({ ...local, proxy: proxy.url })
    const outcomes = yield* Effect.all([post({ url: server.url }), post({ url: server.url })])
    // The proxy was not asked for this one.
    yield* post({ url: named, privateAllowed: false })
    assert.lengthOf(lines, 1)
    works = true
    yield* Effect.andThen(post({ url: server.url }), post({ url: server.url }))
    // It has just opened a tunnel, so this is the destination's failure.
    assert.strictEqual(reasonOf(yield* post({ url: "https://merchant.example:1/" })), "connect")
    assert.deepStrictEqual(lines, [
      "Error: the webhook proxy is failing (the proxy returned 407 to CONNECT); deliveries wait for it and are not counted as attempts",
      "Info: the webhook proxy works again"
    ])
    const secrets = [password, encodeURIComponent(password), authorization.slice("Basic ".length)]
    for (const secret of secrets) assert.notInclude(JSON.stringify([lines, outcomes]), secret)
  }).pipe(Effect.provide(Layer.fresh(Logger.layer([logger]))))
})
