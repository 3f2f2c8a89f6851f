/** The right to speak to a runner port, and the lines about those who have none (docs/decisions/0027). */
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import type { Server, Socket } from "node:net"
import { connect, createServer as createTlsServer } from "node:tls"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Layer, Scope } from "effect"
import { MaxOpsBeforeYield } from "effect/Scheduler"
import { type Socket as EffectSocket, SocketServer } from "effect/socket"
import { dial } from "@coffer/cluster/RunnerDialler"
import { layer, unprovenMax } from "@coffer/cluster/RunnerPort"
import {
  callerWith,
  calling,
  keyed,
  knocking,
  listening,
  localPlace,
  portOf,
  takesNoCalls,
  tap,
  witnessed
} from "../kit/runners/Peers.ts"
import { eventually } from "../kit/Process.ts"

const until = (what: string, check: () => boolean) => eventually(what, Effect.sync(check), "1 minute")

/** A runner port behind a man in the middle. */
const tapped = Effect.gen(function* () {
  const [own, behind] = [yield* localPlace, yield* localPlace]
  const port = yield* portOf(keyed(own, "key"), behind)
  const wire = yield* tap(own, behind)
  return { own, port, wire, caller: yield* callerWith(keyed(yield* localPlace, "key")) }
})

describe("runners with one SECRET_KEY", () => {
  it.live("talk, and an eavesdropper cannot read what they say", () =>
    Effect.gen(function* () {
      const { caller, own, port, wire } = yield* tapped
      assert.strictEqual(yield* caller.call(own, "a word of the test"), "heard a word of the test")
      assert.isFalse(Buffer.concat(wire.sent).includes("a word of the test"))
      assert.deepStrictEqual([port.refused(), caller.refused(), port.log, caller.log], [{}, {}, [], []])
    })
  )
})

describe("a runner port refuses, logs and counts", () => {
  it.live("a message without a key", () =>
    Effect.gen(function* () {
      const port = yield* portOf(keyed(yield* localPlace, "key"), yield* localPlace)
      const forged = calling(NodeClusterSocket.layerClientProtocol)
      assert.isUndefined(yield* forged(port.at, "forged"))
      assert.deepStrictEqual([port.received, port.refused()], [[], { "incoming handshake": 1 }])
      assert.lengthOf(port.log, 1)
      assert.match(port.log[0]!, /a connection from 127\.0\.0\.1:\d+ to the runner port was refused/)
    })
  )

  it.live("a runner with another key, which refuses it too", () =>
    Effect.gen(function* () {
      const at = yield* localPlace
      const port = yield* portOf(keyed(at, "key"), at)
      const other = yield* callerWith(keyed(yield* localPlace, "another key"))
      assert.isUndefined(yield* other.call(at, "from elsewhere"))
      assert.deepStrictEqual([port.received, port.refused()], [[], { "incoming handshake": 1 }])
      assert.match(
        port.log.join("\n"),
        /refused: it did not prove that it is a runner \(ERR_SSL_PSK_IDENTITY_NOT_FOUND\)/
      )
      assert.deepStrictEqual(other.refused(), { "outgoing handshake": 1 })
      assert.match(other.log.join("\n"), new RegExp(`the connection to the runner 127.0.0.1:${at.port} was refused`))
    })
  )

  it.live("a runner that knows the key's name and not the key", () =>
    Effect.gen(function* () {
      const at = yield* localPlace
      const port = yield* portOf(keyed(at, "key"), at)
      const real = keyed(at, "key").dialling(at)
      const liar = yield* callerWith({
        ...keyed(at, "key"),
        dialling: () => ({
          ...real,
          pskCallback: (hint) => ({ ...real.pskCallback!(hint)!, psk: Buffer.alloc(32, 1) })
        })
      })
      assert.isUndefined(yield* liar.call(at, "a lie"))
      assert.deepStrictEqual([port.received, port.refused()], [[], { "incoming handshake": 1 }])
    })
  )

  it.live("a recorded connection that is sent again", () =>
    Effect.gen(function* () {
      const { caller, own, port, wire } = yield* tapped
      yield* caller.call(own, "once")
      const recorded = Buffer.concat(wire.sent)
      const { closed, socket } = yield* knocking(port.at)
      socket.write(recorded)
      yield* closed
      assert.deepStrictEqual([port.received, port.refused()], [["once"], { "incoming handshake": 1 }])
      assert.lengthOf(port.log, 1)
    })
  )

  it.live("a connection that is led to another runner than it was for, or back to its own", () =>
    Effect.gen(function* () {
      const [own, behind] = [yield* localPlace, yield* localPlace]
      const port = yield* portOf(keyed(behind, "key"), behind)
      yield* tap(own, behind)
      const caller = yield* callerWith(keyed(behind, "key"))
      assert.isUndefined(yield* caller.call(own, "led astray"))
      assert.deepStrictEqual([port.received, port.refused()], [[], { "incoming handshake": 1 }])
    })
  )

  it.live("bytes that were changed on their way", () =>
    Effect.gen(function* () {
      const { caller, own, port, wire } = yield* tapped
      // Bytes after the handshake are a record of this kind, and end with the tag that authenticates it.
      wire.change = (bytes) => (bytes[0] === 23 ? Buffer.from([...bytes.subarray(0, -1), bytes.at(-1)! ^ 1]) : bytes)
      assert.isUndefined(yield* caller.call(own, "to be changed"))
      assert.deepStrictEqual([port.received, port.refused()], [[], { "incoming broken": 1 }])
      assert.match(port.log.join("\n"), /something on it was not genuine.*BAD_RECORD_MAC/)
    })
  )

  it.live("a flood of forged messages, with one line in the log", () =>
    Effect.gen(function* () {
      const port = yield* portOf(keyed(yield* localPlace, "key"), yield* localPlace)
      const knock = Effect.gen(function* () {
        const { closed, socket } = yield* knocking(port.at)
        socket.write("GET / HTTP/1.1\r\n\r\n")
        yield* closed
      })
      yield* Effect.forEach(Array(200).keys(), () => knock, { concurrency: 20 })
      assert.deepStrictEqual([port.log.length, port.refused()], [1, { "incoming handshake": 200 }])
    })
  )

  it.live("one that proves nothing in three seconds, also when it goes on sending", () =>
    Effect.gen(function* () {
      const port = yield* portOf(keyed(yield* localPlace, "key"), yield* localPlace)
      const [silent, slow] = [yield* knocking(port.at), yield* knocking(port.at)]
      // A record that is announced and comes byte by byte.
      slow.socket.write(Buffer.from([22, 3, 1, 1, 0]))
      const drip = setInterval(() => slow.socket.write(Buffer.from([1])), 100)
      yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(drip)))
      yield* silent.closed
      yield* slow.closed
      assert.deepStrictEqual(port.refused(), { "incoming deadline": 2 })
    })
  )

  it.live(`the oldest of more than ${unprovenMax} that have proved nothing, so that a runner still gets through`, () =>
    Effect.gen(function* () {
      const at = yield* localPlace
      const port = yield* portOf(keyed(at, "key"), at)
      const caller = yield* callerWith(keyed(at, "key"))
      const silent = yield* Effect.forEach(Array(unprovenMax).keys(), () => knocking(at))
      assert.strictEqual(yield* caller.call(at, "through"), "heard through")
      yield* silent[0]!.closed
      assert.strictEqual(port.refused()["incoming crowded"], 1)
    })
  )

  it.live("those that go away or are reset, which are counted and not logged", () =>
    Effect.gen(function* () {
      const at = yield* localPlace
      const port = yield* portOf(keyed(at, "key"), at)
      for (const leave of ["destroy", "resetAndDestroy", "end"] as const) {
        const [mute, begun] = [yield* knocking(at), yield* knocking(at)]
        begun.socket.write(Buffer.from([22, 3, 1, 1, 0]))
        mute.socket[leave]()
        begun.socket[leave]()
      }
      yield* until("all to be counted", () => port.refused()["incoming hung_up"] === 6)
      assert.deepStrictEqual(port.log, [])
    })
  )
})

/** Node's server behind the next connection that is accepted in this process. */
const nextServer = Effect.callback<Server>((resume) => {
  const listener = (message: unknown) => {
    const { server } = (message as { readonly socket: Socket & { readonly server: Server } }).socket
    resume(Effect.succeed(server))
  }
  subscribe("net.server.socket", listener)
  return Effect.sync(() => unsubscribe("net.server.socket", listener))
})

describe("a runner port", () => {
  it.live("closes with its runner although one that proved itself is not answered yet", () =>
    Effect.gen(function* () {
      const at = yield* localPlace
      const tls = keyed(at, "key")
      const scope = yield* Scope.make()
      // The proof is not received.
      yield* Scope.provide(Layer.build(layer(at, tls, takesNoCalls, () => undefined)), scope)
      const peer = connect({ ...tls.dialling(at), ...at }).on("error", () => undefined)
      const secured = once(peer, "secureConnect")
      yield* Effect.addFinalizer(() => Effect.sync(() => peer.destroy()))
      yield* Effect.promise(() => secured)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* until("the port to be closed", () => closing.pollUnsafe() !== undefined)
    })
  )

  for (const [what, answer] of [
    ["has taken and not begun to answer", () => Effect.never],
    [
      "has written more to than the other end reads",
      (socket: EffectSocket.Socket) =>
        Effect.scoped(
          Effect.andThen(Effect.all([socket.reader, socket.writer]), ([, { write }]) =>
            Effect.andThen(write(new Uint8Array(64 * 1024 ** 2)), Effect.never)
          )
        )
    ]
  ] as const) {
    it.live(`closes although there is a connection that it ${what}`, () =>
      Effect.gen(function* () {
        const at = yield* localPlace
        const tls = keyed(at, "key")
        const scope = yield* Scope.make()
        const context = yield* Scope.provide(Layer.build(layer(at, tls, takesNoCalls, () => undefined)), scope)
        const taken = yield* Deferred.make<void>()
        const run = Context.get(context, SocketServer.SocketServer).run((socket) =>
          Effect.andThen(Deferred.succeed(taken, undefined), answer(socket))
        )
        yield* Effect.forkIn(run, scope)
        const peer = connect({ ...tls.dialling(at), ...at }).on("error", () => undefined)
        yield* Effect.addFinalizer(() => Effect.sync(() => peer.destroy()))
        yield* Deferred.await(taken)
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        yield* until("the port to be closed", () => closing.pollUnsafe() !== undefined)
      })
    )
  }

  it.live("goes on when a connection cannot be accepted", () =>
    Effect.gen(function* () {
      const at = yield* localPlace
      yield* portOf(keyed(at, "key"), at)
      const caller = yield* callerWith(keyed(yield* localPlace, "key"))
      const [server] = yield* Effect.all([nextServer, caller.call(at, "before")], { concurrency: 2 })
      // As Node tells it where the process has no file left for one.
      const noFile = Object.assign(new Error("accept EMFILE"), { code: "EMFILE" })
      for (const _ of ["one", "another"]) server.emit("error", noFile)
      assert.strictEqual(yield* caller.call(at, "after"), "heard after")
    })
  )
})

describe("a runner sends nothing to", () => {
  it.live("a proxy that ends TLS without the key", () =>
    Effect.gen(function* () {
      const heard: Array<string> = []
      const at = yield* localPlace
      // It may know the key's name, which goes over the wire in clear.
      const middle = createTlsServer({ ...keyed(at, "key").listening, pskCallback: () => Buffer.alloc(32, 7) })
      middle.on("secureConnection", (socket) => socket.on("data", (bytes) => heard.push(bytes.toString())))
      yield* listening(middle, at)
      const caller = yield* callerWith(keyed(yield* localPlace, "key"))
      assert.isUndefined(yield* caller.call(at, "a secret"))
      assert.deepStrictEqual([heard, caller.refused()], [[], { "outgoing handshake": 1 }])
      assert.match(caller.log.join("\n"), /the connection to the runner .* was refused/)
    })
  )
})

describe("while SECRET_KEY is replaced", () => {
  const stages = { old: ["old"], both: ["new", "old"], new: ["new"] } as const
  for (const [from, to, meet] of [
    ["old", "old", true],
    ["old", "both", true],
    ["both", "old", true],
    ["both", "both", true],
    ["both", "new", true],
    ["new", "both", true],
    ["old", "new", false],
    ["new", "old", false]
  ] as const) {
    it.live(`a runner with ${from} keys ${meet ? "reaches one" : "is refused by one"} with ${to}`, () =>
      Effect.gen(function* () {
        const at = yield* localPlace
        const port = yield* portOf(keyed(at, ...stages[to]), at)
        const caller = yield* callerWith(keyed(yield* localPlace, ...stages[from]))
        assert.strictEqual(yield* caller.call(at, "hello"), meet ? "heard hello" : undefined)
        assert.deepStrictEqual(port.refused(), meet ? {} : { "incoming handshake": 1 })
      })
    )
  }
})

describe("a runner that dials", () => {
  it.live("learns that the other one refuses, whichever step of its fiber is delayed meanwhile", () =>
    Effect.gen(function* () {
      const [own, closed] = [yield* localPlace, yield* localPlace]
      const how = keyed(own, "key").dialling(closed)
      const { note, refused } = yield* witnessed
      // The fiber gives way after so many steps: once between each two of the dial's own.
      for (let steps = 3; steps <= 40; steps++) {
        const dialling = Effect.scoped(dial(how, closed, note)).pipe(Effect.provideService(MaxOpsBeforeYield, steps))
        const { reason } = yield* Effect.flip(dialling)
        assert.include(String(reason.cause), "ECONNREFUSED", `${steps} steps`)
      }
      assert.deepStrictEqual(refused(), {})
    })
  )
})
