/**
 * The rules about addresses hold where connections are made (spec: Webhook endpoints; silences: W12): the whole
 * corpus is posted to in live, and no socket is opened. Node reports its sockets, so a connection to any
 * address is seen.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { corpus } from "../rules/corpus/corpus.ts"
import { answering, post, reasonOf, stub } from "./receiver.ts"

describe("outbound: no connection to what is not public", () => {
  for (const { text, verdict } of corpus("urls").filter((row) => row.verdict !== "live")) {
    it.effect(`live: ${text} (${verdict}) is neither looked up nor connected to`, () =>
      Effect.gen(function* () {
        const sockets = yield* openedSockets()
        const resolver = stub(["127.0.0.1"])
        const outcome = yield* post({ url: text, privateAllowed: false }, resolver)
        assert.strictEqual(reasonOf(outcome), "refused_address")
        assert.deepStrictEqual([resolver.asked, sockets()], [[], 0])
      })
    )
  }

  for (const { text, verdict } of corpus("addresses").filter((row) => row.verdict === "closed")) {
    it.effect(`a name that resolves to ${text} is not connected to, in live nor in a closed sandbox`, () =>
      Effect.gen(function* () {
        const sockets = yield* openedSockets()
        for (const httpAllowed of [false, true]) {
          const url = `${httpAllowed ? "http" : "https"}://merchant.example/`
          const outcome = yield* post({ url, httpAllowed, privateAllowed: false }, stub([text]))
          assert.strictEqual(reasonOf(outcome), "refused_address", verdict)
        }
        assert.strictEqual(sockets(), 0)
      })
    )
  }

  it.effect("a name with a public and a private address is not connected to at all, in either order", () =>
    Effect.gen(function* () {
      const sockets = yield* openedSockets()
      for (const answer of [
        ["2606:4700::1", "127.0.0.1"],
        ["127.0.0.1", "2606:4700::1"],
        ["1.1.1.1", "::1"]
      ]) {
        const outcome = yield* post({ url: "https://merchant.example/", privateAllowed: false }, stub(answer))
        assert.strictEqual(reasonOf(outcome), "refused_address")
      }
      assert.strictEqual(sockets(), 0)
    })
  )
})

describe("outbound: the address that was checked", () => {
  it.effect("is the one that is connected to: a name that changes its answer is asked once", () =>
    Effect.gen(function* () {
      const server = yield* answering((_, response) => response.end("checked"))
      const sockets = yield* openedSockets(server.port)
      const resolver = stub(["127.0.0.1"], ["127.0.0.99"])
      const outcome = yield* post({ url: `http://rebinding.example:${server.port}/` }, resolver)
      assert.deepStrictEqual(outcome, { _tag: "Answered", status: 200, snippet: "checked" })
      assert.deepStrictEqual([resolver.asked, sockets()], [["rebinding.example"], 1])
    })
  )

  it.effect("a redirect to a private address is an answer, and is not followed", () =>
    Effect.gen(function* () {
      const inside = yield* answering((_, response) => response.end("secret"))
      const server = yield* answering((_, response) =>
        response.writeHead(307, { location: `http://127.0.0.1:${inside.port}/` }).end()
      )
      const outcome = yield* post({ url: `http://127.0.0.1:${server.port}/` })
      assert.deepStrictEqual(outcome, { _tag: "Answered", status: 307, snippet: "" })
      assert.strictEqual(inside.connections(), 0)
    })
  )
})

/**
 * How many connections this process has tried to make since, to the ports that URLs of the corpus name and to `served`.
 * The system gives ports from 32768 on: other files of the worker have servers there, and may connect to them again.
 */
const openedSockets = (served?: number) =>
  Effect.gen(function* () {
    const ports: Array<number> = []
    const listener = (message: unknown) =>
      void (message as { readonly socket: Socket }).socket.on("connectionAttempt", (_, port) => void ports.push(port))
    yield* Effect.acquireRelease(
      Effect.sync(() => subscribe("net.client.socket", listener)),
      () => Effect.sync(() => unsubscribe("net.client.socket", listener))
    )
    return () => ports.filter((port) => port < 32_768 || port === served).length
  })
