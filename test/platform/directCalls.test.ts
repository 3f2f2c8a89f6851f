/** Direct calls between runners, over real connections with TLS (docs/decisions/0022). */
import { createServer, type TLSSocket } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Queue, Schema, type Scope } from "effect"
import { ClusterError, EntityAddress, EntityId, EntityType, RunnerAddress, Runners, ShardId } from "effect/cluster"
import { callsMax, type Server } from "@coffer/cluster/callShapes"
import * as DirectCalls from "@coffer/cluster/DirectCalls"
import * as RunnerPort from "@coffer/cluster/RunnerPort"
import { dial } from "@coffer/cluster/RunnerDialler"
import { protocolsOf } from "@coffer/cluster/RunnerTls"
import type { Place } from "@coffer/cluster/ThisRunner"
import * as Suspects from "@coffer/cluster/Suspects"
import { eventually } from "../kit/Process.ts"
import { keyed, listening, localPlace, tap, witnessed } from "../kit/runners/Peers.ts"
import { application, thisRunner } from "../kit/runners/thisRunner.ts"

class Refused extends Schema.TaggedError<Refused>()("Refused", { reason: Schema.String }) {}

const shapes = {
  name: "Objects",
  payload: Schema.Struct({ text: Schema.String }),
  success: Schema.String,
  failure: Refused
}

type Perform = Server<{ readonly text: string }, string, Refused>["perform"]

const byMessage = Effect.succeed("by message")

/** A runner that makes direct calls. */
const caller = Effect.gen(function* () {
  const at = yield* localPlace
  const { note, refused } = yield* witnessed
  const suspects = yield* Layer.build(Suspects.layer.pipe(Layer.provide(thisRunner())))
  const made = DirectCalls.make(keyed(at, "key"), note, yield* DirectCalls.makeCounts(application.application))
  const { calls, heard } = yield* Effect.provideContext(made, suspects)
  const call = calls.caller(shapes)
  const answeredBy = ({ host, port }: Place) => heard(addressOf("1"), RunnerAddress.make(host, port))
  /** Goes on until calls to that runner arrive there. */
  const meets = (to: Place) => {
    answeredBy(to)
    return eventually(
      "a direct call",
      Effect.map(call("1", { text: "are you there?" }, undefined, byMessage), (answer) => answer !== "by message")
    )
  }
  return { call, answeredBy, meets, refused, suspects }
})

const addressOf = (entity: string) =>
  EntityAddress.make({
    shardId: ShardId.make("default", 1),
    entityType: EntityType.make("Objects"),
    entityId: EntityId.make(entity)
  })

/** A runner that answers, until the scope ends. */
const owner = Effect.fnUntraced(function* (
  perform: Perform,
  { behind, isHere = () => true }: { readonly isHere?: (entity: string) => boolean; readonly behind?: Place } = {}
) {
  const at = yield* localPlace
  const { note, refused } = yield* witnessed
  const suspects = yield* Layer.build(Suspects.layer.pipe(Layer.provide(thisRunner())))
  const tls = keyed(at, "key")
  const { hangUp, ...direct } = yield* Effect.provideContext(
    DirectCalls.make(tls, note, yield* DirectCalls.makeCounts(application.application)),
    suspects
  )
  yield* Layer.build(RunnerPort.layer(behind ?? at, tls, { ...direct, hangUp }, note))
  yield* direct.calls.serve(shapes, { isHere, perform, isWithoutOwner: ({ reason }) => reason === "no owner" })
  return { at, refused, hangUp }
})

const echo: Perform = ({ text }, header) => Effect.succeed(`heard ${text}${header === undefined ? "" : `, ${header}`}`)

/** Looks after calls that wait, with this answer to pings. */
const pinged = (suspects: Context.Context<Suspects.Suspects>, answer: Effect.Effect<void>) => {
  const runners = { ping: () => answer } as unknown as Runners.Runners["Service"]
  return Layer.build(
    Suspects.layerRunners().pipe(
      Layer.provide([Layer.succeed(Runners.Runners, runners), Layer.succeedContext(suspects)])
    )
  )
}

/** An owner that begins work and does not end it. */
const busy = Effect.gen(function* () {
  const [begun, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const perform: Perform = ({ text }) =>
    text === "work"
      ? Effect.onExit(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never), () =>
          Deferred.succeed(ended, undefined)
        )
      : Effect.succeed("ready")
  return { begun, ended, perform }
})

describe("a direct call", () => {
  it.live("goes to the runner that has answered for the object, and says what was asked and answered", () =>
    Effect.gen(function* () {
      const { at } = yield* owner(echo)
      const { call, meets } = yield* caller
      assert.strictEqual(yield* call("1", { text: "a" }, undefined, byMessage), "by message")
      yield* meets(at)
      const all = Array.from({ length: 50 }, (_, index) => call("1", { text: `${index}\n` }, "its clock", byMessage))
      assert.deepStrictEqual(
        yield* Effect.all(all, { concurrency: "unbounded" }),
        all.map((_, index) => `heard ${index}\n, its clock`)
      )
    })
  )

  it.live("goes by a message where the other runner does not have the object any more", () =>
    Effect.gen(function* () {
      let isHere = true
      const { at } = yield* owner(echo, { isHere: (entity) => entity === "1" && isHere })
      const { call, meets } = yield* caller
      yield* meets(at)
      isHere = false
      assert.strictEqual(yield* call("1", { text: "a" }, undefined, byMessage), "by message")
    })
  )

  it.live("fails as the owner fails, and goes by a message where the owner needs an owner that is not there", () =>
    Effect.gen(function* () {
      const { at } = yield* owner(({ text }) => {
        if (text === "defect") return Effect.die(Object.assign(new Error("a mistake"), { name: "DatabaseUnavailable" }))
        return text === "are you there?" ? Effect.succeed("yes") : Effect.fail(new Refused({ reason: text }))
      })
      const { call, meets } = yield* caller
      yield* meets(at)
      const refusal = yield* Effect.flip(call("1", { text: "too late" }, undefined, byMessage))
      assert.deepStrictEqual([refusal instanceof Refused, refusal.reason], [true, "too late"])
      assert.strictEqual(yield* call("1", { text: "no owner" }, undefined, byMessage), "by message")
      const died = yield* Effect.exit(call("1", { text: "defect" }, undefined, byMessage))
      const defect = Exit.isFailure(died) ? Cause.squash(died.cause) : undefined
      assert.include(defect, { name: "DatabaseUnavailable", message: "a mistake" })
    })
  )

  it.live("whose answer is none that its schema knows fails with that", () =>
    Effect.gen(function* () {
      const { at } = yield* owner(({ text }) => Effect.succeed(text === "wrong" ? (7 as unknown as string) : "yes"))
      const { call, meets } = yield* caller
      yield* meets(at)
      const died = yield* Effect.exit(call("1", { text: "wrong" }, undefined, byMessage))
      assert.include(Exit.isFailure(died) ? Cause.squash(died.cause) : undefined, { name: "SchemaError" })
      assert.strictEqual(yield* call("1", { text: "a" }, undefined, byMessage), "yes")
    })
  )

  it.live("whose connection is lost before its answer goes by a message", () =>
    Effect.gen(function* () {
      const { begun, ended, perform } = yield* busy
      const { at, hangUp } = yield* owner(perform)
      const { call, meets } = yield* caller
      yield* meets(at)
      const waiting = yield* Effect.forkChild(call("1", { text: "work" }, undefined, byMessage))
      yield* Deferred.await(begun)
      hangUp()
      assert.strictEqual(yield* Fiber.join(waiting), "by message")
      yield* Deferred.await(ended)
    })
  )

  it.live("that a stop breaks off goes by a message", () =>
    Effect.gen(function* () {
      const { begun, perform } = yield* busy
      const { call, meets } = yield* caller
      let waiting: Fiber.Fiber<string, Refused> | undefined
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { at } = yield* owner(perform)
          yield* meets(at)
          waiting = yield* Effect.forkDetach(call("1", { text: "work" }, undefined, byMessage))
          yield* Deferred.await(begun)
        })
      )
      assert.strictEqual(yield* Fiber.join(waiting!), "by message")
      assert.strictEqual(yield* call("1", { text: "a" }, undefined, byMessage), "by message")
    })
  )

  it.live("ends at the owner when its caller leaves, and its number serves another one", () =>
    Effect.gen(function* () {
      const { begun, ended, perform } = yield* busy
      const { at } = yield* owner(perform)
      const { call, meets } = yield* caller
      yield* meets(at)
      const left = yield* Effect.forkChild(call("1", { text: "work" }, undefined, byMessage))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(left)
      yield* Deferred.await(ended)
      assert.strictEqual(yield* call("1", { text: "a" }, undefined, byMessage), "ready")
    })
  )

  it.live(`goes by a message beyond ${callsMax} that are under way`, () =>
    Effect.gen(function* () {
      const { begun, perform } = yield* busy
      const { at } = yield* owner(perform)
      const { call, meets } = yield* caller
      yield* meets(at)
      const working = call("1", { text: "work" }, undefined, byMessage)
      for (let count = 0; count < callsMax; count++) yield* Effect.forkChild(working, { startImmediately: true })
      yield* Deferred.await(begun)
      assert.strictEqual(yield* working, "by message")
    })
  )

  it.live("is given up when its owner falls silent", () =>
    Effect.gen(function* () {
      const { begun, perform } = yield* busy
      const { at } = yield* owner(perform)
      const { call, meets, suspects } = yield* caller
      yield* pinged(suspects, Effect.never)
      yield* meets(at)
      const waiting = yield* Effect.forkChild(call("1", { text: "work" }, undefined, byMessage))
      yield* Deferred.await(begun)
      assert.instanceOf(yield* Effect.flip(Fiber.join(waiting)), ClusterError.MailboxFull)
      assert.strictEqual(yield* call("1", { text: "a" }, undefined, byMessage), "by message")
    })
  )
})

describe("a connection that brings nothing any more, while its runner answers pings", () => {
  it.live("is closed, and what waits on it goes by messages", () =>
    Effect.gen(function* () {
      const behind = yield* localPlace
      const { at } = yield* owner(echo, { behind })
      const wire = yield* tap(at, behind)
      const { call, meets, suspects } = yield* caller
      yield* pinged(suspects, Effect.void)
      yield* meets(at)
      wire.change = () => Buffer.alloc(0)
      assert.strictEqual(yield* call("1", { text: "a" }, undefined, byMessage), "by message")
    })
  )

  it.live("is kept while a call takes long and the connection answers", () =>
    Effect.gen(function* () {
      const { begun, perform } = yield* busy
      const { at } = yield* owner(perform)
      const { call, meets, suspects } = yield* caller
      const probes = yield* Queue.unbounded<void>()
      yield* pinged(suspects, Effect.asVoid(Queue.offer(probes, undefined)))
      yield* meets(at)
      const waiting = yield* Effect.forkChild(call("1", { text: "work" }, undefined, byMessage))
      yield* Deferred.await(begun)
      yield* Effect.replicateEffect(Queue.take(probes), 2)
      assert.isUndefined(waiting.pollUnsafe())
      assert.strictEqual(yield* call("1", { text: "a" }, undefined, byMessage), "ready")
    })
  )
})

describe("a runner of a version without direct calls", () => {
  it.live("is sent messages, and is not asked again for a minute whether it takes calls", () =>
    Effect.gen(function* () {
      const at = yield* localPlace
      const connected = yield* Deferred.make<void>()
      let connections = 0
      const server = createServer(
        { ...keyed(at, "key").listening, ALPNProtocols: protocolsOf(application) },
        (socket) => {
          connections++
          socket.on("error", () => undefined).once("close", () => Deferred.doneUnsafe(connected, Exit.void))
          socket.resume()
        }
      )
      yield* listening(server, at)
      const { answeredBy, call, refused } = yield* caller
      answeredBy(at)
      for (let count = 0; count < 3; count++) {
        assert.strictEqual(yield* call("1", { text: "a" }, undefined, byMessage), "by message")
        yield* Deferred.await(connected)
      }
      assert.deepStrictEqual([connections, refused()], [1, {}])
    })
  )
})

describe("a caller", () => {
  /** A port at which the test answers for a runner that takes direct calls. */
  const portOfTest = Effect.fnUntraced(function* (take: (socket: TLSSocket) => void) {
    const at = yield* localPlace
    const server = createServer(keyed(at, "key").listening, (socket) => take(socket.on("error", () => undefined)))
    yield* listening(server, at)
    return at
  })

  it.live("closes a connection whose answer has no number of a call, and sends the call by a message", () =>
    Effect.gen(function* () {
      for (const answer of ['["length",0,1]', "[1.5,0,1]", "[0]x", "{}"]) {
        const at = yield* portOfTest((socket) => void socket.on("data", () => socket.write(`${answer}\n`)))
        const { answeredBy, call, refused } = yield* caller
        answeredBy(at)
        const isRefused = Effect.map(call("1", { text: "a" }, undefined, byMessage), (told) => {
          assert.strictEqual(told, "by message")
          return refused()["outgoing broken"] === 1
        })
        yield* eventually(`a refusal of ${answer}`, isRefused)
      }
    })
  )

  it.live("closes a connection that opens after its runner has left the register", () =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<void>()
      const at = yield* portOfTest(
        (socket) => void socket.once("close", () => Deferred.doneUnsafe(closed, Exit.void)).resume()
      )
      const { answeredBy, call, suspects } = yield* caller
      answeredBy(at)
      yield* call("1", { text: "a" }, undefined, byMessage)
      Context.get(suspects, Suspects.Suspects).keepOnly(new Set())
      yield* Deferred.await(closed)
    })
  )
})

describe("a connection on which something comes that is no call", () => {
  const sentTo = (at: Place, text: string): Effect.Effect<void, unknown, Scope.Scope> =>
    Effect.gen(function* () {
      const { note } = yield* witnessed
      const socket = yield* dial(keyed(at, "key").diallingForCalls(at), at, note)
      yield* Effect.callback<void>((resume) => {
        socket.once("close", () => resume(Effect.void)).resume()
        socket.write(text)
      })
    })

  for (const [what, text] of [
    ["text", "GET / HTTP/1.1\n"],
    ["an object", "{}\n"],
    ["a call without a number", '["1","Objects","1",{"text":"work"}]\n'],
    ["a number that is too large", `[${callsMax},"Objects","1",{"text":"work"}]\n`],
    ["a number that is in use", '[1,"Objects","1",{"text":"work"}]\n[1,"Objects","1",{"text":"work"}]\n']
  ] as const) {
    it.live(`is closed and counted: ${what}`, () =>
      Effect.gen(function* () {
        const { perform } = yield* busy
        const { at, refused } = yield* owner(perform)
        yield* sentTo(at, text)
        assert.deepStrictEqual(refused(), { "incoming broken": 1 })
      })
    )
  }

  it.live("stays open where the call is one and its contents are not: it is answered with the mistake", () =>
    Effect.gen(function* () {
      const { at, refused } = yield* owner(echo)
      const { note } = yield* witnessed
      const socket = yield* dial(keyed(at, "key").diallingForCalls(at), at, note)
      const answer = yield* Effect.callback<string>((resume) => {
        socket.once("data", (bytes: Buffer) => resume(Effect.succeed(bytes.toString())))
        socket.write('[7,"Objects","1",{"text":1}]\n')
      })
      assert.match(answer, /^\[7,2,\{"name":"SchemaError","message":".*string.*\n$/i)
      assert.deepStrictEqual([refused(), socket.destroyed], [{}, false])
    })
  )
})
