/**
 * How many requests the process admits at once (docs/decisions/0014; silences: U12). Admitted requests are counted by
 * party: a merchant, the operator, or an address of the public without a key. Their limit follows from how late the
 * event loop is. A shed request is refused at once: first reads and exports of the party with the most room, writes
 * last. A request that waits for its client does not count. Probes are not counted.
 */
import type { RequestKind } from "@coffer/model/Quotas"
import { Context, Effect, Layer, Metric } from "effect"
import { Vitals } from "../../platform/runtime/Vitals.ts"
import { RenewedMap } from "../../platform/runtime/renewed.ts"

/**
 * Each class has room of its own, so that sandboxes and pages never keep a live call out. Fractions of the live room.
 */
export const groupShares = { live: 1, sandbox: 1, public: 1 / 2, operator: 1 / 4 } as const
export type AdmissionGroup = keyof typeof groupShares

/** An admitted request, and the room that it gives back when it ends. */
export interface Visit {
  readonly group: AdmissionGroup
  /** A merchant's id, an address of the public. */
  readonly party: string
  readonly kind: RequestKind
  /** How much of the room it takes. */
  readonly weight: number
  /** `in`: it is counted. `paused`: it waits for its client. */
  state: "in" | "paused" | "left"
}

export interface Arrival extends Pick<Visit, "group" | "party" | "kind"> {
  /** Objects that it may read at once; 0 for one alone. */
  readonly rows?: number
  readonly behind?: number
}

export class Admission extends Context.Service<
  Admission,
  {
    /** Undefined: the request is shed. `behind`: how many requests of its party wait behind it, and count as well. */
    readonly enter: (arrival: Arrival) => Visit | undefined
    /** It waits for its client, continues, or leaves for good. */
    readonly move: (visit: Visit, to: Visit["state"]) => void
    /** Reports how late the event loop was, in milliseconds. */
    readonly tick: (delay: number) => void
  }
>()("@coffer/http/Admission") {}

/** Merchants' reads under way while the loop is on time: at 3 ms each, the last one waits for a second and a half. */
export const roomMax = 512
/** The same, however late the loop is. */
export const roomMin = 256
/** A loop that is later than this is overloaded. A garbage collection or a large answer takes less. */
export const delayMax = 250
/** How much room returns with each tick on time. */
const roomStep = 64
/** Writes admitted for each read. Writes are seldom shed, and never in favour of reads. */
export const writesPerRead = 4
/** A new party is admitted up to this many times the room; a party with work under way up to twice. */
export const newcomerRooms = 4
/** How much a request counts at least. An export reads up to 10,000 rows in steps of a hundred. */
const weights: Readonly<Record<RequestKind, number>> = { reads: 1, csv: 16, writes: 1 }
/** A read counts once for this many objects. */
export const rowsPerRead = 20

const weightOf = ({ kind, rows = 0 }: Arrival) => Math.max(weights[kind], Math.ceil(rows / rowsPerRead))

/** The kinds of shed requests: the public's and the operator's requests are not told apart. */
const shedKinds = ["reads", "csv", "writes", "public", "operator"] as const
type ShedKind = (typeof shedKinds)[number]

/** Counts only, without a clock. Calls `shed` with each refused request. */
export const make = (shed: (kind: ShedKind) => void): Admission["Service"] => {
  const at = {
    live: newRoom(groupShares.live),
    sandbox: newRoom(groupShares.sandbox),
    public: newRoom(groupShares.public),
    operator: newRoom(groupShares.operator)
  }
  let room = roomMax

  const count = ({ group, kind, party, weight }: Visit, sign: 1 | -1) =>
    at[group][kind === "writes" ? "writes" : "reads"].add(party, sign * weight)
  return {
    enter: (arrival) => {
      const { behind = 0, group, kind, party } = arrival
      const { part, reads, writes } = at[group]
      const hasRoom =
        kind === "writes"
          ? writes.hasRoom(party, behind, writesPerRead * part * room)
          : reads.hasRoom(party, behind, part * room)
      if (!hasRoom) {
        shed(group === "live" || group === "sandbox" ? kind : group)
        return undefined
      }
      const visit: Visit = { group, party, kind, weight: weightOf(arrival), state: "in" }
      count(visit, 1)
      return visit
    },
    move: (visit, to) => {
      const from = visit.state
      if (from === to || from === "left") return
      visit.state = to
      if (from === "in") count(visit, -1)
      else if (to === "in") count(visit, 1)
    },
    tick: (delay) => {
      room = delay > delayMax ? Math.max(roomMin, room / 2) : Math.min(roomMax, room + roomStep)
    }
  }
}

const newRoom = (part: number) => ({ part, reads: new Shares(), writes: new Shares() })

/** Something that parties hold. */
class Shares {
  all = 0
  readonly #held = new RenewedMap<string, number>()

  of(party: string): number {
    return this.#held.get(party) ?? 0
  }

  /** A party at zero is forgotten: parties come and go. */
  add(party: string, change: number) {
    this.all += change
    const held = this.of(party) + change
    if (held === 0) this.#held.delete(party)
    else this.#held.set(party, held)
  }

  /** A party above an equal share is shed. A few parties never keep a new one out. */
  hasRoom(party: string, behind: number, room: number): boolean {
    const own = this.of(party)
    if (this.all >= (own === 0 ? newcomerRooms : 2) * room) return false
    const parties = this.#held.size + (own === 0 ? 1 : 0)
    return own + behind < Math.max(1, room / parties)
  }
}

const refused = Metric.counter("coffer_http_requests_shed_total", {
  description: "Requests shed with 503 because of overload, by kind",
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
