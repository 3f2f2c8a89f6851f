/**
 * A cache of the most recently used entries by key: at most `max`, and at least `max / 2`. There are two
 * generations: entries go into the young Map; at `max / 2` it becomes the old one, and the old Map before it is dropped
 * as a whole. So the oldest entry is never searched: in a Map that loses its first entry each time, that takes longer
 * with each lost entry.
 */
import { RenewedMap } from "./renewed.ts"

export class LastUsed<Value> {
  readonly #half: number
  #newer = new RenewedMap<string, Value>()
  #older = new RenewedMap<string, Value>()

  constructor(max: number) {
    this.#half = Math.ceil(max / 2)
  }

  /** Does not count as a use. */
  get(key: string): Value | undefined {
    return this.#newer.get(key) ?? this.#older.get(key)
  }

  /** Counts as a use. */
  use(key: string): Value | undefined {
    const newer = this.#newer.get(key)
    if (newer !== undefined) return newer
    const older = this.#older.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: string, value: Value): void {
    if (this.#half === 0) return
    this.#older.delete(key)
    if (this.#newer.size >= this.#half && !this.#newer.has(key)) {
      this.#older = this.#newer
      this.#newer = new RenewedMap()
    }
    this.#newer.set(key, value)
  }

  delete(key: string): void {
    if (!this.#newer.delete(key)) this.#older.delete(key)
  }

  /** Removes it. */
  take(key: string): Value | undefined {
    const value = this.get(key)
    if (value !== undefined) this.delete(key)
    return value
  }
}
