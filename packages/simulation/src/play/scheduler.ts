/**
 * Fibers in the seed's order. Effect's scheduler is changed at its prototype, so that fibers which libraries and
 * callbacks fork go through the seed as well. Priorities are ignored, and a fiber may yield between any two steps.
 */
import type { Fiber } from "effect"
import { MixedScheduler, type SchedulerDispatcher } from "effect/Scheduler"
import { machine } from "../machine.ts"
import type { World } from "../World.ts"

class SeededDispatcher implements SchedulerDispatcher {
  private readonly tasks = new Set<() => void>()
  private readonly world: World

  constructor(world: World) {
    this.world = world
  }

  scheduleTask(task: () => void, _priority: number) {
    const run = () => {
      if (this.tasks.delete(run)) task()
    }
    this.tasks.add(run)
    this.world.task(run)
  }

  /** Its own, at once. */
  flush() {
    for (const run of this.tasks) run()
  }
}

export const patchScheduler = () => {
  const { prototype } = MixedScheduler
  const { makeDispatcher, shouldYield } = prototype
  Object.assign(prototype, {
    makeDispatcher(this: MixedScheduler) {
      const { world } = machine
      return world === undefined || this.executionMode === "sync"
        ? makeDispatcher.call(this)
        : new SeededDispatcher(world)
    },
    shouldYield(this: MixedScheduler, fiber: Fiber.Fiber<unknown, unknown> & { readonly currentOpCount: number }) {
      const { world } = machine
      if (world === undefined) return shouldYield.call(this, fiber)
      if (fiber.currentOpCount < world.nextYield) return false
      world.nextYield = 1 + world.dice.below(world.budget * 2)
      return true
    }
  })
}
