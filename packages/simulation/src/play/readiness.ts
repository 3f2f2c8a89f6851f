/** The law of `/readyz`: a runner whose answers all failed for ten seconds is not ready. */
import type { World } from "../World.ts"
import type { Reply, Runners } from "./Runners.ts"

const patienceMillis = 10_000
/** A runner forgets what it was asked before the last ten seconds, of which one may have just begun. */
const rememberedMillis = 9_000
const asksMin = 3
/** What is committed as a change set. */
const isChangeSet = (method: string, path: string) =>
  method !== "GET" && /^\/(v1|checkout|pay)\/(?!erasures|exports)/.test(path)

export class Readiness {
  /** By slot: when it gave bad answers, since its last good one. */
  private readonly bad = new Map<number, Array<number>>()
  private readonly world: World
  private readonly runners: Runners

  constructor(world: World, runners: Runners) {
    this.world = world
    this.runners = runners
  }

  /** An answer to a caller. */
  hear(place: number, method: string, path: string, { status }: Reply) {
    // No answer: another runner will be there.
    if (status < 500) return void this.bad.delete(place)
    // A few statements of their own among many reads, which readiness does not see: it judges by most.
    if (!isChangeSet(method, path)) return
    this.bad.set(place, [...(this.bad.get(place) ?? []), this.world.now])
  }

  /** A runner that was paused has not seen how time passed. */
  forget(place: number) {
    this.bad.delete(place)
  }

  /** Checks each second until `isOver`, and returns the problems. */
  async watch(isOver: () => boolean): Promise<ReadonlyArray<string>> {
    const lies = new Set<string>()
    while (!isOver()) {
      await this.world.sleep(1_000)
      for (let place = 1; place <= this.runners.places; place++) {
        const { status } = await this.runners.call(place, "GET", "/readyz", {})
        // What failed in the weather is no lie once it is over.
        if (isOver()) break
        const bad = this.bad.get(place) ?? []
        const [since = Infinity] = bad
        const { now } = this.world
        if (bad.length > 0 && status === 200) this.world.mark("a request was refused while its runner was ready")
        if (now - since < patienceMillis || bad.filter((at) => now - at < rememberedMillis).length < asksMin) continue
        if (status === 200) lies.add(`runner ${place} says that it is ready, and does nothing right`)
        else this.world.mark("a runner that does nothing right is not ready")
      }
    }
    return [...lies]
  }
}
