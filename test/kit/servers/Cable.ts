/**
 * A way to Postgres through a proxy of the test's own, that can be cut, that can swallow what is sent while both ends
 * believe it is there, and that can be slow.
 */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { Effect, type Scope } from "effect"

export interface Cable {
  readonly url: string
  /** Connections break, and no new one is made. */
  readonly cut: () => void
  readonly isCut: () => boolean
  /** As `cut`, when a statement with this text comes by, which does not arrive. */
  readonly cutAt: (text: string) => void
  /** The connection on which this text was sent breaks when Postgres says `said`, which does not arrive. */
  readonly loseAnswer: (sent: string, said: string) => void
  /** Existing and new connections carry nothing any more. Neither end notices. */
  readonly swallow: () => void
  /** Connections that LISTEN carry nothing any more; answers how many. Later ones do. Neither end notices. */
  readonly dropListeners: () => number
  /** From now on every byte is so many milliseconds under way, each way. */
  readonly slow: (millis: number) => void
  /** Connections made from now on work. Others stay as dead as they are. */
  readonly heal: () => void
}

interface Link {
  readonly ends: ReadonlyArray<Socket>
  isDead: boolean
  listens: boolean
  /** It has sent the text whose answer is to be lost. */
  loses: boolean
}

interface Options {
  /** How long every byte is under way, each way. */
  readonly delayMillis?: number
  /** Called when the near end has sent something. */
  readonly onSent?: () => void
  /** Where its near end is; on a free port unless given. */
  readonly at?: { readonly host: string; readonly port: number }
}

const anywhere = { host: "127.0.0.1", port: 0 }

export const cable = (
  url: string,
  { at = anywhere, delayMillis = 0, onSent = () => {} }: Options = {}
): Effect.Effect<Cable, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Cable & { readonly stop: () => void }>((resume) => {
      const target = new URL(url)
      const links = new Set<Link>()
      let isCut = false
      let isDeaf = false
      let breaking: string | undefined
      const loss = makeLoss()

      const later = (step: () => void) => (delayMillis === 0 ? step() : void setTimeout(step, delayMillis))
      const pass = (link: Link, from: Socket, to: Socket) => {
        from.setNoDelay(true)
        from.on("data", (bytes: Buffer) => {
          if (bytes.includes("LISTEN ")) link.listens = true
          if (from === link.ends[0]) onSent()
          if (breaking !== undefined && bytes.includes(breaking)) return cut()
          if (loss.concerns(link, from, bytes)) return void to.destroy()
          later(() => link.isDead || !to.writable || to.write(bytes))
        })
        from.on("error", () => to.destroy())
        from.on("close", () => {
          links.delete(link)
          later(() => to.destroy())
        })
      }
      const server = createServer((near) => {
        const far = connect(Number(target.port), target.hostname)
        const link: Link = { ends: [near, far], isDead: isDeaf, listens: false, loses: false }
        links.add(link)
        pass(link, near, far)
        pass(link, far, near)
        if (isCut) near.destroy()
      })
      const cut = () => {
        isCut = true
        for (const { ends } of links) for (const socket of ends) socket.destroy()
      }
      const swallow = () => {
        isDeaf = true
        for (const link of links) link.isDead = true
      }
      const dropListeners = () => {
        const listening = [...links].filter((link) => link.listens && !link.isDead)
        for (const link of listening) link.isDead = true
        return listening.length
      }
      const cutAt = (text: string) => void (breaking = text)
      const heal = () => {
        breaking = undefined
        isCut = isDeaf = false
      }
      server.listen(at.port, at.host, () => {
        const near = new URL(url)
        near.host = `${at.host}:${(server.address() as AddressInfo).port}`
        const stop = () => {
          cut()
          server.close()
        }
        resume(
          Effect.succeed({
            url: near.href,
            cut,
            isCut: () => isCut,
            cutAt,
            loseAnswer: loss.begin,
            swallow,
            dropListeners,
            slow: (millis: number) => void (delayMillis = millis),
            heal,
            stop
          })
        )
      })
    }),
    ({ stop }) => Effect.sync(stop)
  )

/** Finds the one answer that is to be lost. */
const makeLoss = () => {
  let asked: { readonly sent: string; readonly said: string } | undefined
  return {
    begin: (sent: string, said: string) => {
      asked = { sent, said }
    },
    /** Whether these bytes are it. */
    concerns: (link: Link, from: Socket, bytes: Buffer) => {
      if (asked === undefined) return false
      if (from === link.ends[0]) link.loses ||= bytes.includes(asked.sent)
      const isFound = from !== link.ends[0] && link.loses && bytes.includes(asked.said)
      if (isFound) asked = undefined
      return isFound
    }
  }
}
