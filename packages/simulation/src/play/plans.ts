/** What happens to the runners and the database of a world once or not at all, as its weather says. */
import type { Gate } from "../gate/Gate.ts"
import { diceOf } from "../dice.ts"
import { Refusal } from "../gate/Refusal.ts"
import type { Fate } from "../Network.ts"
import { callers } from "../owners.ts"
import type { World } from "../World.ts"
import { meddle, meddlings } from "./meddle.ts"
import type { Runners } from "./Runners.ts"
import type { Story } from "./Story.ts"

interface At {
  readonly world: World
  readonly gate: Gate
  readonly runners: Runners
  readonly story: Story
}

/** Plans all of it. What it returns waits, once nothing new goes wrong, until all that has begun has ended. */
export const planAll = (at: At): (() => Promise<void>) => {
  const taken = new Set<number>()
  planClocks(at)
  planLines(at)
  const whenReplaced = planKill(at, taken)
  const whenResumed = planPause(at, taken)
  const plans = [planStop(at, taken), planRefusal(at), planMeddling(at), planDeafness(at)].map((plan) =>
    // A failing action ends the world.
    plan?.catch((error: unknown) => at.world.fail(error))
  )
  return async () => void (await Promise.all([...plans, whenReplaced(), whenResumed()]))
}

/** There are many steps if fibers yield often. Half are early, while orders are created. */
const stepsOf = (world: World, most: number) =>
  150 + world.dice.below(Math.ceil((world.dice.pick([most / 6, most]) * 40) / Math.min(40, world.budget)))

/** Returns a promise of its successor, if it has died. */
const planKill = ({ gate: { weather }, runners, story, world }: At, taken: Set<number>) => {
  const runner = 1 + weather.dice.below(runners.places)
  const steps = stepsOf(world, 2_500)
  const pause = 500 + weather.dice.below(3_000)
  let whenOver = Promise.resolve()
  if (!weather.happens("kill", () => `runner ${runner} after ${steps} steps, another one after ${pause} ms`))
    return () => whenOver
  taken.add(runner)
  const kill = () => {
    if (!weather.isOn || world.dead.has(runner)) return
    story.markUnderWay(runner, "killed")
    world.kill(runner)
  }
  const own = diceOf(world.seed ^ 0x1f83d9ab)
  if (own.chance(0.7)) world.inSteps(steps, kill)
  else {
    // In the middle of one of its first posts to a webhook.
    let left = own.below(6)
    story.receiver.whenPosted = (sender) => {
      if (sender !== runner || left-- > 0) return
      world.mark("a runner was killed in the middle of a post")
      kill()
    }
  }
  world.whenKilled = (killed) => {
    whenOver = (async () => {
      await new Promise<void>((resolve) => world.task(resolve, callers))
      await world.sleep(pause)
      await runners.replace(killed)
    })().catch((error: unknown) => world.fail(error))
  }
  return () => whenOver
}

const planStop = ({ gate: { weather }, runners, story, world }: At, taken: Set<number>) => {
  const runner = 1 + weather.dice.below(runners.places)
  const millis = weather.dice.below(400)
  if (taken.has(runner) || !weather.happens("stop", () => `runner ${runner} after ${millis} ms`)) return undefined
  taken.add(runner)
  return world.sleep(millis).then(async () => {
    story.stopping(runner)
    await runners.stop(runner)
    world.mark("a runner was replaced in good order")
    await runners.replace(runner)
  })
}

/** Longer than shard locks live without a word from their runner. */
const locksMillis = 15_000

/** Returns a promise of its end, if it has begun. */
const planPause = ({ gate: { weather }, runners, story, world }: At, taken: Set<number>) => {
  const runner = 1 + weather.dice.below(runners.places)
  const steps = stepsOf(world, 2_000)
  // Most pauses are short: a long one costs a world as much as all else.
  const isLong = runners.places > 1 && weather.dice.chance(0.5)
  const millis = isLong ? locksMillis + weather.dice.below(8_000) : 500 + weather.dice.below(6_000)
  let whenOver = Promise.resolve()
  const isPlanned =
    !taken.has(runner) && weather.happens("pause", () => `runner ${runner} after ${steps} steps, for ${millis} ms`)
  if (!isPlanned) return () => whenOver
  taken.add(runner)
  world.inSteps(steps, () => {
    if (!weather.isOn) return
    world.mark("a runner was paused")
    story.markUnderWay(runner, "paused")
    if (millis > locksMillis) world.mark("a runner was paused for longer than its locks live")
    world.pause(runner)
    whenOver = new Promise((resolve) => {
      world.after(
        millis,
        () => {
          story.readiness.forget(runners.placeOf(runner))
          world.resume(runner)
          resolve()
        },
        callers
      )
    })
  })
  return () => whenOver
}

const clocksMillis = [-20_000, -3_000, 2_000, 20_000]
/** Beyond what the service bears (`ClockSkew.secondsMax`), for a while: its peers do its work. */
export const wrong = { millis: 400_000, lasts: 15_000 }

const planClocks = ({ gate: { weather }, runners, world }: At) => {
  const ahead = Array.from({ length: runners.places }, () => weather.dice.pick(clocksMillis))
  if (runners.places > 1 && weather.dice.chance(0.25)) ahead[0] = wrong.millis
  if (!weather.happens("clock", () => `ahead by ${ahead.join(", ")} ms`)) return
  world.mark("clocks were apart")
  for (const [place, millis] of ahead.entries()) world.clocks.set(place + 1, millis)
  if (ahead[0] !== wrong.millis) return
  world.mark("a clock was wrong")
  world.after(wrong.lasts, () => world.clocks.delete(1), callers)
}

const fates = ["late", "lost", "repeated"] as const
const marksOf: Readonly<Record<Fate["kind"], string>> = {
  late: "a message between runners was late",
  lost: "a message between runners was lost",
  repeated: "a message between runners arrived, and its answer was lost"
}

const planLines = ({ gate: { weather }, world }: At) => {
  world.network.fateOf = (from, to) => {
    const fate: Fate = { kind: weather.dice.pick(fates), millis: weather.dice.below(3_000) }
    if (!weather.happens("line", () => `${from} to ${to}: ${fate.kind}, ${fate.millis} ms`)) return undefined
    world.note(`from runner ${from} to ${to}: ${fate.kind} for ${fate.millis} ms`)
    world.mark(marksOf[fate.kind])
    return fate
  }
}

const planRefusal = ({ gate, story, world }: At) => {
  const refusal = new Refusal(gate.weather.dice)
  const millis = gate.weather.dice.below(600)
  const { code } = refusal.kind
  if (!gate.weather.happens("refuse", () => `${code} after ${millis} ms, for ${refusal.millis} ms`)) return undefined
  return world.sleep(millis).then(async () => {
    world.note(`Postgres refuses with ${code}`)
    world.mark(`Postgres refused with ${code}`)
    gate.refuse(refusal)
    const lies = story.readiness.watch(() => gate.refusal === undefined)
    await world.sleep(refusal.millis)
    gate.refuse(undefined)
    story.outcome.broken.push(...(await lies))
    world.note("Postgres refuses no more")
  })
}

const planDeafness = ({ gate, runners, world }: At) => {
  const dice = diceOf(world.seed ^ 0x5be0cd19)
  const [runner, millis, lasts] = [1 + dice.below(runners.places), dice.below(1_500), 5_000 + dice.below(10_000)]
  if (!gate.weather.happens("deaf", () => `runner ${runner} after ${millis} ms, for ${lasts} ms`)) return undefined
  return world.sleep(millis).then(async () => {
    world.note(`runner ${runner} hears nothing`)
    world.mark("a runner heard of no changes")
    gate.deafen(runner)
    await world.sleep(lasts)
    gate.deafen(undefined)
    world.note(`runner ${runner} may hear again`)
  })
}

const planMeddling = ({ gate: { weather }, runners, world }: At) => {
  const plan = meddlings[weather.dice.below(meddlings.length)]!
  const millis = weather.dice.below(600)
  const pause = 500 + weather.dice.below(5_000)
  if (!weather.happens("lock", () => `${plan.name} after ${millis} ms, for ${pause} ms`)) return undefined
  return world.sleep(millis).then(() => meddle(world, runners, plan, pause))
}
