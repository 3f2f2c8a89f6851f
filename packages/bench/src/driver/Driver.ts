/** The load generator as the bench sees it: another process that runs loads. */
import { fork } from "node:child_process"
import path from "node:path"
import type { Heard, Load } from "./load.ts"
import type { Summary } from "./summary.ts"

export interface Driver {
  /** `warm` is called when measuring begins, as precisely as a message between processes allows. */
  readonly run: (load: Load, heard: Partial<Heard>, ended?: AbortSignal) => Promise<Summary>
  readonly stop: () => void
}

export type DriverMessage =
  | { readonly warm: true }
  | { readonly lap: Summary }
  | { readonly summary: Summary }
  | { readonly failure: string }

export const start = (): Driver => {
  const child = fork(path.join(import.meta.dirname, "main.ts"), { serialization: "advanced" })
  return {
    run: (load, { lap, warm }, ended) =>
      new Promise((resolve, reject) => {
        const over = new AbortController()
        const hear = (message: DriverMessage) => {
          if ("warm" in message) return warm?.()
          if ("lap" in message) return lap?.(message.lap)
          leave()
          if ("summary" in message) resolve(message.summary)
          else reject(new Error(message.failure))
        }
        const die = () => {
          leave()
          reject(new Error("the load generator has ended"))
        }
        const leave = () => {
          over.abort()
          child.off("message", hear).off("exit", die)
        }
        child.on("message", hear).once("exit", die).send(load)
        ended?.addEventListener("abort", () => child.send("stop"), { once: true, signal: over.signal })
      }),
    stop: () => child.disconnect()
  }
}
