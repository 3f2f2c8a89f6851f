/** The receiver as the bench sees it. */
import { fork } from "node:child_process"
import { once } from "node:events"
import path from "node:path"
import type { Arrivals } from "./receiver.ts"

export const startSink = async () => {
  const child = fork(path.join(import.meta.dirname, "receiver.ts"), { serialization: "advanced" })
  const next = async <Message>() => ((await once(child, "message")) as [Message])[0]
  const { deaf, ports } = await next<{ readonly ports: ReadonlyArray<number>; readonly deaf: number }>()
  const urlOf = (port: number) => `http://127.0.0.1:${port}/hooks/orders`
  return {
    urls: ports.map(urlOf),
    /** A port at which no server answers. */
    deafUrl: urlOf(deaf),
    pid: child.pid!,
    /** Counts from now on. `arrived` resolves when this many different events have arrived. */
    expect: async (count: number) => {
      child.send(count)
      await next()
      return { arrived: next<Arrivals>() }
    },
    stop: () => child.disconnect()
  }
}

export type Sink = Awaited<ReturnType<typeof startSink>>
