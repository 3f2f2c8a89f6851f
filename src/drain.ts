/**
 * Drains this process: it is no longer ready and asks its clients to connect elsewhere, gives its shards to the other
 * runners while it still answers, and then stops. An operator asks for it (`RunnerVitals.ts`), or SIGUSR2.
 */
import { Drain } from "@coffer/cluster/Drain"
import { RunnerVitals } from "@coffer/cluster/RunnerVitals"
import { Effect, Schedule } from "effect"
import { Sharding } from "effect/cluster"
import { holdsShards } from "./door/edge/Health.ts"
import { onRealTime } from "./platform/runtime/realTime.ts"
import { Draining } from "./shared/http/Draining.ts"

/** Shards that have not moved by then move when the process stops. */
const patience = "30 seconds"
/** A load balancer asks for readiness each few seconds, and has sent its last request here by then. */
const noticed = "5 seconds"

export const followDrain = Effect.gen(function* () {
  const { requested } = yield* Drain
  const draining = yield* Draining
  const sharding = yield* Sharding.Sharding
  const { drainSelf } = yield* RunnerVitals
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const bySignal = drainSelf.pipe(
    Effect.flatMap((isAsked) =>
      isAsked ? Effect.void : Effect.logWarning("this runner is not drained: no other one would keep its shards")
    ),
    Effect.catchCause((cause) => Effect.logWarning("this runner could not be drained", cause))
  )
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const onSignal = () => void run(bySignal)
      process.on("SIGUSR2", onSignal)
      return onSignal
    }),
    (onSignal) => Effect.sync(() => process.off("SIGUSR2", onSignal))
  )

  const emptied = Effect.suspend(() => Effect.succeed(!holdsShards(sharding))).pipe(
    Effect.repeat({ until: (isEmpty) => isEmpty, schedule: Schedule.spaced("100 millis") }),
    Effect.timeoutOption(patience)
  )
  yield* requested.await
  yield* Effect.logInfo("this runner is drained: it gives up its shards, and stops")
  draining.now = true
  const [moved] = yield* onRealTime(Effect.all([emptied, Effect.sleep(noticed)], { concurrency: 2 }))
  if (moved._tag === "None") yield* Effect.logWarning(`some shards have not moved within ${patience}`)
  process.kill(process.pid, "SIGTERM")
})
