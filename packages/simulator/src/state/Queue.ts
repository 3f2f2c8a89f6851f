/** A priority queue by time; items of the same time in insertion order. */

export interface Queue<A> {
  readonly add: (at: number, value: A) => void
  /** The time of the first. */
  readonly first: () => number | undefined
  /** The first, if it is due by then. */
  readonly take: (by: number) => A | undefined
}

interface Entry<A> {
  readonly at: number
  readonly count: number
  readonly value: A
}

/** A binary heap: a day of sessions has thousands of jobs, and each is added and taken once. */
export const makeQueue = <A>(): Queue<A> => {
  const heap: Array<Entry<A>> = []
  let count = 0
  const isBefore = (a: Entry<A>, b: Entry<A>) => a.at < b.at || (a.at === b.at && a.count < b.count)
  const swap = (a: number, b: number) => {
    const kept = heap[a]!
    heap[a] = heap[b]!
    heap[b] = kept
  }
  const rise = (index: number): void => {
    const parent = (index - 1) >> 1
    if (index === 0 || !isBefore(heap[index]!, heap[parent]!)) return
    swap(index, parent)
    rise(parent)
  }
  const sink = (index: number): void => {
    const children = [2 * index + 1, 2 * index + 2].filter((child) => child < heap.length)
    const least = children.toSorted((a, b) => (isBefore(heap[a]!, heap[b]!) ? -1 : 1))[0]
    if (least === undefined || !isBefore(heap[least]!, heap[index]!)) return
    swap(index, least)
    sink(least)
  }
  return {
    add: (at, value) => {
      heap.push({ at, count: count++, value })
      rise(heap.length - 1)
    },
    first: () => heap[0]?.at,
    take: (by) => {
      const first = heap[0]
      if (first === undefined || first.at > by) return undefined
      const last = heap.pop()!
      if (heap.length > 0) {
        heap[0] = last
        sink(0)
      }
      return first.value
    }
  }
}
