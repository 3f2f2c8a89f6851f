/**
 * The answers that count for a post, and when a post times out (spec: Events; silences: W8). Real servers on
 * loopback; the ten seconds are the TestClock's.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type http from "node:http"
import net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { answering, post, posting, reasonOf, run, stub } from "./receiver.ts"

describe("outbound: the answer", () => {
  for (const status of [200, 201, 204, 299, 301, 302, 307, 308, 400, 404, 410, 429, 500, 503]) {
    it.effect(`${status} is an answer, and nothing is sent after it`, () =>
      Effect.gen(function* () {
        let requests = 0
        const server = yield* answering((_, response) => {
          requests += 1
          response.writeHead(status, { location: "/elsewhere", "retry-after": "0" }).end(status === 204 ? "" : "said")
        })
        const outcome = yield* post({ url: `http://127.0.0.1:${server.port}/hook` })
        yield* server.closed
        assert.deepStrictEqual(outcome, { _tag: "Answered", status, snippet: status === 204 ? "" : "said" })
        assert.strictEqual(requests, 1)
      })
    )
  }

  it.effect("a post carries the path, the query, the headers as they were given, and the exact bytes", () =>
    Effect.gen(function* () {
      const seen = yield* Deferred.make<{ readonly line: string; readonly headers: ReadonlyArray<string> }>()
      const bytes: Array<Buffer> = []
      const server = yield* answering((request, response) => {
        request.on("data", (chunk: Buffer) => bytes.push(chunk))
        request.on("end", () => {
          response.end()
          Deferred.doneUnsafe(
            seen,
            Effect.succeed({ line: `${request.method} ${request.url}`, headers: request.rawHeaders })
          )
        })
      })
      const body = `{ "subject": "Größe 42 — 靴" }`
      const headers = { "Content-Type": "application/json", "X-Service-Event-Id": "evt_1" }
      yield* post({ url: `http://127.0.0.1:${server.port}/a%20b?c=d&e#f`, headers, body })
      const { line, headers: raw } = yield* Deferred.await(seen)
      assert.strictEqual(line, "POST /a%20b?c=d&e")
      assert.includeMembers([...raw], [...Object.entries(headers).flat(), "content-length"])
      assert.strictEqual(Buffer.concat(bytes).toString("utf8"), body)
    })
  )

  it.effect("keeps no more than 1 KiB of a body that never ends, and closes the connection", () =>
    Effect.gen(function* () {
      const server = yield* answering((_, response) => {
        const pour = () => {
          while (!response.destroyed && response.write("x".repeat(700)));
        }
        response.on("drain", pour)
        pour()
      })
      const outcome = yield* post({ url: `http://127.0.0.1:${server.port}/` })
      yield* server.closed
      assert.deepStrictEqual(outcome, { _tag: "Answered", status: 200, snippet: "x".repeat(1024) })
    })
  )

  it.effect("keeps what a receiver said before it broke off", () =>
    Effect.gen(function* () {
      const server = yield* answering((_, response) => {
        response.writeHead(500, { "content-length": "100" })
        response.write("half", () => response.destroy())
      })
      const outcome = yield* post({ url: `http://127.0.0.1:${server.port}/` })
      assert.deepStrictEqual(outcome, { _tag: "Answered", status: 500, snippet: "half" })
    })
  )

  it.effect("keeps no NUL, which a database's text cannot hold", () =>
    Effect.gen(function* () {
      const server = yield* answering((_, response) => response.end("a\0b"))
      const outcome = yield* post({ url: `http://127.0.0.1:${server.port}/` })
      assert.deepStrictEqual(outcome, { _tag: "Answered", status: 200, snippet: "a\uFFFDb" })
    })
  )
})

describe("outbound: time", () => {
  it.effect("is given up after 10 seconds without headers, and the receiver sees the connection close", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const server = yield* answering(() => Deferred.doneUnsafe(arrived, Effect.void))
      const fiber = yield* Effect.forkChild(post({ url: `http://127.0.0.1:${server.port}/` }))
      yield* Deferred.await(arrived)
      yield* TestClock.adjust("9999 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(fiber), {
        _tag: "NotDelivered",
        reason: "timeout",
        detail: "no response within 10 seconds"
      })
      yield* server.closed
    })
  )

  it.effect("is given up after 10 seconds when headers begin and do not end", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const server = yield* run(
        net.createServer((socket) => {
          socket.once("data", () =>
            socket.write("HTTP/1.1 200 OK\r\nX-A: b\r\n", () => Deferred.doneUnsafe(arrived, Effect.void))
          )
        })
      )
      const fiber = yield* Effect.forkChild(post({ url: `http://127.0.0.1:${server.port}/` }))
      yield* Deferred.await(arrived)
      yield* TestClock.adjust("10 seconds")
      const outcome = yield* Fiber.join(fiber)
      assert.strictEqual(reasonOf(outcome), "timeout")
      yield* server.closed
    })
  )

  it.effect("counts the name's resolution in the 10 seconds", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const resolve = () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
      const fiber = yield* Effect.forkChild(post({ url: "http://merchant.example/" }, { asked: [], resolve }))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("10 seconds")
      const outcome = yield* Fiber.join(fiber)
      assert.strictEqual(reasonOf(outcome), "timeout")
    })
  )

  it.effect("a body that stalls is waited for one second after the headers, which are the answer", () =>
    Effect.gen(function* () {
      const heard = yield* clientHearsHeaders
      const server = yield* run(
        net.createServer((socket) => {
          socket.once("data", () => socket.write("HTTP/1.1 202 Accepted\r\nContent-Length: 100\r\n\r\nsome"))
        })
      )
      const fiber = yield* Effect.forkChild(post({ url: `http://127.0.0.1:${server.port}/` }))
      yield* Deferred.await(heard)
      yield* TestClock.adjust("999 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { _tag: "Answered", status: 202, snippet: "some" })
      yield* server.closed
    })
  )

  it.effect("headers after 9.9 seconds are an answer, and the body is waited for until 10", () =>
    Effect.gen(function* () {
      const [arrived, heard] = [yield* Deferred.make<http.ServerResponse>(), yield* clientHearsHeaders]
      const server = yield* answering((_, response) => Deferred.doneUnsafe(arrived, Effect.succeed(response)))
      const fiber = yield* Effect.forkChild(post({ url: `http://127.0.0.1:${server.port}/` }))
      const response = yield* Deferred.await(arrived)
      yield* TestClock.adjust("9900 millis")
      response.writeHead(200, { "content-length": "100" }).flushHeaders()
      yield* Deferred.await(heard)
      yield* TestClock.adjust("99 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(yield* Fiber.join(fiber), { _tag: "Answered", status: 200, snippet: "" })
      yield* server.closed
    })
  )

  it.effect("closes the connection when its caller is interrupted", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const server = yield* answering(() => Deferred.doneUnsafe(arrived, Effect.void))
      // Its connections outlive the post.
      const post = yield* posting(stub())
      const fiber = yield* Effect.forkChild(post({ url: `http://127.0.0.1:${server.port}/` }))
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(fiber)
      yield* server.closed
    })
  )

  it.effect("early hints are no answer: without one it is given up after 10 seconds", () =>
    Effect.gen(function* () {
      const heard = yield* clientHearsHeaders
      const server = yield* run(
        net.createServer((socket) => {
          socket.once("data", () => socket.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"))
        })
      )
      const fiber = yield* Effect.forkChild(post({ url: `http://127.0.0.1:${server.port}/` }))
      yield* Deferred.await(heard)
      yield* TestClock.adjust("9999 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(reasonOf(yield* Fiber.join(fiber)), "timeout")
    })
  )

  it.effect("a body that has filled what is kept of it is not waited for", () =>
    Effect.gen(function* () {
      const kept = "a".repeat(1024)
      const server = yield* run(
        net.createServer((socket) => {
          socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${kept}`))
        })
      )
      const outcome = yield* post({ url: `http://127.0.0.1:${server.port}/` })
      assert.deepStrictEqual(outcome, { _tag: "Answered", status: 200, snippet: kept })
    })
  )

  it.effect("a failing look-up is reported immediately", () =>
    Effect.gen(function* () {
      const resolve = () => Effect.die("broken")
      const exit = yield* Effect.exit(post({ url: "http://merchant.example/" }, { asked: [], resolve }))
      assert.deepStrictEqual(exit, Exit.die("broken"))
    })
  )
})

/** Done when undici has read a whole response head in this process. */
const clientHearsHeaders = Effect.gen(function* () {
  const heard = yield* Deferred.make<void>()
  const listener = () => Deferred.doneUnsafe(heard, Effect.void)
  yield* Effect.acquireRelease(
    Effect.sync(() => subscribe("undici:request:headers", listener)),
    () => Effect.sync(() => unsubscribe("undici:request:headers", listener))
  )
  return heard
})
