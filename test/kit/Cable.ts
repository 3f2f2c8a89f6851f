/** A way to Postgres that a test can cut, or that swallows whatever is sent while both ends believe it is there. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { Effect, type Scope } from "effect"

export interface Cable {
  readonly url: string
  /** For good: connections break and no new one is made. */
  readonly cut: () => void
  /** Connections there are, and those that are made from now on, carry nothing any more. Nobody is told. */
  readonly swallow: () => void
  /** Connections made from now on work. The others stay as dead as they are. */
  readonly heal: () => void
}

export const cable = (url: string): Effect.Effect<Cable, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Cable & { readonly stop: () => void }>((resume) => {
      const target = new URL(url)
      const links = new Set<{ readonly near: Socket; readonly far: Socket; isDead: boolean }>()
      let isCut = false
      let isDeaf = false
      const server = createServer((near) => {
        const far = connect(Number(target.port), target.hostname)
        const link = { near, far, isDead: isDeaf }
        links.add(link)
        for (const [socket, other] of [
          [near, far],
          [far, near]
        ] as const) {
          socket.setNoDelay(true)
          socket.on("data", (chunk) => link.isDead || other.write(chunk))
          socket.on("error", () => other.destroy())
          socket.on("close", () => {
            links.delete(link)
            other.destroy()
          })
        }
        if (isCut) near.destroy()
      })
      const cut = () => {
        isCut = true
        for (const { far, near } of links) {
          near.destroy()
          far.destroy()
        }
      }
      const swallow = () => {
        isDeaf = true
        for (const link of links) link.isDead = true
      }
      const heal = () => {
        isDeaf = false
      }
      server.listen(0, "127.0.0.1", () => {
        const near = new URL(url)
        near.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
        const stop = () => {
          cut()
          server.close()
        }
        resume(Effect.succeed({ url: near.href, cut, swallow, heal, stop }))
      })
    }),
    ({ stop }) => Effect.sync(stop)
  )
