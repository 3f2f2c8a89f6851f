/** The direct calls of other runners, each carried out in a fiber of its own. */
import type { TLSSocket } from "node:tls"
import { Cause, Effect, Exit, type Fiber, Option, Result, Schema, type Scope } from "effect"
import { callsMax, encodeDefect, outcomes, type Server, type Shapes } from "./callShapes.ts"
import { lines, lineWriter } from "./lines.ts"
import type { Note } from "./refusedPeers.ts"
import { withoutServices } from "./withoutServices.ts"

/** How long a stop waits for calls that it has broken off. They end with the commit that is under way. */
const endPatience = "3 seconds"

export type Serve = <Message, Success, Failure>(
  shapes: Shapes<Message, Success, Failure>,
  server: Server<Message, Success, Failure>
) => Effect.Effect<void, never, Scope.Scope>

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

/** Takes connections and answers the calls on them. */
export const makeIncomingCalls = (note: Note) => {
  const served = new Map<string, Served>()
  const open = new Map<TLSSocket, Array<AtWork | undefined>>()

  const interruptAll = (all: ReadonlyArray<AtWork | undefined>) => {
    for (const each of all) each?.fiber.interruptUnsafe()
  }

  const serve: Serve = Effect.fnUntraced(function* (shapes, server) {
    const { name, payload } = shapes
    // Each fiber has this context.
    const fork = Effect.runForkWith(withoutServices(yield* Effect.context()))
    const decode = Schema.decodeUnknownSync(Schema.toCodecJson(payload))
    const own: Served = {
      isHere: server.isHere,
      begin: (sent, header) => fork(Effect.suspend(() => server.perform(decode(sent), header))),
      answerOf: answerCall(shapes, server.isWithoutOwner)
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
        write([number, ...encodeAnswer(of, exit)])
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

/** An answer that its own schema refuses is a defect. */
const encodeAnswer = (of: Served, exit: Exit.Exit<any, any>): ReadonlyArray<unknown> => {
  const answer = Result.try(() => of.answerOf(exit))
  if (Result.isSuccess(answer)) return answer.success
  const failure = Result.try(() => encodeDefect(answer.failure))
  return [outcomes.defect, Result.getOrElse(failure, () => "an answer that cannot be sent")]
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

const answerCall = <Message, Success, Failure>(
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
