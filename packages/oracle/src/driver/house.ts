/** A service of the test kit whose clock stands still until the driver moves it, and its mail server. */
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { Effect, Exit, Scope } from "effect"
import { SMTPServer } from "smtp-server"
import * as coffer from "../../../testkit/src/coffer.ts"
import { clockAt } from "../../../testkit/src/Service.ts"
import { type Hooks, startHooks } from "./hooks.ts"
import { type House, settingsWith } from "./place.ts"

export const startHouse = async (begins: Date): Promise<House & AsyncDisposable> => {
  const mail = await mailServer()
  // On a busy machine the first call of a service may be refused.
  for (let tries = 0; ; tries++) {
    try {
      return await open(begins, mail, await startHooks())
    } catch (error) {
      if (tries >= 10) throw error
    }
  }
}

const open = async (
  begins: Date,
  { close, mails, url }: Awaited<ReturnType<typeof mailServer>>,
  hooks: Hooks
): Promise<House & AsyncDisposable> => {
  const scope = Scope.makeUnsafe()
  const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))
  const made = await run(coffer.make({ seed: false, settings: settingsWith(url) }, clockAt(begins.getTime())))
  return {
    url: made.place.url,
    operatorToken: made.place.operatorToken,
    mails,
    hooks,
    now: () => new Date(made.now()),
    pass: (millis) => run(made.pass(millis)),
    leap: (millis) => run(made.leap(millis)),
    atRest: () => run(made.atRest),
    [Symbol.asyncDispose]: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      close()
      hooks.close()
    }
  }
}

const mailServer = async () => {
  const mails: Array<string> = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    logger: false,
    onData: (stream, _, done) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const mail = Buffer.concat(chunks).toString("utf8")
        if (mail.includes("sign-in#")) mails.push(mail)
        done()
      })
    }
  })
  server.on("error", () => undefined)
  const listening = once(server.server, "listening")
  server.listen(0, "127.0.0.1")
  await listening
  const { port } = server.server.address() as AddressInfo
  return { mails, url: `smtp://127.0.0.1:${port}`, close: () => void server.close() }
}
