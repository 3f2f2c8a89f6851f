/**
 * An operation whose key goes into its one change (docs/decisions/0004) commits nothing else and makes no outside
 * calls: a repeat may run it to the end before the key's row says that it is one.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isSingleCommit } from "../../../src/shared/idempotency/Idempotency.ts"
import { prepared, trap } from "../../kit/faults/failures.ts"
import { routeOf, routes } from "../../kit/routes/routes.ts"
import { send } from "../../kit/routes/write.ts"
import { writes } from "../../kit/routes/writes.ts"
import { start } from "../../kit/Service.ts"

/** Whether something is written, or an outside call is made, at a point. Calls are logged beside. */
const isAct = (point: string) => !/^(Idempotency|Logs)[.]/.test(point)

describe("an operation whose key is written along", () => {
  it.live("comes to one commit, which has the key; one that claims before comes to two", () =>
    Effect.gen(function* () {
      const set = trap()
      const service = yield* start({ clock: "test", faults: set.layer })
      const keyed = writes.filter(({ isKeyed }) => isKeyed)
      const begun = (yield* prepared(service, keyed)).map((one) => ({
        ...one,
        route: routeOf(one.asked.method, one.asked.path)!
      }))
      for (const { asked, route, write } of begun) {
        yield* service.atRest
        const acts: Array<string> = []
        set.at = (point, tables) => {
          if (isAct(point)) acts.push(`${point} ${tables}`)
          return undefined
        }
        const reply = yield* send(service, asked)
        set.at = undefined
        assert.isBelow(reply.status, 300, reply.text)
        const commits = acts.filter((act) => act.startsWith("Transactor.write") && act.includes("idempotency_keys"))
        if (!isSingleCommit(route)) {
          assert.isAtLeast(commits.length, 2, write.name)
          continue
        }
        assert.lengthOf(commits, 1, `${write.name}: ${acts.join("; ")}`)
        assert.notStrictEqual(commits[0], "Transactor.write idempotency_keys", write.name)
        assert.deepStrictEqual(acts[0], commits[0], write.name)
        assert.isTrue(
          acts.slice(1).every((act) => !/orders|payment_links|webhook_settings|refunds/.test(act)),
          `${write.name}: ${acts.join("; ")}`
        )
      }
      const tried = new Set(begun.map(({ route }) => route))
      assert.deepStrictEqual(
        routes().filter((route) => isSingleCommit(route) && !tried.has(route)),
        []
      )
    })
  )
})
