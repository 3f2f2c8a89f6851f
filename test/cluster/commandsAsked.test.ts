/** How many commands cross from one runner to another is counted. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Coffer, eventually } from "../kit/Process.ts"
import { eachOwnsAPart, newOrders, newWallets, ownerOf } from "../kit/runners/threeRunners.ts"
import { perform, twoRunners } from "../kit/runners/TwoRunners.ts"

const askedBy = ({ api }: Coffer, kind: "orders" | "wallets") =>
  Effect.map(api.get("/metrics"), ({ text }) =>
    ["here", "elsewhere"].map((owner) =>
      Number(
        new RegExp(`^coffer_commands_asked_total\\{kind="${kind}",owner="${owner}"\\} (\\d+)$`, "m").exec(text)?.[1]
      )
    )
  )

it.live("a runner counts the commands that it carries out itself, and those that it sends to their owners", () =>
  Effect.gen(function* () {
    const { a, b, sql } = yield* twoRunners
    const held = yield* eachOwnsAPart(sql, 2)
    const orders = yield* newOrders(a, yield* newWallets(a), 24)
    for (const order of orders) assert.strictEqual((yield* perform(a, "annotate", order)).status, 200)
    const ours = orders.filter(({ wallet }) => ownerOf(wallet, held) === a.pid).length
    assert.deepStrictEqual(yield* askedBy(a, "orders"), [ours, orders.length - ours])
    assert.deepStrictEqual(yield* askedBy(b, "orders"), [0, 0])
  })
)

it.live("the owner of a wallet owns its orders: a payment that is sent on is not sent on again", () =>
  Effect.gen(function* () {
    const { a, b, sql } = yield* twoRunners
    const held = yield* eachOwnsAPart(sql, 2)
    const orders = yield* newOrders(a, yield* newWallets(a), 24)
    for (const order of orders) assert.strictEqual((yield* perform(a, "pay", order)).status, 200)
    const ours = orders.filter(({ wallet }) => ownerOf(wallet, held) === a.pid).length
    assert.deepStrictEqual(yield* askedBy(a, "orders"), [ours, orders.length - ours])
    assert.deepStrictEqual(yield* askedBy(a, "wallets"), [ours, 0])
    assert.deepStrictEqual(yield* askedBy(b, "wallets"), [orders.length - ours, 0])
  })
)

const callsOf = ({ api }: Coffer) =>
  Effect.map(api.get("/metrics"), ({ text }) =>
    Number(/^coffer_direct_calls_total\{outcome="answered"\} (\d+)$/m.exec(text)?.[1])
  )

it.live("a command goes straight to its owner once that has answered for the object", () =>
  Effect.gen(function* () {
    const { a, b, sql } = yield* twoRunners
    const held = yield* eachOwnsAPart(sql, 2)
    const orders = yield* newOrders(a, yield* newWallets(a), 24)
    const theirs = orders.find(({ wallet }) => ownerOf(wallet, held) === b.pid)!
    assert.strictEqual(yield* callsOf(a), 0)
    assert.strictEqual((yield* perform(a, "annotate", theirs)).status, 200)
    assert.strictEqual(yield* callsOf(a), 0)
    yield* eventually(
      "a direct call",
      Effect.gen(function* () {
        assert.strictEqual((yield* perform(a, "annotate", theirs)).status, 200)
        return (yield* callsOf(a)) > 0
      })
    )
    const before = yield* callsOf(a)
    assert.strictEqual((yield* perform(a, "pay", theirs)).status, 200)
    assert.deepStrictEqual([yield* callsOf(a), yield* callsOf(b)], [before + 1, 0])
  })
)
