/** A world's clocks, timers and turns. */
import timers from "node:timers"
import timersPromises from "node:timers/promises"
import { promisify } from "node:util"
import { machine, real } from "../machine.ts"
import type { World } from "../World.ts"
import { WorldTimer } from "../WorldTimer.ts"

type Callback = (...args: ReadonlyArray<unknown>) => void

export const patchTime = () => {
  patchClocks()
  patchTimers()
}

const patchClocks = () => {
  const RealDate = real.Date
  // Effect converts it to a BigInt, so it is an integer.
  const now = () => (machine.world === undefined ? RealDate.now() : Math.floor(machine.world.wallClock))
  globalThis.Date = class extends RealDate {
    constructor(...args: ReadonlyArray<unknown>) {
      super(...((args.length === 0 ? [now()] : args) as [number]))
    }
    static override now = now
    static override [Symbol.hasInstance](value: unknown) {
      return Function.prototype[Symbol.hasInstance].call(RealDate, value)
    }
  } as DateConstructor
  const millis = () => (machine.world === undefined ? real.performanceNow() : machine.world.now - machine.world.began)
  Object.defineProperty(performance, "now", { value: millis, configurable: true, writable: true })
  const hrtime = (before?: [number, number]): [number, number] => {
    if (machine.world === undefined) return real.hrtime(before)
    const [seconds, nanos] = [Math.floor(millis() / 1_000), Math.floor((millis() % 1_000) * 1e6)]
    return before === undefined ? [seconds, nanos] : [seconds - before[0], nanos - before[1]]
  }
  const bigint = () => (machine.world === undefined ? real.hrtime.bigint() : BigInt(Math.round(millis() * 1e6)))
  process.hrtime = Object.assign(hrtime, { bigint })
}

const patchTimers = () => {
  const setTimeout = later(real.setTimeout as never, false)
  const setInterval = later(real.setInterval as never, true)
  const setImmediate = (run: Callback, ...args: ReadonlyArray<unknown>) =>
    machine.world === undefined
      ? (real.setImmediate as (run: Callback, ...args: ReadonlyArray<unknown>) => unknown)(run, ...args)
      : turnOf(machine.world, run, args)
  const wait = (millis: number, value: unknown) => new Promise((resolve) => setTimeout(() => resolve(value), millis))
  const turn = (value: unknown) => new Promise((resolve) => setImmediate(() => resolve(value)))
  Object.assign(setTimeout, { [promisify.custom]: wait })
  Object.assign(setImmediate, { [promisify.custom]: turn })
  const patched = {
    setTimeout,
    setInterval,
    setImmediate,
    clearTimeout: clear(real.clearTimeout as never),
    clearInterval: clear(real.clearInterval as never),
    clearImmediate: (turn: unknown) =>
      isTurn(turn) ? void (turn.isLive = false) : real.clearImmediate(turn as NodeJS.Immediate)
  }
  Object.assign(globalThis, patched)
  Object.assign(timers, patched)
  const machines = { setTimeout: timersPromises.setTimeout, setImmediate: timersPromises.setImmediate }
  Object.assign(timersPromises, {
    setTimeout: (millis: number, value: unknown, options: object) =>
      machine.world === undefined ? machines.setTimeout(millis, value, options) : wait(millis, value),
    setImmediate: (value: unknown, options: object) =>
      machine.world === undefined ? machines.setImmediate(value, options) : turn(value)
  })
}

const later =
  (machines: (run: Callback, millis: unknown, ...args: ReadonlyArray<unknown>) => unknown, repeats: boolean) =>
  (run: Callback, millis?: unknown, ...args: ReadonlyArray<unknown>) => {
    const { world } = machine
    if (world === undefined) return machines(run, millis, ...args)
    const timer = new WorldTimer(
      () => run(...args),
      millis,
      repeats,
      (again) => {
        if (!world.isStopped) world.addTimer(again)
      }
    )
    world.addTimer(timer)
    return timer
  }

const clear = (machines: (timer: unknown) => void) => (timer: unknown) => {
  if (timer instanceof WorldTimer) timer.isLive = false
  else if (typeof timer === "number" && machine.world !== undefined) machine.world.clearTimer(timer)
  else machines(timer)
}

interface Turn {
  isLive: boolean
}
const turns = new WeakSet<object>()
const isTurn = (value: unknown): value is Turn => typeof value === "object" && value !== null && turns.has(value)

/** A runner's turns run in order, as in Node. */
const turnOf = (world: World, run: Callback, args: ReadonlyArray<unknown>) => {
  const turn = { isLive: true, ref: () => turn, unref: () => turn, hasRef: () => true }
  turns.add(turn)
  world.lane(`turns of ${world.who}`, () => {
    if (turn.isLive) run(...args)
  })
  return turn
}
