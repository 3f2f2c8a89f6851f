/**
 * Connections that are kept for the next post (silences: W20): which posts reuse one, and when it ends. Real
 * servers on loopback count the connections; the idle time of a connection is the TestClock's.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { answering, posting, reasonOf, stub } from "./receiver.ts"
import { secure, trusting } from "./secureReceiver.ts"

const answered = (snippet: string) => ({ _tag: "Answered" as const, status: 200, snippet })

/** A server that answers its posts once `count` of them have arrived. */
const together = (count: number, host?: string) =>
  Effect.gen(function* () {
    let waiting: Array<() => void> = []
    return yield* answering((_, response) => {
      waiting.push(() => response.end("all"))
      if (waiting.length < count) return
      waiting.forEach((answer) => answer())
      waiting = []
    }, host)
  })

describe("outbound: a connection is kept", () => {
  it.effect("ten posts to one destination, one after the other, go through one connection", () =>
    Effect.gen(function* () {
      const server = yield* answering((_, response) => response.end("ok"))
      const post = yield* posting(stub())
      for (let n = 0; n < 10; n++) {
        assert.deepStrictEqual(yield* post({ url: `http://127.0.0.1:${server.port}/${n}` }), answered("ok"))
      }
      assert.strictEqual(server.connections(), 1)
    })
  )

  it.effect("with https too, and each post is answered for itself", () =>
    Effect.gen(function* () {
      const server = yield* secure((request, response) => response.end(request.url))
      yield* trusting(server.cert)
      const post = yield* posting(stub(["127.0.0.1"]))
      for (const path of ["/a", "/b", "/c"]) {
        const outcome = yield* post({ url: `https://merchant.example:${server.port}${path}` })
        assert.deepStrictEqual(outcome, answered(path))
      }
      assert.strictEqual(server.connections(), 1)
    })
  )

  it.effect("also after an answer that was no success", () =>
    Effect.gen(function* () {
      const server = yield* answering((_, response) => response.writeHead(500).end("no"))
      const post = yield* posting(stub())
      const url = `http://127.0.0.1:${server.port}/`
      yield* Effect.andThen(post({ url }), post({ url }))
      assert.strictEqual(server.connections(), 1)
    })
  )

  it.effect("posts at the same time have connections of their own, and 64 of those are kept", () =>
    Effect.gen(function* () {
      const server = yield* together(70)
      const post = yield* posting(stub())
      const url = `http://127.0.0.1:${server.port}/`
      const posts = (count: number) =>
        Effect.all(
          Array.from({ length: count }, () => post({ url })),
          { concurrency: "unbounded" }
        )
      yield* posts(70)
      assert.strictEqual(server.connections(), 70)
      for (let n = 0; n < 6; n++) yield* server.closed
      yield* posts(70)
      assert.strictEqual(server.connections(), 76)
    })
  )

  it.effect("512 are kept of all destinations together, and not those that have been idle for longest", () =>
    Effect.gen(function* () {
      const server = yield* together(65 * 8, "0.0.0.0")
      const post = yield* posting(stub())
      const urls = Array.from({ length: 65 * 8 }, (_, n) => `http://127.0.0.${1 + (n % 65)}:${server.port}/`)
      yield* Effect.forEach(urls, (url) => post({ url }), { concurrency: "unbounded" })
      for (let n = 0; n < 8; n++) yield* server.closed
      assert.strictEqual(server.connections(), 65 * 8)
      const alone = yield* answering((_, response) => response.end())
      const last = `http://127.0.0.1:${alone.port}/`
      yield* Effect.andThen(post({ url: last }), post({ url: last }))
      assert.strictEqual(alone.connections(), 1)
    })
  )

  it.effect("not after an answer that is cut off, since the rest of it is not waited for", () =>
    Effect.gen(function* () {
      const server = yield* answering((_, response) => response.end("x".repeat(10_000_000)))
      const post = yield* posting(stub())
      const url = `http://127.0.0.1:${server.port}/`
      yield* post({ url })
      yield* server.closed
      yield* post({ url })
      assert.strictEqual(server.connections(), 2)
    })
  )

  it.effect("no longer than its server says it will keep it, less a second: the clock of the test stands still", () =>
    Effect.gen(function* () {
      const server = yield* answering((_, response) => response.writeHead(200, { "Keep-Alive": "timeout=2" }).end())
      const post = yield* posting(stub())
      yield* post({ url: `http://127.0.0.1:${server.port}/` })
      yield* server.closed
    })
  )
})

describe("outbound: whose connection it is", () => {
  it.effect("a name that has moved gets a new connection, to the address that was checked now", () =>
    Effect.gen(function* () {
      const before = yield* answering((_, response) => response.end("before"))
      const after = yield* answering((_, response) => response.end("after"), "127.0.0.2", before.port)
      const post = yield* posting(stub(["127.0.0.1"], ["127.0.0.2"], ["127.0.0.1"]))
      const url = `http://merchant.example:${before.port}/`
      assert.deepStrictEqual(yield* post({ url }), answered("before"))
      assert.deepStrictEqual(yield* post({ url }), answered("after"))
      assert.deepStrictEqual(yield* post({ url }), answered("before"))
      assert.deepStrictEqual([before.connections(), after.connections()], [1, 1])
    })
  )

  it.effect("the order in which a name server lists the addresses makes no difference", () =>
    Effect.gen(function* () {
      const server = yield* answering((_, response) => response.end("ok"))
      const post = yield* posting(stub(["127.0.0.1", "127.0.0.9"], ["127.0.0.9", "127.0.0.1"]))
      const url = `http://merchant.example:${server.port}/`
      yield* Effect.andThen(post({ url }), post({ url }))
      assert.strictEqual(server.connections(), 1)
    })
  )

  it.effect("every post is checked: a kept connection is not used for a name that has become private", () =>
    Effect.gen(function* () {
      let requests = 0
      const server = yield* secure((_, response) => {
        requests += 1
        response.end("ok")
      })
      yield* trusting(server.cert)
      const post = yield* posting(stub(["127.0.0.1"]))
      const url = `https://merchant.example:${server.port}/`
      assert.deepStrictEqual(yield* post({ url }), answered("ok"))
      assert.strictEqual(reasonOf(yield* post({ url, privateAllowed: false })), "refused_address")
      assert.strictEqual(requests, 1)
    })
  )
})

describe("outbound: the end of a connection", () => {
  it.effect("is closed when it has been idle for 20 seconds, and not before 10", () =>
    Effect.gen(function* () {
      const server = yield* answering((_, response) => response.end("ok"))
      const post = yield* posting(stub())
      const url = `http://127.0.0.1:${server.port}/`
      yield* post({ url })
      yield* TestClock.adjust("9999 millis")
      yield* post({ url })
      assert.strictEqual(server.connections(), 1)
      yield* TestClock.adjust("20 seconds")
      yield* server.closed
      yield* post({ url })
      assert.strictEqual(server.connections(), 2)
    })
  )

  it.effect("is closed as soon while connections to others come and go", () =>
    Effect.gen(function* () {
      const [idle, busy] = [
        yield* answering((_, response) => response.end("ok")),
        yield* answering((_, response) => response.end("ok"))
      ]
      const post = yield* posting(stub())
      yield* post({ url: `http://127.0.0.1:${idle.port}/` })
      for (let round = 0; round < 3; round++) {
        yield* TestClock.adjust("7 seconds")
        yield* post({ url: `http://127.0.0.1:${busy.port}/` })
      }
      yield* idle.closed
      assert.strictEqual(busy.connections(), 1)
    })
  )

  it.effect("a post is not cut off by the idleness before it", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<() => void>()
      const server = yield* answering((request, response) => {
        if (request.url === "/first") response.end("first")
        else
          Deferred.doneUnsafe(
            arrived,
            Effect.succeed(() => response.end("second"))
          )
      })
      const post = yield* posting(stub())
      const at = (path: string) => ({ url: `http://127.0.0.1:${server.port}/${path}` })
      yield* post(at("first"))
      yield* TestClock.adjust("12 seconds")
      const fiber = yield* Effect.forkChild(post(at("second")))
      const answer = yield* Deferred.await(arrived)
      yield* TestClock.adjust("9 seconds")
      answer()
      assert.deepStrictEqual(yield* Fiber.join(fiber), answered("second"))
      assert.strictEqual(server.connections(), 1)
    })
  )

  it.effect(
    "a pooled connection that its server has closed costs no attempt: the request is repeated immediately",
    () =>
      Effect.gen(function* () {
        const served = new WeakSet<object>()
        const server = yield* answering((request, response) => {
          if (served.has(request.socket)) request.socket.destroy()
          served.add(request.socket)
          response.end("ok")
        })
        const post = yield* posting(stub())
        const url = `http://127.0.0.1:${server.port}/`
        assert.deepStrictEqual(yield* post({ url }), answered("ok"))
        assert.deepStrictEqual(yield* post({ url }), answered("ok"))
        assert.strictEqual(server.connections(), 2)
      })
  )

  it.effect("however many of its connections were closed in the meantime, the request arrives on a new one", () =>
    Effect.gen(function* () {
      const served = new WeakSet<object>()
      let waiting: Array<() => void> = []
      const server = yield* answering((request, response) => {
        if (served.has(request.socket)) return void request.socket.destroy()
        served.add(request.socket)
        if (request.url === "/last") return void response.end("ok")
        waiting.push(() => response.end("ok"))
        if (waiting.length === 3) waiting.forEach((answer) => answer())
      })
      const post = yield* posting(stub())
      const url = `http://127.0.0.1:${server.port}/`
      yield* Effect.all([post({ url }), post({ url }), post({ url })], { concurrency: 3 })
      waiting = []
      assert.deepStrictEqual(yield* post({ url: `${url}last` }), answered("ok"))
      assert.strictEqual(server.connections(), 4)
    })
  )

  it.effect("a post that has had its 10 seconds on a kept connection is not made again", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const server = yield* answering(({ url }, response) => {
        if (url === "/silent") Deferred.doneUnsafe(arrived, Effect.void)
        else response.end("ok")
      })
      const post = yield* posting(stub())
      const url = `http://127.0.0.1:${server.port}/`
      yield* post({ url })
      const fiber = yield* Effect.forkChild(post({ url: `${url}silent` }))
      yield* Deferred.await(arrived)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(reasonOf(yield* Fiber.join(fiber)), "timeout")
      yield* server.closed
      // A second try would have connected before this.
      yield* post({ url })
      assert.strictEqual(server.connections(), 2)
    })
  )

  it.effect("an answer that breaks off on a kept connection is the answer, and is not asked for again", () =>
    Effect.gen(function* () {
      let requests = 0
      const server = yield* answering(({ socket }, response) => {
        if (++requests === 1) return void response.end("ok")
        response.writeHead(200, { "content-length": "100" })
        response.write("some", () => socket.destroy())
      })
      const post = yield* posting(stub())
      const url = `http://127.0.0.1:${server.port}/`
      yield* post({ url })
      assert.deepStrictEqual(yield* post({ url }), answered("some"))
      assert.strictEqual(requests, 2)
    })
  )

  it.effect("all are closed with the service", () =>
    Effect.gen(function* () {
      const server = yield* answering((_, response) => response.end("ok"))
      yield* Effect.scoped(
        Effect.gen(function* () {
          const post = yield* posting(stub())
          yield* post({ url: `http://127.0.0.1:${server.port}/` })
        })
      )
      yield* server.closed
    })
  )
})
