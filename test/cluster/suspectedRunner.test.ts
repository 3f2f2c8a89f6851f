/** A frozen runner: the other notices it long before Postgres gives its shards away. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { assertBooksWhole, type Coffer, eventually } from "../kit/Process.ts"
import { eachOwnsAPart, newOrders, newWallets, ownerOf } from "../kit/runners/threeRunners.ts"
import { perform, performAtLast, twoRunners } from "../kit/runners/TwoRunners.ts"

const asked = 12

const says = ({ said }: Coffer, words: RegExp) =>
  eventually(
    String(words),
    Effect.sync(() => words.test(said.stderr))
  )

const suspectedBy = ({ api }: Coffer) =>
  Effect.map(api.get("/metrics"), ({ text }) => /^coffer_runners_suspected (\d+)$/m.exec(text)?.[1])

describe("a runner that is frozen", () => {
  it.live("is suspected, and loses its shards to the others long before Postgres gives them away", () =>
    Effect.gen(function* () {
      const { a, b, sql } = yield* twoRunners
      const held = yield* eachOwnsAPart(sql, 2)
      const wallets = yield* newWallets(a)
      const ownedBy = ({ pid }: Coffer) => wallets.filter((wallet) => ownerOf(wallet, held) === pid)
      const theirs = yield* newOrders(a, ownedBy(b), asked)
      const ours = yield* newOrders(a, ownedBy(a), 1)
      yield* performAtLast(a, "annotate", theirs[0]!)
      assert.strictEqual(yield* suspectedBy(a), "0")

      b.signal("SIGSTOP")
      const first = yield* Effect.forkChild(perform(a, "annotate", theirs[0]!))
      yield* says(a, /"the runner 127\.0\.0\.1:\d+ does not answer\. Commands for what it owns are answered 503/)
      // It was under way before.
      const { headers, status } = yield* Fiber.join(first)
      assert.strictEqual(status, 503)
      assert.isTrue(headers.has("retry-after"))
      assert.strictEqual((yield* perform(a, "annotate", ours[0]!)).status, 200)

      yield* says(a, /"the runner 127\.0\.0\.1:\d+ does nothing in Postgres either: its sessions were closed"/)
      for (const order of theirs) yield* performAtLast(a, "annotate", order)
      assert.strictEqual(yield* suspectedBy(a), "0")

      b.signal("SIGCONT")
      for (const order of theirs) yield* performAtLast(b, "annotate", order)
      yield* assertBooksWhole(sql)
    })
  )
})
