/** The load generator as the bench sees it: another process that is given loads. */
import { fork } from "node:child_process"
import path from "node:path"
import type { Load } from "./load.ts"
import type { Summary } from "./summary.ts"

export interface Driver {
  /** `warm` is called when measuring begins, as near as a message between processes can be. */
  readonly run: (load: Load, warm: () => void) => Promise<Summary>
  readonly stop: () => void
}

type DriverMessage = { readonly warm: true } | { readonly summary: Summary } | { readonly failure: string }

export const start = (): Driver => {
  const child = fork(path.join(import.meta.dirname, "main.ts"), { serialization: "advanced" })
  return {
    run: (load, warm) =>
      new Promise((resolve, reject) => {
        const hear = (message: DriverMessage) => {
          if ("warm" in message) return warm()
          child.off("message", hear)
          if ("summary" in message) resolve(message.summary)
          else reject(new Error(message.failure))
        }
        child.on("message", hear)
        child.send(load)
      }),
    stop: () => child.disconnect()
  }
}
