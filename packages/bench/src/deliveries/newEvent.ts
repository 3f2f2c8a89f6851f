/**
 * How long a new event takes to a healthy receiver: from the answer to the payment, which comes after the commit, to
 * the arrival of its post. Two runners share the database. The runner that does not commit a payment is as idle as the
 * other.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { median } from "../driver/summary.ts"
import { say } from "../say.ts"
import type { Postgres } from "../stage/Postgres.ts"
import * as Sides from "../stage/Sides.ts"
import { newShop, pay } from "./service.ts"
import { startSink } from "./Sink.ts"

export interface NewEvents {
  readonly events: number
  /** Milliseconds; negative when the post came before the answer to the payment. */
  readonly p50: number
  readonly max: number
}

const count = 100

const runner = async (postgres: Postgres, database: string) =>
  Sides.start(postgres, "service", database, {
    env: { ALLOW_PRIVATE_WEBHOOKS: "true", RUNNER_HOST: "127.0.0.1", RUNNER_PORT: String(await Sides.freePort()) }
  })

export const newEvents = async (postgres: Postgres): Promise<NewEvents> => {
  const database = "deliveries_new"
  await postgres.query("coffer", `create database ${database}`)
  const sink = await startSink()
  const sides = [await runner(postgres, database), await runner(postgres, database)]
  try {
    const shop = await newShop(sides[0]!)
    // The second runner must have its shards.
    await sleep(5_000)
    const taken: Array<number> = []
    for (let number = 0; number < count; number++) {
      const { arrived } = await sink.expect(1)
      await pay(sides[number % 2]!, shop, sink.urls[number % sink.urls.length]!)
      const answered = performance.timeOrigin + performance.now()
      const { first } = await arrived
      // The first payments compile the code.
      if (number >= count / 4) taken.push(first - answered)
    }
    const found = { events: taken.length, p50: median(taken), max: Math.max(...taken) }
    say(`  ${newEventsText(found)}`)
    return found
  } finally {
    for (const side of sides) await side.stop()
    sink.stop()
  }
}

export const newEventsText = ({ events, max, p50 }: NewEvents): string =>
  `New event to its receiver, two runners, ${events} payments one after the other: p50 ${p50.toFixed(1)} ms, ` +
  `at most ${max.toFixed(1)} ms after the payment was answered.`
