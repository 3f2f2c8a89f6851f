/** One world of a campaign, from its beginning to the judgement of its end. */
import { diceOf } from "../dice.ts"
import type { Gate } from "../gate/Gate.ts"
import { Refusal } from "../gate/Refusal.ts"
import { digestOf } from "../gate/Session.ts"
import { machine } from "../machine.ts"
import { type Chances, type Event, Weather } from "../Weather.ts"
import { callers, type World } from "../World.ts"
import { inWorld, type Place, startReady } from "./inWorld.ts"
import { brokenLaws } from "./laws.ts"
import type { Runners } from "./Runners.ts"
import { type Outcome, Story } from "./Story.ts"

export interface Plan {
  readonly seed: number
  readonly runners: number
  readonly orders: number
  readonly chances: Chances
  /** Numbers of events that are left out. */
  readonly without: ReadonlySet<number>
  readonly showsBytes: boolean
}

export interface Played {
  readonly plan: Plan
  readonly trace: ReadonlyArray<string>
  readonly digest: string
  readonly events: ReadonlyArray<Event>
  readonly marks: ReadonlyMap<string, number>
  /** The problems found; empty if there are none. */
  readonly broken: ReadonlyArray<string>
  readonly statements: number
  readonly steps: number
  readonly virtualMillis: number
}

/** How long the service goes on after the last answer. */
const restMillis = 3_000

export const play = async (place: Place, plan: Plan): Promise<Played> => {
  const weather = new Weather(diceOf(plan.seed ^ 0x3c6ef372), plan.chances, plan.without)
  let outcome: Outcome | undefined
  const { broken, gate, world } = await inWorld(
    place,
    { seed: plan.seed, places: plan.runners, weather, showsBytes: plan.showsBytes },
    async ({ gate, runners, world }) => {
      const story = new Story(world, runners)
      outcome = story.outcome
      await tell(plan, world, gate, runners, story)
    },
    ({ control, url }) => brokenLaws(url, control, outcome!)
  )
  return {
    plan,
    trace: world.trace,
    digest: digestOf(world.trace.join("\n")),
    events: weather.events,
    marks: world.marks,
    broken,
    statements: gate.units,
    steps: world.steps,
    virtualMillis: world.now - world.began
  }
}

const tell = async ({ orders, runners: places }: Plan, world: World, gate: Gate, runners: Runners, story: Story) => {
  for (let place = 1; place <= places; place++) await startReady(world, runners, place)
  await story.begin()
  gate.weather.isOn = true
  const killed = planKill(world, gate, runners)
  const endings = [...planStop(world, gate, runners, killed), ...planRefusal(world, gate, story)]
  await story.run(orders)
  gate.weather.isOn = false
  await Promise.all(endings)
  await world.sleep(restMillis)
}

/** There are many steps if fibers yield often. */
const stepsOf = (world: World, most: number) =>
  300 + world.dice.below(Math.ceil((most * 40) / Math.min(40, world.budget)))

/** A failing planned action ends the world. */
const carriedOut = (world: World, work: Promise<void>) => work.catch((error: unknown) => world.fail(error))

/** Returns its number. */
const planKill = (world: World, { weather }: Gate, runners: Runners): number | undefined => {
  const runner = 1 + weather.dice.below(runners.places)
  const steps = stepsOf(world, 2_500)
  const pause = 500 + weather.dice.below(3_000)
  if (!weather.happens("kill", () => `runner ${runner} after ${steps} steps, another one after ${pause} ms`))
    return undefined
  world.inSteps(steps, () => world.kill(runner))
  world.whenKilled = (killed) => {
    const again = () => runners.replace(killed).catch((error: unknown) => world.fail(error))
    world.task(() => world.after(pause, () => void again()), callers)
  }
  return runner
}

const planStop = (
  world: World,
  { weather }: Gate,
  runners: Runners,
  killed: number | undefined
): ReadonlyArray<Promise<void>> => {
  const runner = 1 + weather.dice.below(runners.places)
  const millis = weather.dice.below(400)
  if (runner === killed || !weather.happens("stop", () => `runner ${runner} after ${millis} ms`)) return []
  const stop = world.sleep(millis).then(async () => {
    await runners.stop(runner)
    await runners.replace(runner)
  })
  return [carriedOut(world, stop)]
}

const planRefusal = (world: World, gate: Gate, story: Story): ReadonlyArray<Promise<void>> => {
  const refusal = new Refusal(gate.weather.dice)
  const millis = gate.weather.dice.below(600)
  const { code } = refusal.kind
  if (!gate.weather.happens("refuse", () => `${code} after ${millis} ms, for ${refusal.millis} ms`)) return []
  const refuse = world.sleep(millis).then(async () => {
    world.note(`Postgres refuses with ${code}`)
    world.mark(`Postgres refused with ${code}`)
    gate.refuse(refusal)
    const lies = story.readiness.watch(() => gate.refusal === undefined)
    await world.sleep(refusal.millis)
    gate.refuse(undefined)
    story.outcome.broken.push(...(await lies))
    world.note("Postgres refuses no more")
  })
  return [carriedOut(world, refuse)]
}

/** An error that would end a process ends its world. */
export const watchProcess = () => {
  const failed = (error: unknown) => {
    if (machine.world !== undefined) machine.world.fail(new Error("a process would have ended", { cause: error }))
    else {
      console.error(error)
      process.exit(1)
    }
  }
  process.on("uncaughtException", failed)
  process.on("unhandledRejection", failed)
  // Each service adds a listener for SIGHUP.
  process.stdin.setMaxListeners(0)
}
