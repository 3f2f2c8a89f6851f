/**
 * A Map and a Set for entries that come and go with each request: running calls, waiting changes, recently used
 * objects. V8 rebuilds the table of a Map once enough entries were deleted, and the old table points to the new one.
 * After a full collection an old table lies among old objects, where small collections do not look whether it is still
 * used. It then keeps the next table, and that one the next, each with all that was in it: everything that has passed
 * through the Map becomes old. These begin a new Map before many entries were deleted, and nothing points from one Map
 * to another (docs/decisions/0210).
 */

/** What both have. */
class Renewed<Key, Value> {
  protected entries = new Map<Key, Value>()
  private deleted = 0

  get size(): number {
    return this.entries.size
  }

  has(key: Key): boolean {
    return this.entries.has(key)
  }

  set(key: Key, value: Value): this {
    // After so many deletions from a Map of this size another takes its place.
    if (this.deleted > 32 + 2 * this.entries.size) {
      this.entries = new Map(this.entries)
      this.deleted = 0
    }
    this.entries.set(key, value)
    return this
  }

  delete(key: Key): boolean {
    const isFound = this.entries.delete(key)
    if (isFound) this.deleted++
    return isFound
  }
}

/** As a Map, in the same order. A loop in which entries are added may miss these, and see others that have left. */
export class RenewedMap<Key, Value> extends Renewed<Key, Value> {
  get(key: Key): Value | undefined {
    return this.entries.get(key)
  }

  keys(): MapIterator<Key> {
    return this.entries.keys()
  }

  values(): MapIterator<Value> {
    return this.entries.values()
  }

  [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.entries[Symbol.iterator]()
  }
}

/** As a Set, with what is said of {@link RenewedMap}. */
export class RenewedSet<Value> extends Renewed<Value, true> {
  add(value: Value): this {
    return this.set(value, true)
  }

  [Symbol.iterator](): MapIterator<Value> {
    return this.entries.keys()
  }
}
