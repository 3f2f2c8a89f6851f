/** A timer of a world, and the heap from which the world takes the next one. */

export class WorldTimer {
  readonly run: () => void
  readonly repeats: boolean
  readonly millis: number
  isLive = true
  /** Its order among timers of the same time. */
  id = 0
  /** The runner that set it. */
  owner = 0
  private readonly setAgain: (timer: WorldTimer) => void

  constructor(run: () => void, millis: unknown, repeats: boolean, setAgain: (timer: WorldTimer) => void) {
    this.run = run
    this.repeats = repeats
    this.millis = Math.max(1, Number(millis) || 1)
    this.setAgain = setAgain
  }
  ref() {
    return this
  }
  unref() {
    return this
  }
  hasRef() {
    return true
  }
  refresh() {
    this.isLive = true
    this.setAgain(this)
    return this
  }
  close() {
    this.isLive = false
    return this
  }
  [Symbol.toPrimitive]() {
    return this.id
  }
  [Symbol.dispose]() {
    this.isLive = false
  }
}

interface Due {
  readonly at: number
  readonly id: number
  readonly timer: WorldTimer
}

const isBefore = (a: Due, b: Due) => a.at < b.at || (a.at === b.at && a.id < b.id)

/** By time, then in the order in which they were set. */
export class TimerHeap {
  private readonly heap: Array<Due> = []
  private count = 0

  add(timer: WorldTimer, at: number) {
    timer.id = ++this.count
    const { heap } = this
    let place = heap.push({ at, id: timer.id, timer }) - 1
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!isBefore(heap[place]!, heap[parent]!)) return
      this.swap(place, parent)
      place = parent
    }
  }

  /** A timer that was set again has two entries, of which the older is dead. */
  take(): Due | undefined {
    for (;;) {
      const due = this.pop()
      if (due === undefined || (due.timer.isLive && due.timer.id === due.id)) return due
    }
  }

  withId(id: number): WorldTimer | undefined {
    return this.heap.find((due) => due.id === id && due.timer.id === id)?.timer
  }

  private pop(): Due | undefined {
    const { heap } = this
    const first = heap[0]
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return first
    heap[0] = last
    for (let place = 0; ;) {
      const [left, right] = [2 * place + 1, 2 * place + 2]
      let least = place
      if (left < heap.length && isBefore(heap[left]!, heap[least]!)) least = left
      if (right < heap.length && isBefore(heap[right]!, heap[least]!)) least = right
      if (least === place) return first
      this.swap(place, least)
      place = least
    }
  }

  private swap(a: number, b: number) {
    const { heap } = this
    ;[heap[a], heap[b]] = [heap[b]!, heap[a]!]
  }
}
