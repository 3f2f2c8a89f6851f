/** Answers of all kinds of servers, byte for byte, and the outcome of each (spec: Events; silences: W8). */
import net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Outcome } from "../../src/webhooks/deliveries/Outbound.ts"
import { posting, run, stub } from "./receiver.ts"

/** Speaks to the connection once the whole request has come. `nth` counts requests from 0, on all connections. */
const speaking = (speak: (socket: net.Socket, nth: number) => void, host?: string) => {
  let requests = 0
  return run(
    net.createServer((socket) => {
      let heard = ""
      socket.on("data", (chunk) => {
        heard += chunk.toString("latin1")
        // The body is `{}`.
        if (!heard.endsWith("\r\n\r\n{}")) return
        heard = ""
        speak(socket, requests++)
      })
    }),
    host
  )
}

const answered = (status: number, snippet: string): Outcome => ({ _tag: "Answered", status, snippet })
const broken = (detail: string): Outcome => ({ _tag: "NotDelivered", reason: "protocol", detail })

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

describe("outbound: an answer", () => {
  for (const [what, bytes, outcome] of [
    [
      "in chunks, with a trailer",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: A\r\n\r\n2\r\nok\r\n0\r\nA: b\r\n\r\n",
      answered(200, "ok")
    ],
    [
      "in chunks that are none counts by its status",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      answered(200, "")
    ],
    ["of HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nbye", answered(200, "bye")],
    ["after early hints", `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok}`, answered(200, "ok")],
    [
      "that says it is compressed is kept as it is",
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nno",
      answered(200, "no")
    ],
    ["without content and with some is without", "HTTP/1.1 204 No Content\r\n\r\nmore", answered(204, "")],
    ["with a status that nobody knows", "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n", answered(999, "")],
    [
      "that changes the protocol is none",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
      broken("ECONNRESET")
    ],
    ["after a 100 Continue that nobody asked for is none", `HTTP/1.1 100 Continue\r\n\r\n${ok}`, broken("ECONNRESET")],
    [
      "with two lengths is none",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
      broken("HPE_UNEXPECTED_CONTENT_LENGTH")
    ],
    [
      "with a header of 100 kB is none",
      `HTTP/1.1 200 OK\r\nA: ${"b".repeat(100_000)}\r\n\r\n`,
      broken("HPE_HEADER_OVERFLOW")
    ]
  ] as const) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const { port } = yield* speaking((socket) => socket.write(bytes))
        const post = yield* posting(stub())
        assert.deepStrictEqual(yield* post({ url: `http://127.0.0.1:${port}/` }), outcome)
      })
    )
  }

  it.effect("of 100 MB is cut off after what is kept of it, and its sender gets rid of little more", () =>
    Effect.gen(function* () {
      const chunk = Buffer.alloc(1 << 16, "a")
      let sent = 0
      const { closed, port } = yield* speaking((socket) => {
        const total = 100 * (1 << 20)
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${total}\r\n\r\n`)
        const send = () => {
          while (sent < total && !socket.destroyed) {
            sent += chunk.length
            if (!socket.write(chunk)) return void socket.once("drain", send)
          }
        }
        send()
      })
      const post = yield* posting(stub())
      assert.deepStrictEqual(yield* post({ url: `http://127.0.0.1:${port}/` }), answered(200, "a".repeat(1024)))
      yield* closed
      assert.isBelow(sent, 50 * (1 << 20))
    })
  )

  it.effect("of a server at an IPv6 address", () =>
    Effect.gen(function* () {
      const { port } = yield* speaking((socket) => socket.write(ok), "::1")
      const post = yield* posting(stub())
      assert.deepStrictEqual(yield* post({ url: `http://[::1]:${port}/` }), answered(200, "ok"))
    })
  )

  it.effect("that is no HTTP is a failure of the protocol, on a kept connection as on a new one", () =>
    Effect.gen(function* () {
      const { port } = yield* speaking((socket, nth) => socket.write(nth === 0 ? ok : "no HTTP\r\n\r\n"))
      const post = yield* posting(stub())
      const url = `http://127.0.0.1:${port}/`
      assert.deepStrictEqual(yield* post({ url }), answered(200, "ok"))
      for (const _ of ["kept", "new"]) {
        assert.deepStrictEqual(yield* post({ url }), broken("the response is not HTTP/1.1"))
      }
    })
  )

  it.effect("that is unsolicited is not taken for the answer to the next post", () =>
    Effect.gen(function* () {
      const { port } = yield* speaking((socket, nth) =>
        socket.write(nth === 0 ? ok + ok : ok.replace("200 OK", "500 No"))
      )
      const post = yield* posting(stub())
      assert.deepStrictEqual(yield* post({ url: `http://127.0.0.1:${port}/` }), answered(200, "ok"))
      assert.deepStrictEqual(yield* post({ url: `http://127.0.0.1:${port}/` }), answered(500, "ok"))
    })
  )

  for (const [what, end] of [
    ["resets", (socket: net.Socket) => socket.resetAndDestroy()],
    ["closes", (socket: net.Socket) => socket.end()]
  ] as const) {
    it.effect(`of a server that ${what} the connection at once is none, and is asked for once`, () =>
      Effect.gen(function* () {
        let requests = 0
        const { port } = yield* speaking((socket) => {
          requests++
          end(socket)
        })
        const post = yield* posting(stub())
        assert.deepStrictEqual(yield* post({ url: `http://127.0.0.1:${port}/` }), broken("ECONNRESET"))
        assert.strictEqual(requests, 1)
      })
    )
  }
})
