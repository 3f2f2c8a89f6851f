/**
 * Whether what clients saw of one object can be put in an order in which each operation happens at one moment between
 * its call and its answer, and every answer is what the rules say (Wing and Gong's search, which remembers failures).
 */

export interface Operation<State> {
  /** For a message: who did what, and what was answered. */
  readonly name: string
  readonly calledAt: number
  /** Infinity where no answer came, or one that leaves open whether it was done. Then it may also never happen. */
  readonly answeredAt: number
  /** The state afterwards; undefined if the answer is not what the rules say in that state. */
  readonly step: (state: State) => State | undefined
}

/** An order in which all of it can have happened; undefined if there is none. States are compared as JSON. */
export const linearize = <State>(
  initial: State,
  operations: ReadonlyArray<Operation<State>>
): ReadonlyArray<string> | undefined => {
  const failed = new Set<string>()

  const search = (state: State, left: ReadonlyArray<Operation<State>>): ReadonlyArray<string> | undefined => {
    if (left.every(({ answeredAt }) => answeredAt === Infinity)) return []
    const key = `${left.map((one) => operations.indexOf(one)).join()} ${JSON.stringify(state)}`
    if (failed.has(key)) return undefined
    // A deed that was called after another had been answered happened after it.
    const soonest = Math.min(...left.map(({ answeredAt }) => answeredAt))
    for (const one of left) {
      if (one.calledAt > soonest) continue
      const next = one.step(state)
      if (next === undefined) continue
      const rest = search(
        next,
        left.filter((other) => other !== one)
      )
      if (rest !== undefined) return [one.name, ...rest]
    }
    failed.add(key)
    return undefined
  }
  return search(initial, operations)
}

/** For a message: the operations as they were called. */
export const shown = <State>(operations: ReadonlyArray<Operation<State>>): string =>
  operations
    .toSorted((a, b) => a.calledAt - b.calledAt)
    .map(({ answeredAt, calledAt, name }) => `${calledAt.toFixed(2)} to ${answeredAt.toFixed(2)}: ${name}`)
    .join("\n")
