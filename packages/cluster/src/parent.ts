/** What a runner does that `coffer serve --runners` has started: it tells its parent how it is, and ends with it. */
import cluster from "node:cluster"
import { Effect } from "effect"
import { askMessage, hereMessage } from "./handover.ts"

/** What a child says once it is ready. */
export const readyMessage = "ready"
/** What a child says once it has closed the port. The parent says the same. */
export const leavingMessage = "leaving"

/** Whether this process is such a runner. */
export const isChild: boolean = cluster.isWorker

/** Tells the parent that this runner holds its shards. */
export const tellReady = Effect.sync(() => void process.send?.(readyMessage))

/**
 * Tells the parent that the port is closed, and waits for its answer. Connections that the parent had sent before are
 * given back by then, and go to another child. Without this wait the last ones would end with this process.
 */
export const handBack = Effect.callback<void>((resume) => {
  if (process.send === undefined || !process.connected) return resume(Effect.void)
  process.on("message", (said) => said === leavingMessage && resume(Effect.void))
  process.send(leavingMessage)
}).pipe(Effect.timeoutOption("1 second"), Effect.asVoid)

/** A stop in good order when the parent has died. Without this Node would end the process in the middle of its work. */
export const followParent = () => {
  const { worker } = cluster
  if (worker === undefined) return
  process.on("message", (said) => said === askMessage && process.connected && process.send!(hereMessage))
  // It is for the parent, and a terminal sends it to all of its processes.
  process.on("SIGHUP", () => undefined)
  process.prependListener("disconnect", () => {
    worker.exitedAfterDisconnect = true
    process.kill(process.pid, "SIGTERM")
  })
}
