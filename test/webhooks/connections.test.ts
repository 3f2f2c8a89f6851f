/**
 * Connections to merchants' servers, as `Outbound` takes, releases and closes them (silences: W12, W20, W21). The
 * servers and proxies are real ones on loopback. How they follow each other in posts is in `outboundReuse`.
 */
import net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Deferred, Effect, Fiber, Queue, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { makeConnections } from "../../src/webhooks/deliveries/connections.ts"
import { type Checked, makeEgressProxy, type Trip } from "../../src/webhooks/deliveries/egressProxy.ts"
import { outboundSettings } from "../../src/webhooks/deliveries/outboundSettings.ts"
import { proxying } from "./proxy.ts"
import { answering, posting, reasonOf, run, stub } from "./receiver.ts"
import { secure, trusting } from "./secureReceiver.ts"

const answered = (snippet: string) => ({ _tag: "Answered" as const, status: 200, snippet })
const local = stub(["127.0.0.1"])

/** One server. `talk`: posts to it; its status, or the code of the failure. */
const place = Effect.fnUntraced(function* () {
  const server = yield* answering((_, response) => response.end("ok"))
  const connections = yield* makeConnections(undefined)
  const checked: Checked = { url: new URL(`http://127.0.0.1:${server.port}/`), addresses: ["127.0.0.1"] }
  const way = connections.wayTo(checked, {})
  const take = (fresh = false) => {
    const trip: Trip = { stage: "dns" }
    const taken = connections.take(way, checked, trip, fresh)
    return { ...taken, trip }
  }
  const talk = ({ connection: { client } }: ReturnType<typeof take>) =>
    Effect.callback<unknown>((resume) => {
      let code = 0
      client.dispatch(
        { path: "/", method: "POST", headers: {}, body: "{}" },
        {
          onRequestStart: () => {},
          onResponseStart: (_, status) => void (code = status),
          onResponseData: () => {},
          onResponseEnd: () => process.nextTick(() => resume(Effect.succeed(code))),
          onResponseError: (_, error) => resume(Effect.succeed((error as NodeJS.ErrnoException).code))
        }
      )
    })
  return { server, take, talk }
})

describe("a connection", () => {
  it.effect("that is released is taken by the next post, and by one alone", () =>
    Effect.gen(function* () {
      const { take, talk } = yield* place()
      const first = take()
      assert.strictEqual(yield* talk(first), 200)
      assert.deepStrictEqual([first.isKept, first.trip.stage], [false, "protocol"])
      first.connection.release()
      const second = take()
      assert.deepStrictEqual([second.isKept, second.trip.stage], [true, "protocol"])
      assert.strictEqual(second.connection, first.connection)
      assert.isFalse(take().isKept)
    })
  )

  it.effect("that has ended while it was idle has left its place, and no other has", () =>
    Effect.gen(function* () {
      const { take, talk } = yield* place()
      const all = [take(), take(), take()]
      for (const taken of all) {
        yield* talk(taken)
        taken.connection.release()
      }
      all[1]!.connection.close()
      const kept = [take(), take(), take()].filter(({ isKept }) => isKept)
      assert.sameMembers(
        kept.map(({ connection }) => connection),
        [all[0]!.connection, all[2]!.connection]
      )
      kept.forEach(({ connection }) => connection.release())
      kept.forEach(({ connection }) => connection.close())
      assert.isFalse(take().isKept)
    })
  )

  it.effect("that was closed opens no other, whatever is sent on it", () =>
    Effect.gen(function* () {
      const { server, take, talk } = yield* place()
      const taken = take()
      yield* talk(taken)
      taken.connection.close()
      yield* server.closed
      assert.strictEqual(yield* talk(taken), "UND_ERR_DESTROYED")
      assert.strictEqual(server.connections(), 1)
      taken.connection.release()
      assert.isFalse(take().isKept)
    })
  )

  it.effect("that is dedicated, or was never opened, is not kept", () =>
    Effect.gen(function* () {
      const { server, take, talk } = yield* place()
      take().connection.release()
      assert.isFalse(take().isKept)
      const own = take(true)
      yield* talk(own)
      own.connection.release()
      yield* server.closed
      assert.isFalse(take().isKept)
      const kept = take()
      yield* talk(kept)
      kept.connection.release()
      assert.isFalse(take(true).isKept)
    })
  )

  it.effect("goes to the first address where Node may not choose between the families of addresses", () =>
    Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          const before = net.getDefaultAutoSelectFamily()
          net.setDefaultAutoSelectFamily(false)
          return before
        }),
        (before) => Effect.sync(() => net.setDefaultAutoSelectFamily(before))
      )
      const server = yield* answering((_, response) => response.end("first"), "127.0.0.2")
      const post = yield* posting(stub(["127.0.0.2", "127.0.0.3"]))
      assert.deepStrictEqual(yield* post({ url: `http://merchant.example:${server.port}/` }), answered("first"))
    })
  )
})

describe("a connection with TLS", () => {
  it.effect("asks for the name of the URL, and for none where that has an address", () =>
    Effect.gen(function* () {
      const hellos = yield* Queue.unbounded<string>()
      const server = yield* run(
        net.createServer((socket) =>
          socket.once("data", (hello) => {
            Queue.offerUnsafe(hellos, hello.toString("latin1"))
            socket.destroy()
          })
        )
      )
      const post = yield* posting(local)
      for (const host of ["merchant.example", "127.0.0.1"]) {
        assert.strictEqual(reasonOf(yield* post({ url: `https://${host}:${server.port}/` })), "tls")
        assert.strictEqual((yield* Queue.take(hellos)).includes(host), host === "merchant.example")
      }
    })
  )

  it.effect("resumes the previous session, for the latest hundred destinations", () =>
    Effect.gen(function* () {
      const server = yield* secure((_, response) => response.end("ok"), "0.0.0.0")
      yield* trusting(server.cert)
      const count = 102
      const addresses = Array.from({ length: count }, (_, n) => `127.0.0.${n + 1}`)
      const order = [1, 1, ...addresses.keys(), 2, count - 1, 0].map((n) => [addresses[n]!])
      const post = yield* posting(stub(...order))
      const url = `https://merchant.example:${server.port}/`
      const next = Effect.gen(function* () {
        assert.deepStrictEqual(yield* post({ url }), answered("ok"))
        return server.resumed.at(-1)
      })
      // Then none of the earlier posts has left a connection.
      const again = Effect.andThen(TestClock.adjust("20 seconds"), next)
      assert.deepStrictEqual([yield* next, yield* again], [false, true])
      yield* TestClock.adjust("20 seconds")
      for (const n of addresses.keys()) assert.strictEqual(yield* next, n === 1, String(n))
      // The oldest that is remembered, the newest, and one that had to make room.
      assert.deepStrictEqual([yield* again, yield* again, yield* again], [true, true, false])
    })
  )
})

describe("a way through the operator's proxy", () => {
  const proxyOf = (url: string) => makeEgressProxy(new URL(url), () => 0)
  const checked = (url: string, address = "192.0.2.1"): Checked => ({ url: new URL(url), addresses: [address] })

  it.effect("is that of WEBHOOK_PROXY, and absent without it", () =>
    Effect.gen(function* () {
      const read = (variables: Record<string, string>) =>
        outboundSettings
          .read("")
          .pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: variables })))
      const { webhookProxy } = yield* read({ WEBHOOK_PROXY: "http://a:b@p.example:3128" })
      assert.strictEqual(Redacted.value(webhookProxy!), "http://a:b@p.example:3128")
      assert.deepStrictEqual(yield* read({}), { webhookProxy: undefined })
      assert.strictEqual((yield* Effect.flip(read({ WEBHOOK_PROXY: "p.example:3128" })))._tag, "BadSetting")
    })
  )

  it.effect("is that of http alone where the proxy speaks http for us, and so is its 407", () =>
    Effect.gen(function* () {
      const [straight, through] = [
        yield* makeConnections(undefined),
        yield* makeConnections(proxyOf("http://p.example"))
      ]
      for (const url of ["http://a.example/x?y", "https://a.example/x?y"]) {
        const isForwarded = url.startsWith("http:")
        assert.isFalse(straight.isProxysOwn(new URL(url), 407))
        assert.strictEqual(through.isProxysOwn(new URL(url), 407), isForwarded)
        assert.isFalse(through.isProxysOwn(new URL(url), 502))
        const own = { origin: new URL(url).origin, path: "/x?y", headers: { A: "b" } }
        assert.deepInclude(straight.wayTo(checked(url), { A: "b" }), own)
        assert.deepInclude(
          through.wayTo(checked(url), { A: "b" }),
          isForwarded
            ? {
                origin: "http://p.example:80",
                path: "http://192.0.2.1:80/x?y",
                headers: { A: "b", Host: "a.example" }
              }
            : own
        )
      }
    })
  )

  it.effect(
    "writes an address of IPv6 in brackets, the proxy's as the destination's, and the port that was named",
    () =>
      Effect.gen(function* () {
        const { wayTo } = yield* makeConnections(proxyOf("http://[2001:db8::1]:3128"))
        const { origin, path } = wayTo(checked("http://a.example:8080/", "2001:db8::2"), {})
        assert.deepStrictEqual([origin, path], ["http://[2001:db8::1]:3128", "http://[2001:db8::2]:8080/"])
      })
  )

  it("names us to the proxy only where the operator has given a name or a password", () => {
    for (const [user, sent] of [
      ["", undefined],
      ["a@", "a:"],
      [":b@", ":b"],
      ["%20a:%40@", " a:@"]
    ] as const) {
      const { headers } = proxyOf(`http://${user}p.example`)
      const expected = sent === undefined ? {} : { "Proxy-Authorization": `Basic ${btoa(sent)}` }
      assert.deepStrictEqual(headers, expected)
    }
  })

  it.effect("leads to the proxy's name, not to the destination's address, and to the port of the scheme", () =>
    Effect.gen(function* () {
      const proxy = yield* proxying(() => 403)
      const named = Redacted.make(`http://localhost:${proxy.port}`)
      const post = yield* posting({ ...stub(["127.0.0.9"]), proxy: named })
      yield* post({ url: "http://merchant.example/a" })
      yield* post({ url: "https://merchant.example/a" })
      assert.deepStrictEqual(
        proxy.asked.map(({ target }) => target),
        ["http://127.0.0.9:80/a", "127.0.0.9:443"]
      )
    })
  )
})

describe("a tunnel", () => {
  /** A proxy that answers each CONNECT so, and keeps connections open. */
  const telling = (status: number, to?: number) =>
    run(
      net.createServer((socket) =>
        socket.once("data", () => {
          if (to === undefined) return void socket.write(`HTTP/1.1 ${status} So\r\n\r\n`)
          const there = net.connect(to, "127.0.0.1", () => {
            socket.write(`HTTP/1.1 ${status} So\r\n\r\n`)
            socket.pipe(there).pipe(socket)
          })
          there.on("error", () => socket.destroy())
        })
      )
    )
  const at = ({ port }: { readonly port: number }) => Redacted.make(`http://127.0.0.1:${port}`)

  it.effect("is open after any answer from 200 to 299, and after no other: its connection is closed then", () =>
    Effect.gen(function* () {
      const server = yield* secure((_, response) => response.end("ok"))
      yield* trusting(server.cert)
      const url = `https://merchant.example:${server.port}/`
      for (const status of [200, 299]) {
        const post = yield* posting({ ...local, proxy: at(yield* telling(status, server.port)) })
        assert.deepStrictEqual(yield* post({ url }), answered("ok"), String(status))
      }
      for (const status of [199, 300, 407]) {
        const proxy = yield* telling(status)
        const post = yield* posting({ ...local, proxy: at(proxy) })
        const detail = `the proxy returned ${status} to CONNECT`
        assert.deepStrictEqual(yield* post({ url }), { _tag: "NotDelivered", reason: "proxy", detail })
        yield* proxy.closed
      }
    })
  )

  it.effect(
    "that does not open is the destination's failure for a minute after the last that did, and where it is the only one",
    () =>
      Effect.gen(function* () {
        // The clock has moved.
        yield* TestClock.setTime(3_600_000)
        const server = yield* secure((_, response) => response.end("ok"))
        yield* trusting(server.cert)
        const proxy = yield* proxying((target) => (target.endsWith(`:${server.port}`) ? undefined : 500))
        const post = yield* posting({ ...local, proxy: proxy.url })
        const dead = { url: "https://merchant.example:1/" }
        const other = { url: "https://another.example:1/" }
        assert.strictEqual(reasonOf(yield* post(dead)), "connect")
        assert.strictEqual(reasonOf(yield* post(other)), "proxy")
        assert.deepStrictEqual(yield* post({ url: `https://merchant.example:${server.port}/` }), answered("ok"))
        yield* TestClock.adjust(60_000)
        assert.strictEqual(reasonOf(yield* post(dead)), "connect")
        assert.strictEqual(reasonOf(yield* post(other)), "connect")
        yield* TestClock.adjust(1)
        assert.strictEqual(reasonOf(yield* post(dead)), "proxy")
        yield* TestClock.adjust(599_999)
        assert.strictEqual(reasonOf(yield* post(dead)), "proxy")
        yield* TestClock.adjust(1)
        assert.strictEqual(reasonOf(yield* post(dead)), "connect")
      })
  )

  it.effect("is asked for to the next address only where the proxy, which works, cannot reach the first", () =>
    Effect.gen(function* () {
      const server = yield* secure((_, response) => response.end("ok"))
      yield* trusting(server.cert)
      let refusal = 0
      const proxy = yield* proxying((target) => (target.endsWith(`:${server.port}`) ? undefined : refusal))
      const post = yield* posting({ ...stub(["127.0.0.1"], ["127.0.0.1", "127.0.0.2"]), proxy: proxy.url })
      assert.deepStrictEqual(yield* post({ url: `https://merchant.example:${server.port}/` }), answered("ok"))
      for (const [status, reason, asked] of [
        [403, "refused_address", 1],
        [407, "proxy", 1],
        [499, "proxy", 1],
        [500, "connect", 2]
      ] as const) {
        refusal = status
        proxy.asked.length = 0
        const outcome = yield* post({ url: "https://merchant.example:1/" })
        assert.deepStrictEqual([reasonOf(outcome), proxy.asked.length], [reason, asked], String(status))
      }
    })
  )

  it.effect("that is not answered in time is the destination's failure where the proxy has just opened another", () =>
    Effect.gen(function* () {
      const server = yield* secure((_, response) => response.end("ok"))
      yield* trusting(server.cert)
      const asked = yield* Deferred.make<void>()
      const proxy = yield* proxying((target) => {
        if (target.endsWith(`:${server.port}`)) return undefined
        Deferred.doneUnsafe(asked, Effect.void)
        return "hang"
      })
      const post = yield* posting({ ...local, proxy: proxy.url })
      assert.deepStrictEqual(yield* post({ url: `https://merchant.example:${server.port}/` }), answered("ok"))
      const fiber = yield* Effect.forkChild(post({ url: "https://merchant.example:1/" }))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(reasonOf(yield* Fiber.join(fiber)), "timeout")
    })
  )
})
