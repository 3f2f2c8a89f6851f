/**
 * Removes files that neither evidence nor a logo names: a week after their upload, or at most four weeks after the last
 * reference was removed.
 */
import { DateTime, Effect, Layer, Option } from "effect"
import { Workers } from "../../platform/jobs/Workers.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { Files } from "./Files.ts"
import { filesSettings } from "./filesSettings.ts"

/** Files of one round. */
const batchMax = 100
const every = "1 hour"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const files = yield* Files
    const { filesBucket } = (yield* Settings).of(filesSettings)
    let isMore = false
    yield* workers.supervise(() => ({
      name: "files that nothing names",
      // The bucket belongs to the original of this copy.
      callsOutside: filesBucket !== undefined,
      tidies: true,
      run: Effect.gen(function* () {
        const looked = yield* files.dropUnnamed(yield* currentTime, batchMax)
        isMore = looked === batchMax
        return looked
      }),
      next: Effect.map(currentTime, (now) => Option.some(isMore ? now : DateTime.addDuration(now, every)))
    }))
  })
)
