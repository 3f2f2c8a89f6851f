/** Numbers from a seed (mulberry32): the same program each time. */

export interface Draw {
  /** From 0 to `below`, exclusive. */
  readonly int: (below: number) => number
  readonly of: <T>(things: ReadonlyArray<T>) => T
  /** True once in this many times. */
  readonly once: (among: number) => boolean
}

export const drawFrom = (seed: number): Draw => {
  let state = seed >>> 0
  const int = (below: number) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
  return { int, of: (things) => things[int(things.length)]!, once: (among) => int(among) === 0 }
}
