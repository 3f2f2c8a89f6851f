/**
 * Runners that do not answer, though their connections are open: frozen, or out of reach. A runner is pinged if a call
 * to it waits and it has answered nothing for a second. If it does not answer the ping, calls under way to it are given
 * up, and new ones are refused at once, until it answers again or has left the register. Callers have to retry. The
 * runner may still carry out a call that was given up: the retry finds that out. A runner that has never answered is
 * not suspected, since a start takes seconds on a busy machine.
 *
 * If Postgres has heard nothing of the runner for two seconds either, it is frozen or gone, and its sessions are
 * closed: the others take over its shards at once, and not when Postgres closes idle sessions after 15 s
 * (docs/decisions/0259). Model: models/shards.pml.
 */
import { Context, Duration, Effect, Exit, Layer, Metric, Option } from "effect"
import { ClusterError, type EntityAddress, type Message, Reply, type RunnerAddress, Runners } from "effect/cluster"
import type { DirectConnection } from "./callShapes.ts"
import { elapsedMillis } from "./realTime.ts"
import { shownAs } from "./shownAs.ts"
import { ThisRunner } from "./ThisRunner.ts"

/** A call that lasts longer may mean that the runner does not answer. */
const callMillis = 1_000
/** A runner that answers nothing for this long is suspected. */
const pingMillis = 1_000
const pingPatience = Duration.millis(pingMillis)
const lookEvery = "250 millis"
/** A first ping that ended this long after its patience says that this process was late, and nothing of the other. */
const ownDelayMax = 500

const gaugeOf = (application: string) =>
  Metric.gauge(`${application}_runners_suspected`, {
    description: "Other runners that do not answer this one; calls to them are refused at once"
  })

interface Call {
  /** Since when it waits. */
  readonly since: number
  readonly message: Message.OutgoingRequest<any>
}

export interface Peer {
  readonly name: string
  readonly address: RunnerAddress.RunnerAddress
  /** Messages that are under way, the first one first. */
  readonly calls: Set<Call>
  /** Undefined while there is none. */
  direct: DirectConnection | undefined
  /** The time of its last answer. Undefined until it has answered once: it may still be starting. */
  answered: number | undefined
  silentSince: number | undefined
  /** Pings in a row that it did not answer. */
  missed: number
}

/** Which runners are in the register. Others are suspected no longer. */
export class Suspects extends Context.Service<
  Suspects,
  { readonly keepOnly: (addresses: ReadonlySet<string>) => void; readonly peers: Map<string, Peer> }
>()("@coffer/cluster/Suspects") {}

export const layer = Layer.effect(
  Suspects,
  Effect.gen(function* () {
    const peers = new Map<string, Peer>()
    const { application } = yield* ThisRunner
    yield* shownAs(gaugeOf(application), () => [...peers.values()].filter(isSilent).length)
    return Suspects.of({
      peers,
      keepOnly: (addresses) => {
        for (const { direct, name } of peers.values()) {
          if (addresses.has(name)) continue
          peers.delete(name)
          direct?.close()
        }
      }
    })
  })
)

/** Called with the runner that has just answered for an entity. */
export type Heard = (entity: EntityAddress.EntityAddress, from: RunnerAddress.RunnerAddress) => void

/** `Roster.closeSilent`, by the name of a runner. */
export type CloseSilent = (name: string) => Effect.Effect<boolean, unknown>

/** The library's calls to other runners, without the suspected ones. */
export const layerRunners = (heard: Heard = () => {}, closeSilent: CloseSilent = () => Effect.succeed(false)) =>
  Layer.effect(
    Runners.Runners,
    Effect.gen(function* () {
      const runners = yield* Runners.Runners
      const { peers } = yield* Suspects
      const ping = makePing(runners, closeSilent)
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(lookEvery), pingSilent(ping, peers))))

      const send: Runners.Runners["Service"]["send"] = (options) => {
        const { address, message } = options
        if (message._tag !== "OutgoingRequest") return runners.send(options)
        return Effect.suspend(() => {
          const peer = peerOf(peers, address)
          if (isSilent(peer)) return Effect.fail(refusalOf(message))
          const call = { since: elapsedMillis(), message }
          peer.calls.add(call)
          return Effect.onExit(runners.send(options), (exit) => {
            peer.calls.delete(call)
            if (Exit.isFailure(exit)) return Effect.void
            peer.answered = elapsedMillis()
            heard(message.envelope.address, address)
            return Effect.void
          })
        })
      }
      return Runners.Runners.of({ ...runners, send })
    })
  )

export const nameOf = ({ host, port }: RunnerAddress.RunnerAddress) => `${host}:${port}`
/** Whether it gets no calls. */
export const isSilent = ({ silentSince }: Peer) => silentSince !== undefined

/** The one error of this kind that the library hands to the caller without another try. */
const refusalOf = ({ envelope: { address } }: Message.OutgoingRequest<any>) => new ClusterError.MailboxFull({ address })

/**
 * Answers in place of the other runner. The library then ends the call by itself. A race of each call with the silence
 * would be two fibers more for each.
 */
const giveUp = ({ message }: Call) => {
  const { requestId } = message.envelope
  return message.respond(new Reply.WithExit({ id: requestId, requestId, exit: Exit.fail(refusalOf(message)) as never }))
}

const giveUpAll = ({ calls, direct }: Peer) =>
  Effect.andThen(
    Effect.forEach([...calls], giveUp, { discard: true }),
    Effect.sync(() => direct?.giveUp())
  )

export const peerOf = (peers: Map<string, Peer>, address: RunnerAddress.RunnerAddress): Peer => {
  const name = nameOf(address)
  let peer = peers.get(name)
  if (peer !== undefined) return peer
  peer = { name, address, calls: new Set(), direct: undefined, answered: undefined, silentSince: undefined, missed: 0 }
  peers.set(name, peer)
  return peer
}

/** Pings the runners whose answer is overdue, and those that have not answered the last ping. */
const pingSilent = (ping: ReturnType<typeof makePing>, peers: ReadonlyMap<string, Peer>) =>
  Effect.suspend(() =>
    Effect.forEach(
      [...peers.values()].filter((peer) => peer.missed > 0 || isWaitedFor(peer)),
      ping,
      { concurrency: "unbounded", discard: true }
    )
  )

const isWaitedFor = ({ answered, calls, direct }: Peer) => {
  const [first] = calls
  const owed = first === undefined ? Infinity : Math.max(first.since, answered ?? 0)
  return elapsedMillis() - Math.min(owed, direct?.silentSince() ?? Infinity) > callMillis
}

const suspect = Effect.fnUntraced(function* (peer: Peer, name: string, pingedAt: number) {
  peer.silentSince = pingedAt - callMillis
  yield* giveUpAll(peer)
  yield* Effect.logWarning(
    `${name} does not answer. Commands for what it owns are answered 503 until it does, or the others own it`
  )
})

const makePing = (runners: Runners.Runners["Service"], closeSilent: CloseSilent) => {
  const close = Effect.fnUntraced(function* (peer: Peer, name: string) {
    const closed = yield* Effect.exit(Effect.timeout(closeSilent(nameOf(peer.address)), pingPatience))
    if (Exit.isFailure(closed) || !closed.value) return
    yield* giveUpAll(peer)
    yield* Effect.logWarning(`${name} does nothing in Postgres either: its sessions were closed`)
  })
  return Effect.fnUntraced(function* (peer: Peer) {
    const name = `the runner ${nameOf(peer.address)}`
    const pingedAt = elapsedMillis()
    const { direct } = peer
    const probe = direct?.probe ?? Effect.succeed(true)
    const [sign, isDirectAlive] = yield* Effect.all(
      [
        Effect.timeoutOption(Effect.exit(runners.ping(peer.address)), pingPatience),
        Effect.map(
          Effect.timeoutOption(probe, pingPatience),
          Option.getOrElse(() => false)
        )
      ],
      { concurrency: "unbounded" }
    )
    const isLate = elapsedMillis() - pingedAt > pingMillis + ownDelayMax
    if (sign._tag === "Some" && Exit.isSuccess(sign.value)) peer.missed = 0
    else {
      peer.missed++
      // One with a direct connection has answered.
      const isKnown = peer.answered !== undefined || direct !== undefined
      if (sign._tag === "None" && isKnown && !isSilent(peer)) yield* suspect(peer, name, pingedAt)
      if (!isLate || peer.missed > 1) yield* close(peer, name)
    }
    if (sign._tag === "None") return
    if (!isDirectAlive) direct?.close()
    // A connection that is refused is an answer too: the runner has ended, and the register will say so.
    peer.answered = elapsedMillis()
    if (peer.silentSince === undefined) return
    const seconds = ((elapsedMillis() - peer.silentSince) / 1_000).toFixed(1)
    peer.silentSince = undefined
    if (sign.value._tag === "Success") yield* Effect.logInfo(`${name} answers again, after ${seconds} s`)
  })
}
