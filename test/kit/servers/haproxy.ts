/** HAProxy in front of runners of a test. */
import path from "node:path"
import { Effect } from "effect"
import { type Behind, startBalancer } from "../../../packages/bench/src/stage/balancer.ts"
import { eventually, newHome } from "../Process.ts"
import { freePort } from "../Service.ts"
import { isListening } from "./isListening.ts"

/** Answers its port, once it listens. It ends with the scope. */
export const haproxy = Effect.fnUntraced(function* (runners: ReadonlyArray<Behind>) {
  const port = yield* freePort
  const folder = path.dirname(yield* newHome)
  yield* Effect.acquireRelease(
    Effect.sync(() => startBalancer(folder, port, runners)),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  yield* eventually("HAProxy to listen", isListening(port))
  return port
})
