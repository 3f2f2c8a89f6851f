/** Work that another runner has begun and abandons, as when it stops or has lost its locks. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { member } from "../kit/runners/Members.ts"
import { keyNamed } from "../kit/runners/Peers.ts"
import { eventually } from "../kit/Process.ts"
import { freshDatabase } from "../kit/Service.ts"

describe("a command that another runner breaks off", () => {
  it.live("is asked again, and its caller is answered", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      let toBreak = 0
      const breaksOff = Effect.suspend(() => (toBreak-- > 0 ? Effect.interrupt : Effect.void))
      const asks = yield* member("asks", database, [keyNamed("one")])
      yield* member("breaks off", database, [keyNamed("one")], breaksOff)
      const both = (owners: ReadonlyArray<string>) => new Set(owners).size === 2
      yield* eventually("both to own a part", Effect.map(asks.owners, both), "1 minute")
      toBreak = 3
      assert.isTrue(both(yield* asks.owners))
      assert.isBelow(toBreak, 1, "commands were broken off")
    })
  )
})
