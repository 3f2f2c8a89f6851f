/**
 * How much work the process takes in at once (docs/decisions/0014; silences: U12). Requests in work are counted, reads
 * also by merchant, and how many there may be follows from how late the event loop is. What is shed is refused at
 * once: first reads and exports of the merchant that holds most, writes last. Pages and probes are not counted here.
 */
import type { QuotaKind } from "@coffer/model/Quotas"
import { Context, Effect, Layer, Metric } from "effect"
import { currentMillis } from "../platform/runtime/clock.ts"
import { onRealTime } from "../platform/runtime/realTime.ts"

/** One request in work: what is given back when it ends. */
export interface Visit {
  readonly merchant: string
  /** Undefined: not counted, but for the bytes of its body. */
  readonly kind: QuotaKind | undefined
  /** Of the body that it holds. */
  bytes: number
  /** Of its answer, until the client has taken it. */
  unread?: number
}

export class Admission extends Context.Service<
  Admission,
  {
    /** Undefined: the request is shed. */
    readonly enter: (merchant: string, kind: QuotaKind) => Visit | undefined
    /** Whether a body of so many bytes may be read into memory now; `visit` holds them from then on. */
    readonly hold: (visit: Visit, bytes: number) => boolean
    /** The answer has so many bytes, which stay in memory until the client takes them: until the visit ends. */
    readonly owe: (visit: Visit, bytes: number) => void
    readonly leave: (visit: Visit) => void
    /** How late the event loop was, in milliseconds. */
    readonly tick: (delay: number) => void
  }
>()("@coffer/http/Admission") {}

/** Reads in work while the loop is on time: of 3 ms each, the last one waits for a second and a half. */
export const roomMax = 512
/** And however late it is. */
export const roomMin = 128
/** A loop that is later than this has too much to do. A garbage collection or a large answer takes less. */
export const delayMax = 250
/** What a tick on time gives back. */
const roomStep = 64
/** Writes in work for each read that may be: they are seldom shed, and never for reads. */
export const writesPerRead = 4
/** An export reads up to 10,000 rows, and a page 100. */
const weights: Readonly<Record<QuotaKind, number>> = { reads: 1, csv: 16, writes: 1 }

/** Bodies in memory, of all requests. Text, values and rows made of them take some times as much. */
export const bytesMax = 32 * 1024 * 1024
/** Of one merchant: who sends slowly holds what it has announced, and must not hold all. */
export const bytesOfOneMax = bytesMax / 4

/** Answers that nobody has read yet, of one merchant and of all. Above it whoever asks for more is shed. */
export const unreadOfOneMax = 32 * 1024 * 1024
export const unreadMax = 4 * unreadOfOneMax

/** Counts, and no clock. `shed` is told what was refused. */
export const make = (shed: (kind: QuotaKind | "body") => void): Admission["Service"] => {
  const readsOf = new Map<string, number>()
  const bytesOf = new Map<string, number>()
  const unreadOf = new Map<string, number>()
  let [room, reads, writes, bytes, unread] = [roomMax, 0, 0, 0, 0]

  const isUnread = (merchant: string): boolean =>
    unread > unreadMax || (unread > 0 && (unreadOf.get(merchant) ?? 0) > unreadOfOneMax)

  /** Whoever holds more than an equal share is shed; at the end of the room it is everybody but newcomers. */
  const isReadTaken = (merchant: string): boolean => {
    if (reads >= 2 * roomMax) return false
    const own = readsOf.get(merchant)
    const merchants = readsOf.size + (own === undefined ? 1 : 0)
    return (own ?? 0) < Math.max(1, room / merchants)
  }

  return {
    enter: (merchant, kind) => {
      const hasRoom = kind === "writes" ? writes < writesPerRead * room : isReadTaken(merchant)
      const isTaken = hasRoom && !isUnread(merchant)
      if (!isTaken) {
        shed(kind)
        return undefined
      }
      if (kind === "writes") writes++
      else {
        reads += weights[kind]
        add(readsOf, merchant, weights[kind])
      }
      return { merchant, kind, bytes: 0 }
    },
    hold: (visit, more) => {
      const own = (bytesOf.get(visit.merchant) ?? 0) + more
      if (bytes + more > bytesMax || own > bytesOfOneMax) {
        shed("body")
        return false
      }
      bytes += more
      visit.bytes += more
      bytesOf.set(visit.merchant, own)
      return true
    },
    owe: (visit, more) => {
      visit.unread = (visit.unread ?? 0) + more
      unread += more
      add(unreadOf, visit.merchant, more)
    },
    leave: (visit) => {
      if (visit.unread !== undefined) {
        unread -= visit.unread
        add(unreadOf, visit.merchant, -visit.unread)
      }
      if (visit.kind === "writes") writes--
      else if (visit.kind !== undefined) {
        reads -= weights[visit.kind]
        add(readsOf, visit.merchant, -weights[visit.kind])
      }
      if (visit.bytes === 0) return
      bytes -= visit.bytes
      add(bytesOf, visit.merchant, -visit.bytes)
    },
    tick: (delay) => {
      room = delay > delayMax ? Math.max(roomMin, room / 2) : Math.min(roomMax, room + roomStep)
    }
  }
}

/** What is at zero is forgotten: merchants come and go. */
const add = (counts: Map<string, number>, merchant: string, change: number) => {
  const count = (counts.get(merchant) ?? 0) + change
  if (count === 0) counts.delete(merchant)
  else counts.set(merchant, count)
}

const refused = Metric.counter("coffer_http_requests_shed", {
  description: "Requests refused with 503 because too much is in work, by kind; body: for want of memory",
  incremental: true
})

/** Between two looks at how late the loop is, milliseconds. */
const probeEvery = 100

export const layer = Layer.effect(
  Admission,
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const counters = new Map(
      (["reads", "csv", "writes", "body"] as const).map((kind) => [kind, Metric.withAttributes(refused, { kind })])
    )
    for (const counter of counters.values()) counter.updateUnsafe(0, context)
    const admission = make((kind) => counters.get(kind)!.updateUnsafe(1, context))

    const probe = Effect.gen(function* () {
      const before = yield* currentMillis
      yield* Effect.sleep(probeEvery)
      admission.tick((yield* currentMillis) - before - probeEvery)
    })
    // A timer of real time: that is what is measured.
    yield* Effect.forkScoped(onRealTime(Effect.forever(probe)))
    return admission
  })
)
