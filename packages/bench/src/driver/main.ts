/** The load generator's process: takes one load at a time from its parent and tells it what came of it. */
import { type Load, run } from "./load.ts"

process.on("message", (load: Load) => {
  run(load, () => process.send!({ warm: true })).then(
    (summary) => process.send!({ summary }),
    (cause: Error) => process.send!({ failure: cause.message })
  )
})
process.on("disconnect", () => process.exit(0))
