/** Numbers from a seed (sfc32): the same ones each time, 32 bits each. */

export interface Dice {
  readonly next: () => number
  /** From 0 to `limit`, exclusive. */
  readonly below: (limit: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <T>(things: ReadonlyArray<T>) => T
}

export const diceOf = (seed: number): Dice => {
  let [a, b, c, count] = [0x9e3779b9 ^ seed, 0x243f6a88, 0xb7e15162, 1]
  const next = () => {
    const sum = (((a + b) | 0) + count) | 0
    count = (count + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  for (let round = 0; round < 15; round++) next()
  const below = (limit: number) => next() % limit
  return {
    next,
    below,
    chance: (probability) => next() / 2 ** 32 < probability,
    pick: (things) => things[below(things.length)]!
  }
}
