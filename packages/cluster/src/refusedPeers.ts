/**
 * Connections between runners that came to nothing because one end did not prove who it is. All of them are counted.
 * One of each kind and minute is logged, so that a flood of them cannot flood the log.
 */
import type { TLSSocket } from "node:tls"
import { Effect, FiberSet, Metric } from "effect"
import { elapsedMillis } from "./realTime.ts"

/** Where the connection came from: another program to this runner's port, or this runner to another's. */
export type Side = "incoming" | "outgoing"

export type Reason =
  /** It has another key or certificate, does not speak TLS, or something was changed on the way. */
  | "handshake"
  /** It understands none of the messages that this runner understands: it is of another version. */
  | "version"
  /** It proved nothing in time. */
  | "deadline"
  /** Too many were proving themselves at once, and this one had taken longest. */
  | "crowded"
  /** It went away before it had proved anything. */
  | "hung_up"
  /** It had been accepted. Then something on it was not genuine, or the other end objected to us. */
  | "broken"

export interface Refusal {
  readonly side: Side
  readonly reason: Reason
  /** Address of the other end. */
  readonly address: string
  /** Code of the error, if there is one. */
  readonly code?: string | undefined
}

const counterOf = (application: string) =>
  Metric.counter(`${application}_runner_connections_refused_total`, {
    description: "Connections between runners that failed authentication",
    incremental: true
  })

const kinds: Readonly<Record<Side, ReadonlyArray<Reason>>> = {
  incoming: ["handshake", "version", "deadline", "crowded", "hung_up", "broken"],
  outgoing: ["handshake", "version", "deadline", "hung_up", "broken"]
}

const texts: Readonly<Record<Reason, string>> = {
  handshake: "it did not prove that it is a runner",
  version: "it is of a version whose messages this one does not understand, so they cannot talk to each other",
  deadline: "it did not prove in time that it is a runner",
  crowded: "too many connections had not proved yet that they are runners",
  hung_up: "it went away",
  broken: "something on it was not genuine, or the other end refused this runner"
}

const logEvery = 60_000

export type Note = (refusal: Refusal) => void

/** For callbacks of Node, while the scope is open. The metric's name begins with that of the application. */
export const make = Effect.fnUntraced(function* (application: string) {
  const refused = counterOf(application)
  const countOf = ({ reason, side }: Pick<Refusal, "reason" | "side">) =>
    Metric.withAttributes(refused, { side, reason })
  const context = yield* Effect.context()
  const run = yield* FiberSet.makeRuntime()
  const lastLogged = new Map<string, number>()
  for (const [side, reasons] of Object.entries(kinds) as ReadonlyArray<[Side, ReadonlyArray<Reason>]>) {
    for (const reason of reasons) yield* Metric.update(countOf({ side, reason }), 0)
  }

  const isLogged = ({ reason, side }: Refusal) => {
    // A monitor that checks the port looks the same, and so does a runner that stops.
    if (reason === "hung_up") return false
    const [kind, now] = [`${side} ${reason}`, elapsedMillis()]
    if (now - (lastLogged.get(kind) ?? -Infinity) < logEvery) return false
    lastLogged.set(kind, now)
    return true
  }

  const note: Note = (refusal) => {
    countOf(refusal).updateUnsafe(1, context)
    if (isLogged(refusal)) run(Effect.logWarning(lineOf(refusal)))
  }
  return note
})

const lineOf = ({ address, code, reason, side }: Refusal): string => {
  const what =
    side === "incoming" ? `a connection from ${address} to the runner port` : `the connection to the runner ${address}`
  const why = code === undefined ? texts[reason] : `${texts[reason]} (${code})`
  return `${what} was refused: ${why}; more of this minute are only counted`
}

/** Reports errors on an accepted connection. A disconnect by the other end is not a refusal. */
export const noteBroken = (peer: TLSSocket, { address, side }: Pick<Refusal, "address" | "side">, note: Note) =>
  peer.on("error", (error) => {
    const code = codeOf(error)
    if (code?.startsWith("ERR_SSL_") === true) note({ side, reason: "broken", address, code })
  })

export const codeOf = (error: NodeJS.ErrnoException): string | undefined => error.code

/** Why a started handshake failed. */
export const reasonOf = (code: string | undefined): Reason =>
  code?.endsWith("NO_APPLICATION_PROTOCOL") === true ? "version" : "handshake"
