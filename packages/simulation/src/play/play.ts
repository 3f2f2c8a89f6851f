/** One world of a campaign, from its beginning to the judgement of its end. */
import { diceOf } from "../dice.ts"
import { digestOf } from "../gate/Session.ts"
import { machine } from "../machine.ts"
import { type Chances, type Event, Weather } from "../Weather.ts"
import { missedOrders } from "./acts/following.ts"
import { kinds } from "./acts/kinds.ts"
import { markCounters } from "./counters.ts"
import { leftOpen, unfinished } from "./endings.ts"
import { inWorld, type InWorld, type Place, startReady } from "./inWorld.ts"
import { brokenLaws, lostEvents } from "./laws.ts"
import { unaskedOrders } from "./bankLaws.ts"
import { planAll } from "./plans.ts"
import { Receiver } from "./Receiver.ts"
import { Story } from "./Story.ts"

export interface Plan {
  readonly seed: number
  readonly runners: number
  readonly orders: number
  /** The names of what callers do; undefined: all of it. */
  readonly acts: ReadonlyArray<string> | undefined
  readonly pollMillis: number
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
  let story: Story | undefined
  const { broken, gate, world } = await inWorld(
    place,
    { seed: plan.seed, places: plan.runners, pollMillis: plan.pollMillis, weather, showsBytes: plan.showsBytes },
    async (made) => {
      story = new Story(made.world, made.runners, new Receiver(made.world, weather, diceOf(plan.seed ^ 0x7f4a7c15)))
      await tell(plan, made, story)
    },
    async ({ control, url }) => [
      ...(await brokenLaws(url, control, story!.outcome)),
      ...(await lostEvents(control, story!.receiver)),
      ...(await missedOrders(control, story!)),
      ...(await unaskedOrders(control, story!.calls))
    ]
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

const chosen = (names: Plan["acts"]) => {
  const acts = kinds.filter(({ name }) => names?.includes(name) ?? true)
  if (acts.length === 0) throw new Error(`the acts are ${[...new Set(kinds.map(({ name }) => name))].join(", ")}`)
  return acts
}

const tell = async ({ acts, orders, runners: places }: Plan, made: InWorld, story: Story) => {
  const { gate, runners, world } = made
  for (let place = 1; place <= places; place++) await startReady(world, runners, place)
  world.mark(`${places} runners were there`)
  await story.begin()
  gate.weather.isOn = true
  const ending = planAll({ world, gate, runners, story })
  await story.run(chosen(acts), orders)
  gate.weather.isOn = false
  await ending()
  while (gate.hasLeft) await world.sleep(1_000)
  await world.sleep(restMillis)
  const { broken } = story.outcome
  broken.push(...(await unfinished(made)))
  markCounters(world)
  broken.push(...(await runners.stopAll()), ...(await leftOpen(made)))
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
