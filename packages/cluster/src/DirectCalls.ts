/**
 * Calls that go straight to the runner that has an entity, on a connection of their own between two runners. A message
 * of the library costs some 150 steps of fibers for each call. A direct call is a line of JSON each way, and all lines
 * of one turn of the event loop are one write (docs/decisions/0219).
 *
 * The library's messages stay the law. A call goes by them where the other runner is not known yet, has no connection,
 * does not have the entity, or was lost before it answered. So a call may arrive twice, as a message may.
 */
import type { TLSSocket } from "node:tls"
import { Cause, Context, Effect, Exit, type Fiber, FiberSet, Metric, Option, Schema, type Scope } from "effect"
import { ClusterError, type EntityAddress, type RunnerAddress } from "effect/cluster"
import { lines, lineWriter } from "./lines.ts"
import { elapsedMillis } from "./realTime.ts"
import type { Note } from "./refusedPeers.ts"
import { dial } from "./RunnerDialler.ts"
import { isForCalls, type RunnerTls } from "./RunnerTls.ts"
import { type DirectConnection, isSilent, type Peer, peerOf, Suspects } from "./Suspects.ts"
import { withoutServices } from "./withoutServices.ts"

/** Calls that may be under way on one connection. Further ones go by messages, which have limits of their own. */
export const callsMax = 8_192
/** How long after a connection came to nothing another one is tried. */
const dialPauseMillis = 5_000
/** The same after a runner that takes no direct calls: it is of a version before them. */
const olderPauseMillis = 60_000
/** How long a stop waits for calls that it has broken off. They end with the commit that is under way. */
const endPatience = "3 seconds"

/** The form of a call on the way. The other end has the same under the same name. */
export interface Shapes<Message, Success, Failure> {
  readonly name: string
  readonly payload: Schema.Codec<Message, unknown>
  readonly success: Schema.Codec<Success, unknown>
  readonly failure: Schema.Codec<Failure, unknown>
}

export interface Server<Message, Success, Failure> {
  /** Whether this runner has the entity now. */
  readonly isHere: (entity: string) => boolean
  /** `header` is what the caller has sent beside the message. */
  readonly perform: (message: Message, header: string | undefined) => Effect.Effect<Success, Failure>
  /** Whether this failure says that the call has to find another owner. */
  readonly isWithoutOwner: (error: Failure) => boolean
}

export type Caller<Message, Success, Failure> = <E>(
  entity: string,
  message: Message,
  header: string | undefined,
  otherwise: Effect.Effect<Success, E>
) => Effect.Effect<Success, Failure | E>

export class DirectCalls extends Context.Service<
  DirectCalls,
  {
    /** Answers the calls for entities of this name until the scope closes, which breaks off those at work. */
    readonly serve: <Message, Success, Failure>(
      shapes: Shapes<Message, Success, Failure>,
      server: Server<Message, Success, Failure>
    ) => Effect.Effect<void, never, Scope.Scope>
    /** Calls the owner of an entity, or runs `otherwise` where that cannot be. A defect of the owner is one here. */
    readonly caller: <Message, Success, Failure>(
      shapes: Shapes<Message, Success, Failure>
    ) => Caller<Message, Success, Failure>
  }
>()("@coffer/cluster/DirectCalls") {}

/** For a process that is alone, and where connections prove nothing: all calls go by messages. */
export const none = DirectCalls.of({
  serve: () => Effect.void,
  caller: () => (_entity, _message, _header, otherwise) => otherwise
})

/** The connections, for those who open and accept them. */
export interface Wiring {
  readonly calls: DirectCalls["Service"]
  /** This runner has just answered for this entity. */
  readonly heard: (entity: EntityAddress.EntityAddress, from: RunnerAddress.RunnerAddress) => void
  /** A runner that has proved itself, and has said that it makes direct calls. */
  readonly accept: (socket: TLSSocket) => void
  /** Ends the connections of other runners. */
  readonly hangUp: () => void
}

const callsTotal = (application: string) =>
  Metric.counter(`${application}_direct_calls_total`, {
    description: "Direct calls to other runners, by whether they were answered or went by a message after all",
    incremental: true
  })

/** For as long as the scope is open. */
export const make = Effect.fnUntraced(function* (application: string, tls: RunnerTls, note: Note) {
  const { peers } = yield* Suspects
  const run = yield* FiberSet.makeRuntime()
  const context = yield* Effect.context()
  const counter = (outcome: string) => {
    const own = Metric.withAttributes(callsTotal(application), { outcome })
    own.updateUnsafe(0, context)
    return () => own.updateUnsafe(1, context)
  }
  const count = { answered: counter("answered"), otherwise: counter("otherwise") }
  const incoming = makeIncoming(note)

  /** Which runner answered last for an entity. */
  const owners = new Map<string, { readonly entity: EntityAddress.EntityAddress; readonly peer: Peer }>()
  const connections = new Map<Peer, Outgoing>()
  /** When a connection to a runner may be tried next. */
  const dialNotBefore = new WeakMap<Peer, number>()

  /** Opens a connection and keeps it until either end closes it. */
  const connecting = (peer: Peer) =>
    Effect.gen(function* () {
      const socket = yield* dial(tls.diallingForCalls(peer.address), peer.address, note)
      if (!isForCalls(socket)) return void dialNotBefore.set(peer, elapsedMillis() + olderPauseMillis)
      const connection = makeOutgoing(socket, peer, note, count)
      connections.set(peer, connection)
      peer.direct = connection
      yield* Effect.ensuring(
        Effect.callback<void>((resume) => void socket.once("close", () => resume(Effect.void))),
        Effect.sync(() => {
          connections.delete(peer)
          peer.direct = undefined
          connection.close()
        })
      )
    }).pipe(Effect.scoped, Effect.ignore)

  /** Undefined where calls go by messages for now. */
  const connectionTo = (peer: Peer): Outgoing | undefined => {
    if (isSilent(peer)) return undefined
    const connection = connections.get(peer)
    if (connection !== undefined) return connection
    const now = elapsedMillis()
    if (now < (dialNotBefore.get(peer) ?? 0) || peers.get(peer.name) !== peer) return undefined
    dialNotBefore.set(peer, now + dialPauseMillis)
    run(connecting(peer))
    return undefined
  }

  const calls = DirectCalls.of({
    serve: incoming.serve,
    caller: ({ failure, name, payload, success }) => {
      const encode = Schema.encodeSync(Schema.toCodecJson(payload))
      const decoded = {
        success: Schema.decodeUnknownSync(Schema.toCodecJson(success)),
        failure: Schema.decodeUnknownSync(Schema.toCodecJson(failure))
      }
      return (entity, message, header, otherwise) =>
        Effect.suspend(() => {
          const owner = owners.get(nameOf(name, entity))
          const connection = owner && connectionTo(owner.peer)
          if (connection === undefined) return otherwise
          return connection.call([name, entity, encode(message), header], { decoded, otherwise, of: owner!.entity })
        })
    }
  })
  const heard: Wiring["heard"] = (entity, from) => {
    owners.set(nameOf(entity.entityType, entity.entityId), { entity, peer: peerOf(peers, from) })
  }
  return { calls, heard, accept: incoming.accept, hangUp: incoming.hangUp } satisfies Wiring
})

const nameOf = (type: string, entity: string) => `${type}/${entity}`

/** A defect keeps its name and message, as one does that comes by a message. */
const defect = Schema.toCodecJson(Schema.Defect())
const encodeDefect = Schema.encodeSync(defect)
const decodeDefect = Schema.decodeUnknownSync(defect)

/** How a call ended, in its answer. */
const outcomes = { success: 0, failure: 1, defect: 2, notHere: 3 } as const

// To another runner ---------------------------------------------------------------
// A call has a number on its connection. Each number is answered once, also when the caller has left, and is free for
// another call then.

interface Decoded {
  readonly success: (answer: unknown) => any
  readonly failure: (answer: unknown) => any
}

interface Question {
  readonly of: EntityAddress.EntityAddress
  readonly decoded: Decoded
  readonly otherwise: Effect.Effect<any, any>
}

interface Call extends Question {
  readonly since: number
  /** Undefined when the caller has left. */
  resume: ((answer: Effect.Effect<any, any>) => void) | undefined
}

interface Outgoing extends DirectConnection {
  readonly call: (line: ReadonlyArray<unknown>, question: Question) => Effect.Effect<any, any>
}

interface Counted {
  readonly answered: () => void
  readonly otherwise: () => void
}

const makeOutgoing = (socket: TLSSocket, peer: Peer, note: Note, count: Counted): Outgoing => {
  // By number. A Map would keep all that has passed through it.
  const calls: Array<Call | undefined> = []
  const free: Array<number> = []
  const write = lineWriter(socket)

  const answer = (line: unknown) => {
    if (!Array.isArray(line)) return false
    const [number, outcome, value] = line as ReadonlyArray<unknown>
    const call = calls[number as number]
    if (call === undefined) return false
    calls[number as number] = undefined
    free.push(number as number)
    const { decoded, otherwise, resume } = call
    if (resume === undefined) return true
    if (outcome === outcomes.notHere) count.otherwise()
    else count.answered()
    resume(answerOf(outcome, value, decoded, otherwise))
    return true
  }

  const end = (answer: (call: Call) => Effect.Effect<any, any>) => {
    socket.destroy()
    for (const [number, call] of calls.entries()) {
      calls[number] = undefined
      if (call?.resume !== undefined) call.resume(answer(call))
    }
  }

  lines(socket, {
    line: answer,
    heard: () => (peer.answered = elapsedMillis()),
    broken: () => note({ side: "outgoing", reason: "broken", address: peer.name, code: "NO_CALL" })
  })

  return {
    call: (line, question) =>
      Effect.callback((resume) => {
        if ((free.length === 0 && calls.length >= callsMax) || socket.destroyed) return resume(question.otherwise)
        const number = free.pop() ?? calls.length
        const call: Call = { ...question, since: elapsedMillis(), resume }
        calls[number] = call
        write([number, ...line])
        return Effect.sync(() => {
          if (calls[number] !== call) return
          call.resume = undefined
          write([number])
        })
      }),
    waitingSince: () =>
      calls.reduce<number | undefined>(
        (first, call) => (call === undefined ? first : Math.min(call.since, first ?? Infinity)),
        undefined
      ),
    giveUp: () => end(({ of: address }) => Effect.fail(new ClusterError.MailboxFull({ address }))),
    close: () =>
      end(({ otherwise }) => {
        count.otherwise()
        return otherwise
      })
  }
}

const answerOf = (outcome: unknown, value: unknown, decoded: Decoded, otherwise: Effect.Effect<any, any>) => {
  switch (outcome) {
    case outcomes.success:
      return Effect.suspend(() => Effect.succeed(decoded.success(value)))
    case outcomes.failure:
      return Effect.suspend(() => Effect.fail(decoded.failure(value)))
    case outcomes.defect:
      return Effect.suspend(() => Effect.die(decodeDefect(value)))
    default:
      return otherwise
  }
}

// From other runners --------------------------------------------------------------

interface AtWork {
  readonly of: Served
  readonly fiber: Fiber.Fiber<unknown, unknown>
}

interface Served {
  readonly isHere: (entity: string) => boolean
  /** The call, as a fiber of its own. */
  readonly begin: (payload: unknown, header: string | undefined) => Fiber.Fiber<unknown, unknown>
  readonly answerOf: (exit: Exit.Exit<any, any>) => ReadonlyArray<unknown>
}

const makeIncoming = (note: Note) => {
  const served = new Map<string, Served>()
  const open = new Map<TLSSocket, Array<AtWork | undefined>>()

  const interruptAll = (all: ReadonlyArray<AtWork | undefined>) => {
    for (const each of all) each?.fiber.interruptUnsafe()
  }

  const serve: DirectCalls["Service"]["serve"] = Effect.fnUntraced(function* (shapes, server) {
    const { name, payload } = shapes
    // Each fiber has this context.
    const fork = Effect.runForkWith(withoutServices(yield* Effect.context()))
    const decode = Schema.decodeUnknownSync(Schema.toCodecJson(payload))
    const own: Served = {
      isHere: server.isHere,
      begin: (sent, header) => fork(Effect.suspend(() => server.perform(decode(sent), header))),
      answerOf: answering(shapes, server.isWithoutOwner)
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => void served.set(name, own)),
      () =>
        Effect.suspend(() => {
          served.delete(name)
          const atWork = [...open.values()].flat().filter((each) => each?.of === own)
          interruptAll(atWork)
          return Effect.timeoutOption(
            Effect.forEach(atWork, (each) => awaiting(each!.fiber), { concurrency: "unbounded", discard: true }),
            endPatience
          )
        })
    )
  })

  const accept = (socket: TLSSocket) => {
    const address = `${socket.remoteAddress}:${socket.remotePort}`
    // By the caller's number.
    const atWork: Array<AtWork | undefined> = []
    open.set(socket, atWork)
    socket.once("close", () => {
      open.delete(socket)
      interruptAll(atWork)
    })
    const write = lineWriter(socket)

    const begin = (line: unknown): boolean => {
      if (!isCall(line)) return false
      const [number, name, entity, payload, header] = line
      // The caller has left. Its call is answered by the interruption, or has been answered.
      if (name === undefined) return (atWork[number]?.fiber.interruptUnsafe(), true)
      if (atWork[number] !== undefined) return false
      const of = served.get(name)
      if (of?.isHere(entity!) !== true) return (write([number, outcomes.notHere]), true)
      const fiber = of.begin(payload, header ?? undefined)
      atWork[number] = { of, fiber }
      fiber.addObserver((exit) => {
        atWork[number] = undefined
        write([number, ...of.answerOf(exit)])
      })
      return true
    }
    lines(socket, {
      line: begin,
      broken: () => note({ side: "incoming", reason: "broken", address, code: "NO_CALL" })
    })
    socket.resume()
  }

  return { serve, accept, hangUp: () => open.forEach((_, socket) => socket.destroySoon()) }
}

/** Waits until a fiber has ended, however it ended. */
const awaiting = (fiber: Fiber.Fiber<unknown, unknown>) =>
  Effect.callback<void>((resume) => void fiber.addObserver(() => resume(Effect.void)))

type CallLine = readonly [number: number, name?: string, entity?: string, payload?: unknown, header?: string | null]

const isCall = (line: unknown): line is CallLine => {
  if (!Array.isArray(line)) return false
  const [number, name, entity, , header] = line as ReadonlyArray<unknown>
  if (!Number.isInteger(number) || (number as number) < 0 || (number as number) >= callsMax) return false
  if (name === undefined) return line.length === 1
  const isHeader = header === undefined || header === null || typeof header === "string"
  return typeof name === "string" && typeof entity === "string" && isHeader
}

const answering = <Message, Success, Failure>(
  { failure, success }: Shapes<Message, Success, Failure>,
  isWithoutOwner: (error: Failure) => boolean
) => {
  const encode = {
    success: Schema.encodeSync(Schema.toCodecJson(success)),
    failure: Schema.encodeSync(Schema.toCodecJson(failure))
  }
  return (exit: Exit.Exit<Success, Failure>): ReadonlyArray<unknown> => {
    if (Exit.isSuccess(exit)) return [outcomes.success, encode.success(exit.value)]
    const { cause } = exit
    const error = Cause.findErrorOption(cause)
    if (Option.isSome(error)) {
      return isWithoutOwner(error.value) ? [outcomes.notHere] : [outcomes.failure, encode.failure(error.value)]
    }
    // A runner that stops breaks calls off: they find another owner.
    if (Cause.hasInterruptsOnly(cause)) return [outcomes.notHere]
    return [outcomes.defect, encodeDefect(Cause.squash(cause))]
  }
}
