/** The load generator's process: runs one load at a time for its parent and reports the result. */
import type { DriverMessage } from "./Driver.ts"
import { type Load, run } from "./load.ts"

const tell = (message: DriverMessage) => process.send!(message)

let stop = () => undefined as void

process.on("message", (message: Load | "stop") => {
  if (message === "stop") return stop()
  const running = run(message, { warm: () => tell({ warm: true }), lap: (lap) => tell({ lap }) })
  ;({ stop } = running)
  running.done.then(
    (summary) => tell({ summary }),
    (cause: Error) => tell({ failure: cause.message })
  )
})
process.on("disconnect", () => process.exit(0))
// Ctrl-C reaches the whole group; the parent decides.
process.on("SIGINT", () => undefined)
