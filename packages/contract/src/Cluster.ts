/** How the runners of this installation are (docs/architecture.md, section 7): for operators, not for merchants. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken } from "./Caller.ts"
import { enveloped } from "./Envelope.ts"
import { instant, int, kind, orNull, text } from "./fields.ts"

/** Null: a runner of another version, which does not tell it. */
const told = (description: string) => orNull(Schema.Number, description)

const Runner = Schema.Struct({
  object: kind("runner"),
  instance_id: text("This start of the program; telemetry calls it `service.instance.id`."),
  address: orNull(Schema.String, "Where other runners reach it; null for a process that is alone."),
  state: Schema.Literals(["alive", "silent", "gone"]).annotate({
    description:
      "`gone`: its connection to Postgres has ended without a stop. `silent`: the connection stands, and nothing was " +
      "told for 15 seconds. What is shown of both is what they told last."
  }),
  version: text("Of the program."),
  node: text("Version of Node.js."),
  started_at: instant("When the process started, by Postgres' clock."),
  last_heartbeat_at: instant("When it told what is shown here, by Postgres' clock."),
  shards: told("Shards that it holds."),
  slots_awake: told("Slots that have had a command of another runner."),
  commands: Schema.Array(
    Schema.Struct({
      kind: text("Of the objects: `orders`."),
      objects_busy: int("Objects that a command is at work on."),
      waiting: int("Commands that wait for an earlier one for the same object.")
    })
  ),
  lanes: Schema.Array(
    Schema.Struct({
      lane: text("Number of the lane that writes to Postgres."),
      waiting: int("Change sets that wait for it."),
      batches: int("Batches since the start."),
      batch_size_mean: Schema.Number,
      batch_size_max: int("The largest batch since the start."),
      batch_ms_mean: Schema.Number
    })
  ),
  pool: Schema.Struct({
    in_use: told("Connections to Postgres in use."),
    waiting: told("Statements that wait for one.")
  }),
  event_loop_delay_ms: Schema.Struct({
    p50: told("How late the event loop was in the last five seconds."),
    p99: told("Of the slowest hundredth."),
    max: told("At worst.")
  }),
  memory: Schema.Struct({
    heap_used_bytes: told("Heap in use."),
    heap_limit_bytes: told("What the heap may grow to."),
    resident_bytes: told("Memory of the process.")
  }),
  clock_skew_seconds: told("Its clock minus Postgres'.")
})

export const ClusterResource = Schema.Struct({
  object: kind("cluster"),
  shards: Schema.Struct({
    total: int("All there are."),
    held: int("Those that runners which are not gone hold, as they told. Less than all: some are moving or lost.")
  }),
  versions: Schema.Array(Schema.String).annotate({ description: "Of the runners that are not gone." }),
  runners: Schema.Array(Runner).annotate({ description: "The runners of the last hour, the oldest first." }),
  backlogs: Schema.Array(
    Schema.Struct({
      worker: text("Name of the worker."),
      due: int("Rows that are due and that no runner has claimed; those beyond 10,000 are not counted."),
      oldest_due_at: orNull(Schema.String, "Since when the first of them is due; null when none is.")
    })
  )
}).annotate({ identifier: "Cluster" })
export type ClusterResource = typeof ClusterResource.Encoded

export class ClusterGroup extends HttpApiGroup.make("cluster")
  .add(
    HttpApiEndpoint.get("retrieve", "/operator/v1/cluster", { success: enveloped(ClusterResource) }).annotate(
      OpenApi.Summary,
      "The runners, what they hold and what waits for them"
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken) {}
