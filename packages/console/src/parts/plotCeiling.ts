/** Where the axis of a plot ends, and which values are beyond it. */

/** A value that is so many times the next one is cut off, so that the others can be seen. */
const outlier = 5

export interface Ceiling {
  readonly top: number
  readonly cut: ReadonlyArray<number>
}

/** Of two values the larger is no outlier: nothing says what is usual. */
export const ceilingOf = (values: ReadonlyArray<number>): Ceiling => {
  const sorted = values.filter((value) => value > 0).toSorted((a, b) => b - a)
  let usual = 0
  // At most two: what happens more often is usual.
  while (usual < 2 && sorted.length - usual > 3 && sorted[usual]! > outlier * sorted[usual + 1]!) usual++
  const top = roundUp(sorted[usual] ?? 1)
  return { top, cut: sorted.filter((value) => value > top) }
}

/** Up to 1, 2, 4, 6 or 8 and zeros, whose half is a round number, too. */
const roundUp = (value: number): number => {
  if (value <= 2) return 2
  const unit = 10 ** Math.floor(Math.log10(value))
  return unit * ([1, 2, 4, 6, 8].find((each) => each * unit >= value) ?? 10)
}
