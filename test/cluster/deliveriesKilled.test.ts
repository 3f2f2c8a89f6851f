/** Webhooks while their process is killed repeatedly, after random numbers of requests. Postgres survives. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventPosts } from "../kit/stories/eventPosts.ts"
import { type Coffer, connect, launch, newHome, seeded } from "../kit/Process.ts"
import { freePort, freshDatabase, operatorToken, secretKey } from "../kit/Service.ts"
import { rounds } from "../kit/run/soak.ts"

const kills = rounds(3, 20)
const events = rounds(500, 5_000)
const seed = 1

describe("kill -9", () => {
  it.live("while webhooks are delivered: each arrives, and again only after the lease of a process that died", () =>
    Effect.gen(function* () {
      const databaseUrl = yield* freshDatabase
      const sql = yield* connect(databaseUrl)
      const env = {
        DATABASE_URL: databaseUrl,
        COFFER_HOME: yield* newHome,
        SECRET_KEY: secretKey,
        OPERATOR_TOKEN: operatorToken,
        ALLOW_PRIVATE_WEBHOOKS: "true",
        WORKER_POLL: "200 millis"
      }
      const port = yield* freePort
      const draw = seeded(seed)
      const fewPosts = () => 1 + draw(Math.floor((0.8 * events) / kills))
      let coffer: Coffer | undefined
      let dies = Infinity
      const posts = yield* eventPosts(sql, (count) => {
        if (count >= dies) coffer?.signal("SIGKILL")
      })

      const first = yield* launch({ env, port })
      coffer = first
      yield* first.ready
      const { merchantId } = yield* first.api.newMerchant()
      dies = fewPosts()
      yield* posts.insert(merchantId, events)
      for (let killed = 1; killed <= kills; killed++) {
        assert.deepStrictEqual(yield* coffer.ended, { code: null, signal: "SIGKILL" })
        yield* posts.noteLeases
        dies = killed === kills ? Infinity : posts.count() + fewPosts()
        coffer = yield* launch({ env, port })
      }
      const again = yield* posts.assertArrived(events)
      assert.isAbove(again, 0, "a kill came while something was posted")
    })
  )
})
