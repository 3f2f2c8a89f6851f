/**
 * A port that is free and stays it until it is used: each worker of a test runner has some of its own, handed out in
 * turn, and they are below those that the system gives to outgoing connections.
 */
import { createServer } from "node:net"
import { Effect } from "effect"

export const freePort: Effect.Effect<number> = Effect.callback<number>((resume) => {
  const port = portsFirst + ((process.pid + portsGiven++) % portsEach)
  const server = createServer()
  server.once("error", (error: NodeJS.ErrnoException) =>
    resume(error.code === "EADDRINUSE" && portsGiven < portsEach ? freePort : Effect.die(error))
  )
  server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(port))))
})

const portsEach = 7_000
const portsFirst = 2_000 + portsEach * (Number(process.env["VITEST_POOL_ID"] ?? 1) % 4)
let portsGiven = 0
