/** A TCP proxy that delays every byte on both ways: a database far away. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net"
import { Effect } from "effect"

/** The same database, reached through a delay. */
export const slowed = (url: string, millisEachWay: number) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
        const target = new URL(url)
        const open = new Set<Socket>()
        const pass = (from: Socket, to: Socket) => {
          open.add(from)
          from.setNoDelay(true)
          from.on("data", (bytes) => setTimeout(() => to.writable && to.write(bytes), millisEachWay))
          from.on("end", () => setTimeout(() => to.end(), millisEachWay))
          from.on("error", () => to.destroy())
          from.on("close", () => open.delete(from))
        }
        const server = createServer((client) => {
          const database = connect(Number(target.port), target.hostname)
          pass(client, database)
          pass(database, client)
        })
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          const close = () => {
            server.close()
            for (const socket of open) socket.destroy()
          }
          resume(Effect.succeed({ port, close }))
        })
      }),
      ({ close }) => Effect.sync(close)
    ),
    ({ port }) => {
      const through = new URL(url)
      through.port = String(port)
      return through.href
    }
  )
