/**
 * A free port that stays free until it is used: each test worker has its own range, assigned in turn, below the
 * ephemeral ports.
 */
import { createServer } from "node:net"
import { Effect } from "effect"
import { refusedPorts } from "../../../src/platform/runtime/places.ts"

const portsMin = 2_000
const portsEach = 7_000
const portsFirst = portsMin + portsEach * (Number(process.env["VITEST_POOL_ID"] ?? 1) % 4)
let portsGiven = 0

/** The first port from `next` at which a service can listen and be called. */
export const firstFree = (next: () => number, triesLeft = portsEach): Effect.Effect<number> =>
  Effect.callback<number>((resume) => {
    const port = next()
    if (refusedPorts.has(port)) return resume(firstFree(next, triesLeft - 1))
    const server = createServer()
    server.once("error", (error: NodeJS.ErrnoException) =>
      resume(error.code === "EADDRINUSE" && triesLeft > 1 ? firstFree(next, triesLeft - 1) : Effect.die(error))
    )
    server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(port))))
  })

export const freePort = firstFree(() => portsFirst + ((process.pid + portsGiven++) % portsEach))
