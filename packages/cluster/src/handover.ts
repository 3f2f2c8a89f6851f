/**
 * Hands connections only to children that answer. Node's cluster hands a connection to the next child in one message,
 * and waits for its answer without a limit. A frozen child would keep it. So the parent asks the child first, and
 * if there is no answer in time, another child gets the connection.
 *
 * A child can still freeze between its answer and the connection. No other child may have it then: the frozen one would
 * read from it when it goes on. Its client sees the end of the connection, and connects again.
 *
 * Node has no hook for this except the message itself. If a later version hands connections over in another way, they
 * pass here as they are, and the test of a frozen child fails.
 */
import type { Worker } from "node:cluster"
import { Socket } from "node:net"

/** The question of the parent before it hands a connection over, and the answer of the child. */
export const askMessage = "are you there"
export const hereMessage = "here"

/** How long a child may take to answer. One that did not answer is not asked again until it does. */
const answerMillis = 250
/** How long a connection stays with a child that is known not to answer, before another child is tried. */
const silentMillis = 50
/** How long a child that has answered may take to accept the connection. */
const acceptMillis = 2_000

/** Node's message that hands over a connection. */
interface NewConnection {
  readonly cmd: "NODE_CLUSTER"
  readonly act: "newconn"
  readonly seq: number
}

const isNewConnection = (message: unknown): message is NewConnection =>
  typeof message === "object" &&
  message !== null &&
  "act" in message &&
  message.act === "newconn" &&
  "seq" in message &&
  typeof message.seq === "number"

/** Node's own, of a connection that no child has taken yet. */
type Handle = object
type Send = (message: unknown, handle?: Handle, ...rest: ReadonlyArray<unknown>) => boolean

interface Handed {
  readonly late: NodeJS.Timeout
  isOver: boolean
}

export const giveToAnswering = ({ process: child }: Worker): void => {
  const receiver = child as unknown as { send: Send }
  const send = receiver.send.bind(child)
  /** Connections that wait for the answer of the child. */
  const offered = new Set<() => void>()
  /** Connections that were handed to it and are not accepted yet, by the number of the message. */
  const handed = new Map<number, Handed>()
  let [isAwaited, isSilent, isCutOff, hasEnded] = [false, false, false, false]

  /** As if the child had replied. A connection that is not accepted is handed to another child. */
  const answerFor = (seq: number, accepted: boolean) =>
    void child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack: seq, accepted }, undefined)

  const ask = () => {
    if (isAwaited) return
    isAwaited = true
    send(askMessage)
  }

  const give = (message: NewConnection, handle: Handle | undefined, rest: ReadonlyArray<unknown>) => {
    const late = setTimeout(() => {
      entry.isOver = true
      end(handle)
    }, acceptMillis)
    const entry: Handed = { late, isOver: false }
    handed.set(message.seq, entry)
    send(message, handle, ...rest)
  }

  const offer = (message: NewConnection, handle: Handle | undefined, rest: ReadonlyArray<unknown>) => {
    const answered = () => {
      clearTimeout(late)
      if (hasEnded) answerFor(message.seq, false)
      else give(message, handle, rest)
    }
    const late = setTimeout(
      () => {
        isSilent = true
        offered.delete(answered)
        answerFor(message.seq, false)
      },
      isSilent ? silentMillis : answerMillis
    )
    offered.add(answered)
    ask()
    return true
  }

  const release = () => {
    const waiting = [...offered]
    offered.clear()
    for (const next of waiting) next()
  }

  receiver.send = (message, handle, ...rest) =>
    isNewConnection(message) && !hasEnded ? offer(message, handle, rest) : send(message, handle, ...rest)
  child.on("message", (message) => {
    if (message !== hereMessage) return
    isAwaited = isSilent = false
    release()
  })
  child.on("internalMessage", ({ ack }: { readonly ack?: number }) => {
    if (ack === undefined) return
    clearTimeout(handed.get(ack)?.late)
    handed.delete(ack)
  })
  child.once("disconnect", () => (isCutOff = true))
  // A connection that it had not accepted goes to another child. Node would wait for its answer for ever. It does not
  // report that the child is cut off, either, and would hand it more.
  child.once("exit", () => {
    hasEnded = true
    if (!isCutOff) child.emit("disconnect")
    release()
    for (const [seq, { isOver }] of handed) answerFor(seq, isOver)
  })
}

/** Closes the connection for the client, although the child has it too. */
const end = (handle: Handle | undefined) => {
  if (handle === undefined) return
  new Socket({ handle, allowHalfOpen: true, readable: false, pauseOnCreate: true } as never).on("error", () => {}).end()
}
