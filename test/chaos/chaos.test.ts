/**
 * Three runners under a steady load, while the systems that they depend on fail at random: `npm run test:chaos`. The
 * seed is printed; `CHAOS_SEED` repeats the faults, though not their every effect. `CHAOS_SECONDS` says how long it
 * breaks things, 600 unless set.
 */
import { randomInt } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { patiently } from "../../src/platform/runtime/patience.ts"
import { chaosCluster } from "../kit/faults/ChaosCluster.ts"
import { type ChaosFault, faults, recovered } from "../kit/faults/chaosFaults.ts"
import { assertAllWell, chaosActs, receiver } from "../kit/faults/chaosLoad.ts"
import * as PostgresPair from "../kit/servers/PostgresPair.ts"
import { connect, seeded } from "../kit/Process.ts"
import * as Redis from "../kit/servers/Redis.ts"
import { stretched } from "../kit/run/slowness.ts"
import { type Acknowledged, type SteadyLoad, steadyLoad } from "../kit/faults/SteadyLoad.ts"
import { newKey } from "../kit/runners/TwoRunners.ts"

const seconds = Number(process.env["CHAOS_SECONDS"] ?? 600)
const seed = Number(process.env["CHAOS_SEED"] ?? randomInt(2 ** 31))
const merchants = 4
const workersEach = 3
/** A request to a runner that is there is answered within this. */
const patience = "10 seconds"

interface Happened {
  readonly name: string
  readonly began: number
  /** When the next one begins: work that is unfinished by then counts towards that one, too. */
  ended: number
}

/** Each fault once in a random order, then again in another, at times two at once. */
const plan = (draw: (limit: number) => number) => {
  const left: Array<ChaosFault> = []
  const next = () => {
    if (left.length === 0) left.push(...faults)
    return left.splice(draw(left.length), 1)[0]!
  }
  return () => {
    const first = next()
    if (draw(4) > 0) return [first]
    const second = left.find(({ touches }) => touches !== first.touches)
    return second === undefined ? [first] : [first, ...left.splice(left.indexOf(second), 1)]
  }
}

const kinds = { order: ["create", "link"], wallet: ["pay", "refund", "dispute", "resolve"] }

/** The longest wait for a write from this fault on, until the next. */
const longest = ({ acknowledged }: SteadyLoad, of: ReadonlyArray<string>, { began, ended }: Happened) =>
  Math.max(
    0,
    ...acknowledged
      .filter((each: Acknowledged) => of.includes(each.kind) && each.at > began && each.began < ended)
      .map(({ at, began: sent }) => Math.min(at, ended) - Math.max(sent, began))
  )

const tableOf = (load: SteadyLoad, all: ReadonlyArray<Happened>) => {
  const names = [...new Set(all.map(({ name }) => name))].toSorted()
  const lines = names.map((name) => {
    const each = all.filter((one) => one.name === name)
    const worst = (of: ReadonlyArray<string>) => Math.max(...each.map((one) => longest(load, of, one))) / 1_000
    return `${worst(kinds.order).toFixed(1).padStart(6)} ${worst(kinds.wallet).toFixed(1).padStart(6)}  ${each.length} x ${name}`
  })
  return ["longest wait in seconds for an order and for a wallet, by fault", " order wallet", ...lines].join("\n")
}

const leftOut = PostgresPair.leftOut || Redis.leftOut
const title = "three runners on what breaks at random"

describe.skipIf(leftOut)(leftOut ? `${title} (left out: it needs postgresql and redis-server)` : title, () => {
  it.live(
    `for ${seconds} s: nothing that was acknowledged is lost or doubled, nothing hangs, and nothing is stuck`,
    () =>
      Effect.gen(function* () {
        process.stdout.write(`CHAOS_SEED=${seed}\n`)
        const cluster = yield* chaosCluster
        const hook = yield* receiver
        const draw = seeded(seed)
        const loads = seeded(seed + 1)
        const running = () => {
          const there = cluster.nodes.filter((node) => !node.wasPaused(Infinity))
          return there.length === 0 ? cluster.nodes : there
        }
        const load = steadyLoad(running, loads)
        const act = chaosActs(running, loads, hook.url)
        for (const key of yield* Effect.replicateEffect(newKey(cluster.nodes[0]!.coffer()), merchants)) {
          for (let worker = 0; worker < workersEach; worker++) load.begin(key, act)
        }
        const next = plan(draw)
        const all: Array<Happened> = []
        const end = performance.now() + seconds * 1_000
        while (performance.now() < end) {
          yield* Effect.sleep(1_000 + draw(2_000))
          const now = next()
          const happened: Happened = {
            name: now.map(({ name }) => name).join(", and "),
            began: performance.now(),
            ended: 0
          }
          const before = all.at(-1)
          if (before !== undefined) before.ended = happened.began
          all.push(happened)
          yield* Effect.all(
            now.map((fault) => Effect.orDie(fault.happen(cluster, draw))),
            { concurrency: 2 }
          )
          yield* recovered(cluster)
          happened.ended = performance.now()
          const took = ((happened.ended - happened.began) / 1_000).toFixed(1)
          const since = `${(happened.began / 1_000).toFixed(1).padStart(6)} s`
          process.stdout.write(
            `${since}, for ${took.padStart(5)} s: ${happened.name}; ${load.acknowledged.length} writes so far\n`
          )
        }
        yield* load.end
        all.at(-1)!.ended = performance.now()
        const sql = yield* connect(cluster.superuserUrl)
        process.stdout.write(
          `${tableOf(load, all)}\n${load.acknowledged.length} writes of ${load.sent()} requests, the longest request ` +
            `${(load.longest() / 1_000).toFixed(1)} s, ${hook.events.size} events\n${load.slow.join("\n")}\n`
        )
        yield* patiently("2 minutes")(assertAllWell(sql, load, hook.events))
        assert.isBelow(
          load.longest(),
          Duration.toMillis(yield* stretched(patience)),
          "the longest request, milliseconds"
        )
      }),
    (seconds + 900) * 1_000
  )
})
