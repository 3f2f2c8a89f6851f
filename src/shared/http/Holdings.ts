/**
 * Bytes that slow clients keep in memory: a body that they send, or an answer that they read (docs/decisions/0014;
 * silences: U12). No new client is refused. Above the total limit, the party with the most bytes loses its slowest
 * client; sandboxes and parties without a key come before live ones and the operator. A client below the minimum rate
 * is cut off in any case. Counts only; the time comes from the caller.
 */
import type { Visit } from "./Admission.ts"
import { RenewedMap } from "../../platform/runtime/renewed.ts"

/** `room`: others need the memory. `slow`: the client is below the minimum rate. */
export type CutReason = "room" | "slow"

/** The bytes of one client. */
export interface Holding {
  readonly party: Party
  /** In memory now. */
  bytes: number
  /** Whether it waits for the client: an answer that we are still building is not cut. */
  readonly isWaiting: () => boolean
  /** How many bytes the client has sent or received, from any start. */
  readonly moved: () => number
  readonly cut: (reason: CutReason) => void
  /** At the last check: `moved`, and how many milliseconds the client was behind the minimum rate. */
  movedBefore: number
  behind: number
}

interface Party {
  readonly name: string
  /** Loses its clients only after all others have. */
  readonly isLast: boolean
  bytes: number
  readonly holdings: Set<Holding>
}

export interface Limits {
  readonly bytesMax: number
  /** The limit of one party. */
  readonly bytesOfOneMax: number
  /** How long a client may be behind the minimum rate. */
  readonly graceMillis: number
}

/** The minimum rate of sending and of reading, in bytes per millisecond: 8 kB a second, which is 64 kbit/s. */
export const rateMin = 8

export interface Holdings {
  readonly open: (visit: Whose, client: Pick<Holding, "isWaiting" | "moved" | "cut">) => Holding
  /** False: this client was cut, now or before. */
  readonly add: (holding: Holding, bytes: number) => boolean
  readonly close: (holding: Holding) => void
  /** Bytes of one party. */
  readonly of: (visit: Whose) => number
  /** This much time has passed. */
  readonly look: (millis: number) => void
}

type Whose = Pick<Visit, "group" | "party">

type WasCut = (reason: CutReason) => void

/** Calls `wasCut` for each client that is cut. */
export const make = ({ bytesMax, bytesOfOneMax, graceMillis }: Limits, wasCut: WasCut): Holdings => {
  const parties = new RenewedMap<string, Party>()
  let all = 0

  const partyOf = ({ group, party }: Whose): Party => {
    const name = `${group} ${party}`
    const known = parties.get(name)
    if (known !== undefined) return known
    const isLast = group === "live" || group === "operator"
    const made: Party = { name, isLast, bytes: 0, holdings: new Set() }
    parties.set(name, made)
    return made
  }

  const change = (holding: Holding, bytes: number) => {
    holding.bytes += bytes
    holding.party.bytes += bytes
    all += bytes
  }

  const close = (holding: Holding) => {
    const { party } = holding
    if (!party.holdings.delete(holding)) return
    change(holding, -holding.bytes)
    if (party.holdings.size === 0) parties.delete(party.name)
  }

  const cut = (holding: Holding, reason: CutReason) => {
    close(holding)
    wasCut(reason)
    holding.cut(reason)
  }

  const isOver = () => all > bytesMax

  /** False: the new client's own party has more than an equal share, and loses. */
  const makeRoom = (newcomer: Holding): boolean => {
    const { party } = newcomer
    while (party.bytes > bytesOfOneMax) {
      const slowest = slowestOf(party)
      if (slowest === undefined || slowest === newcomer) return false
      cut(slowest, "room")
    }
    while (isOver()) {
      const next = nextToLose(parties.values(), newcomer)
      if (next === undefined || losesBefore(party, next.party)) return party.bytes <= bytesMax / parties.size
      cut(next, "room")
    }
    return true
  }

  return {
    open: (visit, client) => {
      const party = partyOf(visit)
      const holding: Holding = { ...client, party, bytes: 0, movedBefore: client.moved(), behind: 0 }
      party.holdings.add(holding)
      return holding
    },
    add: (holding, bytes) => {
      // It was cut while its last bytes came.
      if (!holding.party.holdings.has(holding)) return false
      change(holding, bytes)
      if (all <= bytesMax && holding.party.bytes <= bytesOfOneMax) return true
      const hasRoom = makeRoom(holding)
      if (!hasRoom) cut(holding, "room")
      return hasRoom
    },
    close,
    of: ({ group, party }) => parties.get(`${group} ${party}`)?.bytes ?? 0,
    look: (millis) => {
      for (const { holdings } of parties.values()) {
        for (const each of holdings) {
          lookAt(each, millis)
          if (each.behind > graceMillis) cut(each, "slow")
        }
      }
    }
  }
}

const lookAt = (holding: Holding, millis: number) => {
  const moved = holding.moved()
  const late = holding.isWaiting() ? millis - (moved - holding.movedBefore) / rateMin : -Infinity
  holding.movedBefore = moved
  holding.behind = Math.max(0, holding.behind + late)
}

/** The client of this party that is furthest behind, of several the one that came first. */
const slowestOf = ({ holdings }: Party, newcomer?: Holding): Holding | undefined => {
  let slowest: Holding | undefined
  for (const each of holdings) {
    if (each === newcomer || each.bytes === 0 || !each.isWaiting()) continue
    if (slowest === undefined || each.behind > slowest.behind) slowest = each
  }
  return slowest
}

const losesBefore = (one: Party, other: Party): boolean =>
  one.isLast === other.isLast ? one.bytes > other.bytes : other.isLast

const nextToLose = (parties: Iterable<Party>, newcomer: Holding): Holding | undefined => {
  let found: Holding | undefined
  for (const party of parties) {
    if (found !== undefined && !losesBefore(party, found.party)) continue
    found = slowestOf(party, newcomer) ?? found
  }
  return found
}
