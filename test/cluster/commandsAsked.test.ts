/** How many commands cross from one runner to another is counted. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Coffer } from "../kit/Process.ts"
import { eachOwnsAPart, ownerOf } from "../kit/threeRunners.ts"
import { newKey, newOrder, perform, twoRunners } from "../kit/TwoRunners.ts"

const askedBy = ({ api }: Coffer) =>
  Effect.map(api.get("/metrics"), ({ text }) =>
    ["here", "elsewhere"].map((owner) =>
      Number(new RegExp(`^coffer_commands_asked\\{kind="orders",owner="${owner}"\\} (\\d+)$`, "m").exec(text)?.[1])
    )
  )

it.live("a runner counts the commands that it carries out itself, and those that it sends to their owners", () =>
  Effect.gen(function* () {
    const { a, b, sql } = yield* twoRunners
    const key = yield* newKey(a)
    const held = yield* eachOwnsAPart(sql, 2)
    const orders = yield* Effect.replicateEffect(newOrder(a, { key, currency: "USD" }), 24)
    for (const order of orders) assert.strictEqual((yield* perform(a, "annotate", order)).status, 200)
    const ours = orders.filter(({ tradeNo }) => ownerOf(tradeNo, held) === a.pid).length
    assert.deepStrictEqual(yield* askedBy(a), [ours, orders.length - ours])
    assert.deepStrictEqual(yield* askedBy(b), [0, 0])
  })
)
