/**
 * A runner of a cluster in a process of its own, the service as it is, that comes to a stand where its parent says. It
 * tells the parent each time, and stands there until it is killed (`killed.ts`).
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Logger, Option, Redacted } from "effect"
import { Faults } from "../../../src/platform/runtime/Faults.ts"
import * as DataDir from "../../../src/platform/runtime/DataDir.ts"
import * as Telemetry from "../../../src/platform/runtime/Telemetry.ts"
import * as Postgres from "../../../src/platform/postgres/Postgres.ts"
import * as Settings from "../../../src/platform/runtime/Settings.ts"
import * as Wiring from "../../../src/Wiring.ts"
import { runLock } from "./runLock.ts"

/** Points of the program. */
let points: ReadonlyArray<string> = []
process.on("message", (said: ReadonlyArray<string>) => {
  points = said
  process.send!("heard")
})

// The test that would kill it is gone.
process.once("disconnect", () => process.exit(1))

const stand = Effect.andThen(
  Effect.sync(() => process.send!("stands")),
  Effect.never
)

/** Stops after the effect at a point, and before it at the points of the idempotency middleware. */
const faults = Layer.succeed(Faults, {
  around: (point, effect) =>
    Effect.suspend(() => {
      if (!points.includes(point)) return effect
      return point.startsWith("Idempotency.") ? stand : Effect.onExit(effect, () => stand)
    })
})

const { COFFER_HOME: home = "", DATABASE_URL: url = "" } = process.env
const service = Wiring.layer({ remoteSerialization: false }).pipe(
  Layer.provideMerge(Wiring.outbound),
  Layer.provideMerge(faults),
  Layer.provideMerge(Postgres.layer({ url: Redacted.make(url), connections: 10, name: "test" })),
  Layer.provideMerge(Settings.layer({ embedded: false })),
  Layer.provideMerge(DataDir.layer(home)),
  Layer.provideMerge(Wiring.platform),
  Layer.provideMerge(runLock(url)),
  Layer.provideMerge(Logger.layer([])),
  Layer.provideMerge(Telemetry.layer(Option.none()))
)
NodeRuntime.runMain(Layer.launch(service))
