/**
 * Which connections are closed when there are too many (docs/decisions/0056). A newcomer is never refused: the address
 * that has most connections loses the one that has been idle for longest. Each connection of a trusted proxy stands for
 * itself, since a proxy carries many clients. It knows no sockets.
 */

export interface Connection {
  readonly isBusy: () => boolean
  readonly close: () => void
}

interface Party {
  readonly address: string
  /** The connection that was used last stands last. */
  readonly connections: Set<Entry>
}

export interface Entry {
  readonly connection: Connection
  readonly party: Party
}

export interface Connections {
  /** `address`: undefined for one that stands for itself. */
  readonly opened: (address: string | undefined, connection: Connection) => Entry
  /** A request has come by it. */
  readonly used: (entry: Entry) => void
  readonly closed: (entry: Entry) => void
}

/** The part of all connections that one address may have. Above it only its idle connections are closed. */
export const shareOfOne = 1 / 4

/** `dropped` is told of each connection that is closed. */
export const make = (max: number, dropped: () => void): Connections => {
  const all = new Set<Entry>()
  const parties = new Map<string, Party>()
  /** Parties by how many connections they have, so that the largest is found at once. */
  const bySize: Array<Set<Party>> = []
  const ofOneMax = Math.ceil(max * shareOfOne)

  const moved = (party: Party, from: number) => {
    bySize[from]?.delete(party)
    const to = party.connections.size
    if (to > 0) (bySize[to] ??= new Set()).add(party)
    while (bySize.length > 0 && (bySize.at(-1)?.size ?? 0) === 0) bySize.pop()
  }

  const closed = (entry: Entry) => {
    if (!all.delete(entry)) return
    const { party } = entry
    party.connections.delete(entry)
    moved(party, party.connections.size + 1)
    if (party.connections.size === 0) parties.delete(party.address)
  }

  const drop = (entry: Entry) => {
    closed(entry)
    dropped()
    entry.connection.close()
  }

  const used = (entry: Entry) => {
    if (!all.has(entry)) return
    for (const order of [all, entry.party.connections]) {
      order.delete(entry)
      order.add(entry)
    }
  }

  /** The one that has been idle for longest. Those that turn out to be busy go to the end. */
  const idlest = (entries: Set<Entry>, newcomer: Entry): Entry | undefined => {
    for (let left = entries.size; left > 0; left--) {
      const [first] = entries
      if (first !== newcomer && first?.connection.isBusy() === false) return first
      if (first !== undefined) used(first)
    }
    return undefined
  }

  const busiest = (entries: Set<Entry>, newcomer: Entry): Entry | undefined => {
    for (const each of entries) if (each !== newcomer) return each
    return undefined
  }

  const makeRoom = (newcomer: Entry) => {
    const own = newcomer.party.connections
    if (own.size > ofOneMax) {
      const idle = idlest(own, newcomer)
      if (idle !== undefined) drop(idle)
    }
    if (all.size <= max) return
    const [largest] = bySize.at(-1)!
    const candidates = largest!.connections.size === 1 ? all : largest!.connections
    const victim = idlest(candidates, newcomer) ?? idlest(all, newcomer) ?? busiest(candidates, newcomer)
    if (victim !== undefined) drop(victim)
  }

  return {
    opened: (address, connection) => {
      const known = address === undefined ? undefined : parties.get(address)
      const party = known ?? { address: address ?? "", connections: new Set() }
      if (address !== undefined) parties.set(address, party)
      const entry = { connection, party }
      party.connections.add(entry)
      all.add(entry)
      moved(party, party.connections.size - 1)
      makeRoom(entry)
      return entry
    },
    used,
    closed
  }
}
