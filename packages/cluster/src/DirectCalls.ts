/**
 * Direct calls to the runner that has an entity, on a connection of their own between two runners. A message of the
 * library costs some 150 steps of fibers for each call. A direct call is a line of JSON each way, and all lines of one
 * turn of the event loop are one write (docs/decisions/0022).
 *
 * The library's messages remain the fallback: for a runner that is not known yet, has no connection, does not have the
 * entity, or was lost before it answered. So a call may arrive twice, as a message may.
 */
import type { TLSSocket } from "node:tls"
import { Context, Effect, FiberSet, Metric, Schema } from "effect"
import { ClusterError, type EntityAddress } from "effect/cluster"
import {
  callsMax,
  type Decoded,
  decodeDefect,
  type DirectConnection,
  outcomes,
  type Question,
  type Shapes
} from "./callShapes.ts"
import { makeIncomingCalls, type Serve } from "./incomingCalls.ts"
import { lines, lineWriter } from "./lines.ts"
import { elapsedMillis } from "./realTime.ts"
import type { Note } from "./refusedPeers.ts"
import { dial } from "./RunnerDialler.ts"
import { isForCalls, type RunnerTls } from "./RunnerTls.ts"
import { countedAs } from "./shownAs.ts"
import { type Heard, isSilent, type Peer, peerOf, Suspects } from "./Suspects.ts"

/** The pause after a failed connection. */
const dialPauseMillis = 5_000
/** The same after a runner that takes no direct calls: it is of a version before them. */
const olderPauseMillis = 60_000

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
    readonly serve: Serve
    /**
     * Calls the owner of an entity, or runs `otherwise` if that is impossible. A defect of the owner becomes one here.
     */
    readonly caller: <Message, Success, Failure>(
      shapes: Shapes<Message, Success, Failure>
    ) => Caller<Message, Success, Failure>
    /** The address of the runner that answered last for an entity of this name, `host:port`; undefined: none yet. */
    readonly ownerOf: (name: string, entity: string) => string | undefined
  }
>()("@coffer/cluster/DirectCalls") {}

/** For a single process, and for unauthenticated connections: all calls go by messages. */
export const none = DirectCalls.of({
  serve: () => Effect.void,
  caller: () => (_entity, _message, _header, otherwise) => otherwise,
  ownerOf: () => undefined
})

const callsTotal = (application: string) =>
  Metric.counter(`${application}_direct_calls_total`, {
    description: "Direct calls to other runners, by outcome: answered, sent as a message instead, or given up",
    incremental: true
  })

/** Counts the outcomes of direct calls. A process without any shows the metric, too. */
export const makeCounts = (application: string) =>
  Effect.contextWith((context: Context.Context<never>) => {
    const counter = (outcome: string) => countedAs(Metric.withAttributes(callsTotal(application), { outcome }), context)
    return Effect.succeed({
      answered: counter("answered"),
      otherwise: counter("otherwise"),
      givenUp: counter("given_up")
    })
  })
type Count = Effect.Success<ReturnType<typeof makeCounts>>

/** For as long as the scope is open. */
export const make = Effect.fnUntraced(function* (tls: RunnerTls, note: Note, count: Count) {
  const { peers } = yield* Suspects
  const run = yield* FiberSet.makeRuntime()
  const incoming = makeIncomingCalls(note)

  /** The runner that answered last for an entity. */
  const owners = new Map<string, { readonly entity: EntityAddress.EntityAddress; readonly peer: Peer }>()
  /** When a connection to a runner may be tried next. */
  const dialNotBefore = new WeakMap<Peer, number>()

  /** Opens a connection and keeps it until either end closes it. */
  const connecting = (peer: Peer) =>
    Effect.gen(function* () {
      const socket = yield* dial(tls.diallingForCalls(peer.address), peer.address, note)
      // The runner has left, so `Suspects` would not check its calls.
      if (peers.get(peer.name) !== peer) return
      if (!isForCalls(socket)) return void dialNotBefore.set(peer, elapsedMillis() + olderPauseMillis)
      const connection = connectionOn(socket, peer.name, note, count)
      peer.direct = connection
      yield* Effect.ensuring(
        // It may have closed since it was made.
        Effect.callback<void>((resume) =>
          socket.closed ? resume(Effect.void) : void socket.once("close", () => resume(Effect.void))
        ),
        Effect.sync(() => {
          peer.direct = undefined
          connection.close()
        })
      )
    }).pipe(Effect.scoped, Effect.ignore)

  /** Undefined while calls go by messages. */
  const connectionTo = (peer: Peer): DirectConnection | undefined => {
    if (isSilent(peer)) return undefined
    if (peer.direct !== undefined) return peer.direct
    const now = elapsedMillis()
    if (now < (dialNotBefore.get(peer) ?? 0) || peers.get(peer.name) !== peer) return undefined
    dialNotBefore.set(peer, now + dialPauseMillis)
    run(connecting(peer))
    return undefined
  }

  const calls = DirectCalls.of({
    serve: incoming.serve,
    ownerOf: (name, entity) => owners.get(nameOf(name, entity))?.peer.name,
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
          return connection.call([name, entity, encode(message), header], {
            of: owner!.entity,
            decoded,
            otherwise: Effect.suspend(() => {
              count.otherwise()
              return otherwise
            })
          })
        })
    }
  })
  const heard: Heard = (entity, from) => {
    owners.set(nameOf(entity.entityType, entity.entityId), { entity, peer: peerOf(peers, from) })
  }
  return { calls, heard, accept: incoming.accept, hangUp: incoming.hangUp }
})

const nameOf = (type: string, entity: string) => `${type}/${entity}`

// To another runner ---------------------------------------------------------------
// A call has a number on its connection. Each number is answered once, also when the caller has left, and is free for
// another call then.

interface Call extends Question {
  readonly since: number
  /** Undefined if the caller has left. */
  resume: ((answer: Effect.Effect<any, any>) => void) | undefined
}

const nothing: Decoded = { success: () => undefined, failure: () => undefined }

const connectionOn = (socket: TLSSocket, address: string, note: Note, count: Count): DirectConnection => {
  // By number. A Map would retain everything that has passed through it.
  const calls: Array<Call | undefined> = []
  const free: Array<number> = []
  const write = lineWriter(socket)
  let heardAt = 0

  const answer = (line: unknown) => {
    if (!Array.isArray(line)) return false
    const [number, outcome, value] = line as ReadonlyArray<unknown>
    const call = Number.isInteger(number) ? calls[number as number] : undefined
    if (call === undefined) return false
    calls[number as number] = undefined
    free.push(number as number)
    const { decoded, otherwise, resume } = call
    if (resume === undefined) return true
    if (outcome !== outcomes.notHere) count.answered()
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
    heard: () => (heardAt = elapsedMillis()),
    broken: () => note({ side: "outgoing", reason: "broken", address, code: "NO_CALL" })
  })

  const call: DirectConnection["call"] = (line, question) =>
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
    })

  return {
    call,
    silentSince: () => {
      const first = Math.min(...calls.flatMap((each) => (each === undefined ? [] : [each.since])))
      return first === Infinity ? undefined : Math.max(first, heardAt)
    },
    // A runner has no entity without a name, and says so.
    probe: Effect.as(Effect.ignore(call(["", ""], { of: undefined, decoded: nothing, otherwise: Effect.void })), true),
    giveUp: () =>
      end(({ of, otherwise }) => {
        if (of === undefined) return otherwise
        count.givenUp()
        return Effect.fail(new ClusterError.MailboxFull({ address: of }))
      }),
    close: () => end(({ otherwise }) => otherwise)
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
