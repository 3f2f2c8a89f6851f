/**
 * A world under a seed: its dice, its virtual time, its ready steps and its sockets. One step runs, then Node drains
 * its ticks and promises, then the next one that the seed picks; time passes only when nothing is ready.
 */
import { type Dice, diceOf } from "./dice.ts"
import { real } from "./machine.ts"
import { Network } from "./Network.ts"
import { callers } from "./owners.ts"
import { TimerHeap, WorldTimer } from "./WorldTimer.ts"

interface Step {
  readonly run: () => void
  readonly owner: number
  /** The key of its lane, if it has one. */
  readonly lane?: unknown
}
interface Lane {
  readonly key: unknown
  readonly steps: Array<Step>
}

/** The maximum operations of a fiber before it yields; a world uses one of these. */
const budgets = [3, 10, 40, 40, 200, 200, 2048, 2048]
/** The start time of each world: Effect checks how far time has jumped since its module was loaded. */
const beginning = 1_700_000_000_000
const virtualMillisMax = 900_000
/** After this long in real time without a step, the world is stuck. */
const stuckMillis = 5_000

export class World {
  readonly dice: Dice
  readonly entropy: Dice
  readonly budget: number
  readonly began = beginning
  now = beginning
  readonly trace: Array<string> = []
  /** Reached states, for the coverage of a campaign. */
  readonly marks = new Map<string, number>()
  readonly network: Network
  readonly dead = new Set<number>()
  /** How far each runner's clock is ahead, in milliseconds. */
  readonly clocks = new Map<number, number>()
  steps = 0
  isStopped = false
  /** The current runner. */
  who = callers
  /** When a fiber yields next. */
  nextYield = 0
  whenFailed: (error: unknown) => void = () => {}
  whenKilled: (runner: number) => void = () => {}

  private readonly ready: Array<Step | Lane> = []
  private readonly lanes = new Map<unknown, Lane>()
  private readonly timers = new TimerHeap()
  private held = 0
  private isTurning = false
  /** Steps of paused runners, in their order. */
  private readonly frozen = new Map<number, Set<Step>>()
  private readonly plans: Array<{ readonly at: number; readonly act: () => void }> = []

  readonly seed: number

  constructor(seed: number) {
    this.seed = seed
    this.dice = diceOf(seed)
    this.entropy = diceOf(seed ^ 0x5bd1e995)
    this.budget = this.dice.pick(budgets)
    this.network = new Network(this)
  }

  note(line: string) {
    this.trace.push(`${(this.now - this.began).toFixed(3)} ${line}`)
  }

  mark(name: string) {
    this.marks.set(name, (this.marks.get(name) ?? 0) + 1)
  }

  /** A step that is ready now. */
  task(run: () => void, owner = this.who) {
    if (this.isStopped) return
    this.ready.push({ run, owner })
    this.wake()
  }

  /** Steps in order within a lane, and in the seed's order between lanes. The owner may be asked for when it is run. */
  lane(key: unknown, run: () => void, owner: number | (() => number) = this.who) {
    if (this.isStopped) return
    const lane = this.lanes.get(key) ?? { key, steps: [] }
    this.lanes.set(key, lane)
    const step: Step = typeof owner === "number" ? { run, owner, lane: key } : laneStep(key, run, owner)
    if (lane.steps.push(step) === 1) this.ready.push(lane)
    this.wake()
  }

  addTimer(timer: WorldTimer) {
    timer.owner = this.who
    this.timers.add(timer, this.now + timer.millis)
    this.wake()
  }

  clearTimer(id: number) {
    const timer = this.timers.withId(id)
    if (timer !== undefined) timer.isLive = false
  }

  /** After this many virtual milliseconds; fractions count. */
  after(millis: number, run: () => void, owner = this.who) {
    const timer = new WorldTimer(run, 1, false, () => {})
    timer.owner = owner
    this.timers.add(timer, this.now + millis)
    this.wake()
    return timer
  }

  sleep(millis: number) {
    return new Promise<void>((resolve) => void this.after(millis, resolve))
  }

  /** After this many more steps. */
  inSteps(steps: number, act: () => void) {
    this.plans.push({ at: this.steps + steps, act })
    this.plans.sort((a, b) => a.at - b.at)
  }

  /** Pauses the world until `work` of the machine has ended. */
  async holding<A>(work: () => Promise<A>): Promise<A> {
    this.held++
    try {
      return await work()
    } finally {
      this.held--
      this.wake()
    }
  }

  fail(error: unknown) {
    this.whenFailed(error)
  }

  stop() {
    this.isStopped = true
  }

  /** Like `kill -9`: none of its code runs any more, and its peers notice. */
  kill(runner: number) {
    this.note(`runner ${runner} is killed`)
    this.mark("a runner was killed")
    this.dead.add(runner)
    this.network.cutOff(runner)
    this.whenKilled(runner)
  }

  /** Like `kill -STOP`: its connections stay open, and none of its code runs until it goes on. */
  pause(runner: number) {
    this.note(`runner ${runner} is paused`)
    this.frozen.set(runner, new Set())
  }

  isPaused(runner: number) {
    return this.frozen.has(runner)
  }

  resume(runner: number) {
    const steps = this.frozen.get(runner) ?? []
    this.frozen.delete(runner)
    this.note(`runner ${runner} goes on`)
    for (const step of steps) {
      if (step instanceof WorldTimer) {
        step.isLive = true
        this.timers.add(step, this.now)
      } else if (step.lane === undefined) this.task(step.run, runner)
      else this.lane(step.lane, step.run, runner)
    }
    this.wake()
  }

  /** The time of day as the current runner's machine has it. */
  get wallClock() {
    return this.now + (this.clocks.get(this.who) ?? 0)
  }

  private wake() {
    if (this.isTurning || this.isStopped) return
    this.isTurning = true
    real.setImmediate(this.turn)
  }

  private readonly turn = () => {
    if (this.isStopped) return
    if (this.held > 0) {
      this.isTurning = false
      return
    }
    if (isThreadPoolBusy()) {
      real.setImmediate(this.turn)
      return
    }
    const step = this.takeReady() ?? this.takeTimer()
    if (step === undefined) {
      this.isTurning = false
      this.watchSilence()
      return
    }
    this.steps++
    this.run(step)
    while (this.plans.length > 0 && this.plans[0]!.at <= this.steps) this.plans.shift()!.act()
    real.setImmediate(this.turn)
  }

  private run(step: Step) {
    const { owner } = step
    if (this.dead.has(owner)) return
    const frozen = this.frozen.get(owner)
    if (frozen !== undefined) return void frozen.add(step)
    this.who = owner
    try {
      step.run()
    } catch (error) {
      this.fail(error)
    }
  }

  private takeReady(): Step | undefined {
    const { ready } = this
    if (ready.length === 0) return undefined
    const place = this.dice.below(ready.length)
    const picked = ready[place]!
    if ("steps" in picked && picked.steps.length > 1) return picked.steps.shift()
    ready[place] = ready.at(-1)!
    ready.pop()
    if (!("steps" in picked)) return picked
    this.lanes.delete(picked.key)
    return picked.steps.shift()
  }

  private takeTimer(): Step | undefined {
    const due = this.timers.take()
    if (due === undefined) return undefined
    const { at, timer } = due
    this.now = Math.max(this.now, at)
    if (this.now > this.began + virtualMillisMax) this.fail(new Error("the world has not ended in its time"))
    if (timer.repeats && !this.dead.has(timer.owner)) this.timers.add(timer, this.now + timer.millis)
    else timer.isLive = false
    return timer
  }

  /** Without a step, a timer or work of the machine, a fiber waits for ever. */
  private watchSilence() {
    const at = this.steps
    real.setTimeout(() => {
      if (this.steps === at && !this.isTurning && !this.isStopped && this.held === 0) {
        this.fail(new Error("nothing is ready and no timer waits"))
      }
    }, stuckMillis)
  }
}

/** The owner may not be known before the step: the runner that a connection reaches. */
const laneStep = (lane: unknown, run: () => void, ownerOf: () => number): Step => ({
  run,
  lane,
  get owner() {
    return ownerOf()
  }
})

/** The world is paused meanwhile. Synchronous work of `globals/disk.ts` does not come here. */
const isThreadPoolBusy = () =>
  process
    .getActiveResourcesInfo()
    .some((resource) => /Req|REQUEST|ZLIB|WORKER|Random|Hash|Sign|Scrypt|PBKDF2/i.test(resource))
