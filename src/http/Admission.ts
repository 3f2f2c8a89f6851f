/**
 * How much work the process takes in at once (docs/decisions/0014; silences: U12). Requests in work are counted by
 * party: a merchant, the operator, or an address of the public, who has no key. How many there may be follows from how
 * late the event loop is. What is shed is refused at once: first reads and exports of the party that holds most, writes
 * last. Probes are not counted.
 */
import type { RequestKind } from "@coffer/model/Quotas"
import { Context, Effect, Layer, Metric } from "effect"
import { Vitals } from "../platform/runtime/Vitals.ts"

/** Each has room of its own, so that pages in work never keep a merchant out. Its part of the room of merchants. */
export const groupShares = { merchants: 1, public: 1 / 2, operator: 1 / 4 } as const
export type AdmissionGroup = keyof typeof groupShares

/** An admitted request, and what it gives back when it ends. */
export interface Visit {
  readonly group: AdmissionGroup
  /** A merchant's id, an address of the public. */
  readonly party: string
  /** Undefined: not counted, but for the bytes of its body. */
  readonly kind: RequestKind | undefined
  /** Bytes of its body that are in memory. */
  bytes: number
  /** Bytes of its answer that the client has not read yet. */
  unread?: number
}

export class Admission extends Context.Service<
  Admission,
  {
    /** Undefined: the request is shed. `behind` it so many of its party wait to be begun, and count as well. */
    readonly enter: (group: AdmissionGroup, party: string, kind: RequestKind, behind?: number) => Visit | undefined
    /** Whether a body of so many bytes may be read into memory now; `visit` holds them from then on. */
    readonly hold: (visit: Visit, bytes: number) => boolean
    /** Counts the bytes of an answer, which stay in memory until the client has read them and the visit ends. */
    readonly owe: (visit: Visit, bytes: number) => void
    readonly leave: (visit: Visit) => void
    /** Reports how late the event loop was, in milliseconds. */
    readonly tick: (delay: number) => void
  }
>()("@coffer/http/Admission") {}

/** Merchants' reads in work while the loop is on time: of 3 ms each, the last one waits for a second and a half. */
export const roomMax = 512
/** And however late it is. */
export const roomMin = 256
/** A loop that is later than this has too much to do. A garbage collection or a large answer takes less. */
export const delayMax = 250
/** How much room returns with each tick on time. */
const roomStep = 64
/** Writes admitted for each read. Writes are seldom shed, and never in favour of reads. */
export const writesPerRead = 4
/** How much a request counts. An export reads up to 10,000 rows, a page 100. */
const weights: Readonly<Record<RequestKind, number>> = { reads: 1, csv: 16, writes: 1 }

/** Bytes of bodies in memory, of all requests. What is made of them takes several times as much. */
export const bytesMax = 32 * 1024 * 1024
/** Of one party: who sends slowly holds what it has announced, and must not hold all. */
export const bytesOfOneMax = bytesMax / 4

/** Answers that nobody has read yet, of one party and of its whole group. Above it a request for more is shed. */
export const unreadOfOneMax = 32 * 1024 * 1024
export const unreadMax = 4 * unreadOfOneMax

/** What is counted as shed: the public's and the operator's requests are not told apart. */
const shedKinds = ["reads", "csv", "writes", "body", "public", "operator"] as const
type ShedKind = (typeof shedKinds)[number]

/** Counts, and no clock. `shed` is told what was refused. */
export const make = (shed: (kind: ShedKind) => void): Admission["Service"] => {
  const at = {
    merchants: newRoom(groupShares.merchants),
    public: newRoom(groupShares.public),
    operator: newRoom(groupShares.operator)
  }
  const bodies = new Shares()
  let room = roomMax

  return {
    enter: (group, party, kind, behind = 0) => {
      const { part, reads, unread, writes } = at[group]
      const hasRoom =
        kind === "writes"
          ? writes.hasRoom(party, behind, writesPerRead * part * room)
          : reads.hasRoom(party, behind, part * room)
      if (!hasRoom || unread.all > unreadMax || (unread.all > 0 && unread.of(party) > unreadOfOneMax)) {
        shed(group === "merchants" ? kind : group)
        return undefined
      }
      if (kind === "writes") writes.add(party, weights.writes)
      else reads.add(party, weights[kind])
      return { group, party, kind, bytes: 0 }
    },
    hold: (visit, more) => {
      if (bodies.all + more > bytesMax || bodies.of(visit.party) + more > bytesOfOneMax) {
        shed("body")
        return false
      }
      visit.bytes += more
      bodies.add(visit.party, more)
      return true
    },
    owe: (visit, more) => {
      visit.unread = (visit.unread ?? 0) + more
      at[visit.group].unread.add(visit.party, more)
    },
    leave: ({ bytes, group, kind, party, unread }) => {
      if (unread !== undefined) at[group].unread.add(party, -unread)
      if (kind === "writes") at[group].writes.add(party, -weights.writes)
      else if (kind !== undefined) at[group].reads.add(party, -weights[kind])
      if (bytes > 0) bodies.add(party, -bytes)
    },
    tick: (delay) => {
      room = delay > delayMax ? Math.max(roomMin, room / 2) : Math.min(roomMax, room + roomStep)
    }
  }
}

const newRoom = (part: number) => ({ part, reads: new Shares(), writes: new Shares(), unread: new Shares() })

/** Something that parties hold. */
class Shares {
  all = 0
  readonly #held = new Map<string, number>()

  of(party: string): number {
    return this.#held.get(party) ?? 0
  }

  /** What is at zero is forgotten: parties come and go. */
  add(party: string, change: number) {
    this.all += change
    const held = this.of(party) + change
    if (held === 0) this.#held.delete(party)
    else this.#held.set(party, held)
  }

  /** Whoever holds more than an equal share is shed; at the end of the room it is everybody but newcomers. */
  hasRoom(party: string, behind: number, room: number): boolean {
    if (this.all >= 2 * room) return false
    const own = this.of(party)
    const parties = this.#held.size + (own === 0 ? 1 : 0)
    return own + behind < Math.max(1, room / parties)
  }
}

const refused = Metric.counter("coffer_http_requests_shed_total", {
  description: "Requests refused with 503 because too much is in work, by kind; body: for want of memory",
  incremental: true
})

export const layer = Layer.effect(
  Admission,
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const counters = new Map(shedKinds.map((kind) => [kind, Metric.withAttributes(refused, { kind })]))
    for (const counter of counters.values()) counter.updateUnsafe(0, context)
    const admission = make((kind) => counters.get(kind)!.updateUnsafe(1, context))

    const { watchDelay } = yield* Vitals
    watchDelay((delay) => admission.tick(delay))
    return admission
  })
)
