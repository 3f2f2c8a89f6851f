/** One probe says how late the event loop is, to the metrics and to the admission that sheds work by it. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { elapsedMillis } from "../../src/platform/runtime/realTime.ts"
import * as Vitals from "../../src/platform/runtime/Vitals.ts"

const heldMillis = 400

const hold = () => {
  const end = elapsedMillis() + heldMillis
  while (elapsedMillis() < end);
}

it.live("a delayed loop is reported to its listeners", () =>
  Effect.gen(function* () {
    const { watchDelay } = yield* Vitals.Vitals
    yield* Effect.callback<void>((resume) => {
      let looks = 0
      watchDelay((millis) => {
        // The next look has begun by then, and is due within a tenth of a second.
        if (looks++ === 0) setImmediate(hold)
        // Were it not told, this would never end.
        if (millis > heldMillis - 100) resume(Effect.void)
      })
    })
  }).pipe(Effect.provide(Vitals.layer))
)
