/** A real SMTP server on a socket: keeps the mails that it takes, and behaves as the test tells it to. */
import { EventEmitter, once } from "node:events"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { SMTPServer } from "smtp-server"

/** `refuse` with a reply of 4xx or 5xx; `cut` the connection once the whole mail has come. */
export type Behaviour = "take" | "cut" | { readonly refuse: number; readonly words?: string }

export interface MailServer {
  readonly url: string
  /** The lines of clients, as they came: commands, and the lines of mails. */
  readonly lines: Array<string>
  /** The mails that came whole, as they came. */
  readonly mails: Array<string>
  /** Those about what happened in an account, which come at times that no other test waits for. */
  readonly notifications: Array<string>
  readonly behave: (behaviour: Behaviour) => void
  /** Waits for the mail of this number, from 1. */
  readonly mail: (number: number) => Effect.Effect<string>
}

/** Listens on `port`, or on one that is free. */
export const mailServer = Effect.fnUntraced(function* (port = 0) {
  const mails: Array<string> = []
  const notifications: Array<string> = []
  const lines: Array<string> = []
  let behaviour: Behaviour = "take"
  const came = new EventEmitter()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    logger: false,
    onData: (stream, session, done) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        if (typeof behaviour === "object")
          return done(Object.assign(new Error(behaviour.words ?? "no"), { responseCode: behaviour.refuse }))
        const mail = Buffer.concat(chunks).toString("utf8")
        ;(/^Message-ID:\s*<ntf_/im.test(mail) ? notifications : mails).push(mail)
        came.emit("mail")
        if (behaviour === "take") return done()
        for (const connection of server.connections) if (connection.session === session) connection._socket.destroy()
      })
    }
  })
  server.on("error", () => undefined)
  server.server.on("connection", (socket) =>
    socket.on("data", (chunk: Buffer) => lines.push(...chunk.toString("utf8").split("\r\n")))
  )
  yield* Effect.acquireRelease(
    Effect.promise(() => {
      server.listen(port, "127.0.0.1")
      return once(server.server, "listening")
    }),
    () => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  )
  const address = server.server.address() as AddressInfo
  const running: MailServer = {
    url: `smtp://127.0.0.1:${address.port}`,
    lines,
    mails,
    notifications,
    mail: (number) =>
      Effect.promise(async () => {
        while (mails.length < number) await once(came, "mail")
        return mails[number - 1]!
      }),
    behave: (next) => {
      behaviour = next
    }
  }
  return running
})
