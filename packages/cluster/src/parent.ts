/** For a process that a parent has started (`Children.ts`): it tells its parent how it is, and ends with it. */
import cluster from "node:cluster"
import { Effect } from "effect"
import { askMessage, hereMessage } from "./handover.ts"

/** A child sends it once it is ready. */
export const readyMessage = "ready"
/** A child sends it once it has closed the port, and the parent returns it. */
export const leavingMessage = "leaving"

/** Whether a parent has started this process. */
export const isChild: boolean = cluster.isWorker

/** Tells the parent that this runner holds its shards. */
export const tellReady = Effect.sync(() => void process.send?.(readyMessage))

/**
 * Tells the parent that the port is closed, and waits for its answer. Connections that the parent had sent before are
 * given back by then, and go to another child. Without this wait the last ones would end with this process.
 */
export const handBack = Effect.callback<void>((resume) => {
  if (process.send === undefined || !process.connected) return resume(Effect.void)
  process.on("message", (message) => message === leavingMessage && resume(Effect.void))
  process.send(leavingMessage)
}).pipe(Effect.timeoutOption("1 second"), Effect.asVoid)

/** An orderly stop when the parent has died. Otherwise Node would end the process in the middle of its work. */
export const followParent = () => {
  const { worker } = cluster
  if (worker === undefined) return
  process.on("message", (message) => message === askMessage && process.connected && process.send!(hereMessage))
  // It is for the parent, and a terminal sends it to all of its processes.
  process.on("SIGHUP", () => undefined)
  process.prependListener("disconnect", () => {
    worker.exitedAfterDisconnect = true
    process.kill(process.pid, "SIGTERM")
  })
}
