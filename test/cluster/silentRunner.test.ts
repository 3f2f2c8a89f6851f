/** A runner that is there and does not answer: what those are told who need it, and what the log says. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { connect, eventually } from "../kit/Process.ts"
import { freshDatabase } from "../kit/Service.ts"
import { holders, ownerOf } from "../kit/threeRunners.ts"
import { newKey, newOrder, perform, performAtLast, runner } from "../kit/TwoRunners.ts"

it.live(
  "a frozen runner is named in the log, its objects are answered 503 to come back, and 200 once it wakes up",
  () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const sql = yield* connect(database)
      const a = yield* runner(database)
      yield* a.ready
      const b = yield* runner(database)
      yield* b.ready
      yield* eventually(
        "all shards to have owners",
        Effect.map(holders(sql), (held) => held.size === 300 && new Set(held.values()).size === 2)
      )
      const key = yield* newKey(a)
      const orders = yield* Effect.replicateEffect(newOrder(a, { key, currency: "USD" }), 20)
      const held = yield* holders(sql)
      const theirs = orders.filter(({ tradeNo }) => ownerOf(tradeNo, held) === b.pid)
      const [one] = theirs
      assert.isDefined(one)

      b.signal("SIGSTOP")
      yield* eventually(
        "it to be named",
        Effect.gen(function* () {
          const replies = yield* Effect.forEach(theirs, (order) => perform(a, "annotate", order), {
            concurrency: "unbounded"
          })
          for (const { headers, status, text } of replies) {
            assert.strictEqual(status, 503, text)
            assert.isTrue(headers.has("retry-after"))
          }
          return /the runner 127\.0\.0\.1:\d+ does not answer: commands for what it owns are answered 503/.test(
            a.said.stderr
          )
        })
      )
      b.signal("SIGCONT")
      for (const order of theirs) yield* performAtLast(a, "annotate", order)
      yield* eventually(
        "the end of it in the log",
        Effect.sync(() => /the runner 127\.0\.0\.1:\d+ answers again, or is gone, after/.test(a.said.stderr))
      )
    })
)
