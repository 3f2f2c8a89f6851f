/**
 * A way to Postgres on which the connections that LISTEN can go silent: their bytes are swallowed both ways, and neither
 * end is told. That is how a connection dies behind a firewall that has forgotten it.
 */
import { connect, createServer, type AddressInfo, type Socket } from "node:net"
import { Effect } from "effect"

interface Pair {
  readonly near: Socket
  readonly far: Socket
  listens: boolean
  silent: boolean
}

export const deafWire = (url: string) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly url: string
      /** Silences the connections that listen now; how many they are. Later ones are heard. */
      readonly deafen: () => number
      readonly stop: () => void
    }>((resume) => {
      const target = new URL(url)
      const pairs = new Set<Pair>()
      const server = createServer((near) => {
        const pair = { near, far: connect(Number(target.port), target.hostname), listens: false, silent: false }
        pairs.add(pair)
        join(pair, near, pair.far, (bytes) => {
          if (bytes.includes("LISTEN ")) pair.listens = true
        })
        join(pair, pair.far, near, () => {})
      })
      const deafen = () => {
        const listening = [...pairs].filter((pair) => pair.listens && !pair.silent)
        for (const pair of listening) pair.silent = true
        return listening.length
      }
      const stop = () => {
        for (const { far, near } of pairs) {
          near.destroy()
          far.destroy()
        }
        server.close()
      }
      server.listen(0, "127.0.0.1", () => {
        const own = new URL(url)
        own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
        resume(Effect.succeed({ url: own.href, deafen, stop }))
      })
    }),
    ({ stop }) => Effect.sync(stop)
  )

const join = (pair: Pair, from: Socket, to: Socket, look: (bytes: Buffer | string) => void) => {
  from.setNoDelay(true)
  from.on("data", (bytes) => {
    look(bytes)
    if (!pair.silent) to.write(bytes)
  })
  from.on("error", () => {})
  from.on("close", () => {
    if (!pair.silent) to.destroy()
  })
}
