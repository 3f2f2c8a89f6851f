/**
 * Where a post may go, and the outcome without a connection (spec: Events; silences: W12). Names are
 * answered by a stub or by a name server on loopback: nothing here leaves the machine.
 */
import net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Settings } from "../../src/platform/runtime/Settings.ts"
import type { NotDeliveredReason } from "../../src/webhooks/deliveries/egressProxy.ts"
import { Outbound, type Outcome, layer, resolveByServers } from "../../src/webhooks/deliveries/Outbound.ts"
import { answering, nameServer, post, reasonOf, run, stub } from "./receiver.ts"
import { secure, trusting } from "./secureReceiver.ts"

/** The only setting that it reads. */
const straight = { of: () => ({ webhookProxy: undefined }) } as unknown as Settings["Service"]

/** Public by its form, but never sent to. */
const unrouted = "2d00::1"

const failed = (reason: NotDeliveredReason, detail: string): Outcome => ({ _tag: "NotDelivered", reason, detail })

const refused = (url: string, resolver = stub()) =>
  Effect.gen(function* () {
    const server = yield* answering((_, response) => response.end())
    const outcome = yield* post({ url: url.replace("PORT", `${server.port}`), privateAllowed: false }, resolver)
    assert.strictEqual(reasonOf(outcome), "refused_address")
    assert.strictEqual(server.connections(), 0)
  })

describe("outbound: where a live post may go", () => {
  for (const url of [
    "http://merchant.example:PORT/",
    "http://127.0.0.1:PORT/",
    "https://127.0.0.1:PORT/",
    "https://0x7f.1:PORT/",
    "https://2130706433:PORT/",
    "https://[::1]:PORT/",
    "https://[::ffff:127.0.0.1]:PORT/",
    "https://localhost:PORT/",
    "https://1.1.1.1@127.0.0.1:PORT/",
    "ftp://merchant.example:PORT/",
    "nonsense"
  ]) {
    it.effect(`refuses ${url} without asking or connecting`, () =>
      Effect.gen(function* () {
        const resolver = stub(["127.0.0.1"])
        yield* refused(url, resolver)
        assert.deepStrictEqual(resolver.asked, [])
      })
    )
  }

  for (const address of ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fd00::1", "junk"]) {
    it.effect(`refuses a public name that resolves to ${address}`, () =>
      refused("https://merchant.example:PORT/", stub([address]))
    )
  }

  it.effect("refuses a name with one private address among public ones", () =>
    refused("https://merchant.example:PORT/", stub([unrouted, "127.0.0.1"]))
  )

  it.effect("refuses what is no http or https address, where the sandbox may go anywhere, too", () =>
    Effect.gen(function* () {
      for (const url of ["ftp://merchant.example/", "merchant.example", ""]) {
        const resolver = stub(["127.0.0.1"])
        assert.strictEqual(reasonOf(yield* post({ url, privateAllowed: true }, resolver)), "refused_address")
        assert.isEmpty(resolver.asked)
      }
    })
  )

  it.effect("does not say which private address a name has", () =>
    Effect.gen(function* () {
      const outcome = yield* post({ url: "https://merchant.example/", privateAllowed: false }, stub(["10.1.2.3"]))
      assert.notInclude(JSON.stringify(outcome), "10.1.2.3")
    })
  )

  for (const address of ["127.0.0.1", "10.0.0.1", "::1"]) {
    it.effect(
      `in the sandbox http is allowed, and ${address} is still refused where the operator does not allow it`,
      () =>
        Effect.gen(function* () {
          const server = yield* answering((_, response) => response.end())
          const url = `http://merchant.example:${server.port}/`
          const outcome = yield* post({ url, httpAllowed: true, privateAllowed: false }, stub([address]))
          assert.deepStrictEqual(outcome, failed("refused_address", "the host resolves to a non-public address"))
          assert.strictEqual(server.connections(), 0)
        })
    )
  }
})

describe("outbound: connecting", () => {
  it.effect("connects to the address that was answered first, once, under the name of the URL", () =>
    Effect.gen(function* () {
      const hosts: Array<string | undefined> = []
      const first = yield* answering((request, response) => {
        hosts.push(request.headers.host)
        response.end("first")
      })
      const resolver = stub(["127.0.0.1"], ["127.0.0.2"])
      const outcome = yield* post({ url: `http://merchant.example:${first.port}/` }, resolver)
      assert.deepStrictEqual(outcome, { _tag: "Answered", status: 200, snippet: "first" })
      assert.deepStrictEqual(hosts, [`merchant.example:${first.port}`])
      assert.deepStrictEqual(resolver.asked, ["merchant.example"])
    })
  )

  it.effect("tries the next address when the first refuses", () =>
    Effect.gen(function* () {
      const server = yield* answering((_, response) => response.end("here"))
      const outcome = yield* post({ url: `http://merchant.example:${server.port}/` }, stub(["::1", "127.0.0.1"]))
      assert.deepStrictEqual(outcome, { _tag: "Answered", status: 200, snippet: "here" })
    })
  )

  const failures: ReadonlyArray<readonly [string, Outcome, (socket: net.Socket) => void]> = [
    ["closes without a word", failed("protocol", "ECONNRESET"), (s) => s.end()],
    ["does not speak HTTP", failed("protocol", "the response is not HTTP/1.1"), (s) => s.end("SSH-2.0-OpenSSH\r\n")],
    [
      "sends headers without end",
      failed("protocol", "HPE_HEADER_OVERFLOW"),
      (s) => s.write(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(1024 * 1024)}`)
    ]
  ]
  for (const [what, expected, talk] of failures) {
    it.effect(`a receiver that ${what} is a protocol failure`, () =>
      Effect.gen(function* () {
        const server = yield* run(net.createServer((socket) => socket.once("data", () => talk(socket))))
        assert.deepStrictEqual(yield* post({ url: `http://127.0.0.1:${server.port}/` }), expected)
      })
    )
  }

  it.effect("a closed port is a connect failure", () =>
    Effect.gen(function* () {
      const { port } = yield* Effect.scoped(answering(() => undefined))
      const outcome = yield* post({ url: `http://127.0.0.1:${port}/` })
      assert.deepStrictEqual(outcome, failed("connect", "ECONNREFUSED"))
    })
  )

  it.effect("a name that does not exist is a dns failure, and so is one without addresses", () =>
    Effect.gen(function* () {
      const url = "https://merchant.example/"
      assert.deepStrictEqual(yield* post({ url, privateAllowed: false }, stub()), failed("dns", "ENOTFOUND"))
      assert.deepStrictEqual(yield* post({ url, privateAllowed: false }, stub([])), failed("dns", "ENODATA"))
    })
  )
})

describe("outbound: names", () => {
  const names = {
    "both.example": ["1.1.1.1", "8.8.8.8", "2606:4700::1111"],
    "four.example": ["1.1.1.1"],
    "six.example": ["2606:4700::1111"],
    "none.example": []
  }
  for (const [name, addresses] of Object.entries(names)) {
    it.effect(`${name} has the addresses ${addresses.join(", ") || "of a name without any: a failure"}`, () =>
      Effect.gen(function* () {
        const resolve = resolveByServers([yield* nameServer(names)])
        const found = yield* resolve(name).pipe(Effect.catchTag("HostNotFound", ({ code }) => Effect.succeed([code])))
        assert.deepStrictEqual(found, addresses.length === 0 ? ["ENODATA"] : addresses)
      })
    )
  }

  it.effect("a name that its server does not know is not found", () =>
    Effect.gen(function* () {
      const resolve = resolveByServers([yield* nameServer(names)])
      assert.strictEqual((yield* Effect.flip(resolve("other.example"))).code, "ENOTFOUND")
    })
  )

  it.effect("the sandbox knows the machine's own names", () =>
    Effect.gen(function* () {
      const server = yield* answering((_, response) => response.end("local"))
      const outbound = yield* Outbound
      const url = `http://localhost:${server.port}/`
      assert.deepStrictEqual(yield* outbound.post({ url, headers: {}, body: "", privateAllowed: true }), {
        _tag: "Answered",
        status: 200,
        snippet: "local"
      })
    }).pipe(Effect.provide(Layer.provide(layer, Layer.succeed(Settings, straight))))
  )

  it.effect("the sandbox says in a code why the machine has no address for a name", () =>
    Effect.gen(function* () {
      const outbound = yield* Outbound
      // Longer than a part of a name may be: no server has to be asked for it.
      const url = `http://${"a".repeat(64)}.example/`
      const outcome = yield* outbound.post({ url, headers: {}, body: "", privateAllowed: true })
      assert.strictEqual(reasonOf(outcome), "dns")
      assert.match("detail" in outcome ? outcome.detail : "", /^E[A-Z_]+$/)
    }).pipe(Effect.provide(Layer.provide(layer, Layer.succeed(Settings, straight))))
  )
})

describe("outbound: TLS", () => {
  it.effect("a server that does not speak TLS is a tls failure", () =>
    Effect.gen(function* () {
      const server = yield* answering((_, response) => response.end())
      const outcome = yield* post({ url: `https://merchant.example:${server.port}/` }, stub(["127.0.0.1"]))
      assert.strictEqual(reasonOf(outcome), "tls")
    })
  )

  it.effect("an untrusted certificate is a tls failure, in the sandbox too", () =>
    Effect.gen(function* () {
      const server = yield* secure((_, response) => response.end("secret"))
      const outcome = yield* post({ url: `https://merchant.example:${server.port}/` }, stub(["127.0.0.1"]))
      assert.deepStrictEqual(outcome, failed("tls", "DEPTH_ZERO_SELF_SIGNED_CERT"))
    })
  )

  it.effect("asks the pinned address for the name of the URL, and accepts its certificate for that name only", () =>
    Effect.gen(function* () {
      const server = yield* secure((_, response) => response.end("secret"))
      yield* trusting(server.cert)
      const outcome = yield* post({ url: `https://merchant.example:${server.port}/` }, stub(["127.0.0.1"]))
      assert.deepStrictEqual(outcome, { _tag: "Answered", status: 200, snippet: "secret" })
      assert.deepStrictEqual(server.names, ["merchant.example"])
      const other = yield* post({ url: `https://other.example:${server.port}/` }, stub(["127.0.0.1"]))
      assert.deepStrictEqual(other, failed("tls", "ERR_TLS_CERT_ALTNAME_INVALID"))
    })
  )

  it.effect("a server that breaks off after the handshake is a protocol failure", () =>
    Effect.gen(function* () {
      const server = yield* secure((request) => request.socket.destroy())
      yield* trusting(server.cert)
      const outcome = yield* post({ url: `https://merchant.example:${server.port}/` }, stub(["127.0.0.1"]))
      assert.deepStrictEqual(outcome, failed("protocol", "ECONNRESET"))
    })
  )

  it.effect("the handshake counts in the 10 seconds", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const server = yield* run(
        net.createServer((socket) => socket.once("data", () => Deferred.doneUnsafe(arrived, Effect.void)))
      )
      const url = `https://merchant.example:${server.port}/`
      const fiber = yield* Effect.forkChild(post({ url }, stub(["127.0.0.1"])))
      yield* Deferred.await(arrived)
      yield* TestClock.adjust("10 seconds")
      const outcome = yield* Fiber.join(fiber)
      assert.strictEqual(reasonOf(outcome), "timeout")
      yield* server.closed
    })
  )
})
