/** The state of this installation's runners (docs/architecture.md, section 7): for operators, not for merchants. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken } from "./Caller.ts"
import { enveloped } from "./Envelope.ts"
import { Conflict } from "./Errors.ts"
import { instant, int, kind, orNull, text, withExample } from "./fields.ts"

/** Null: a runner of a version that does not report it. */
const vital = (description: string) => orNull(Schema.Number, description)

const Runner = Schema.Struct({
  object: kind("runner"),
  instance_id: text("This start of the program; telemetry calls it `service.instance.id`."),
  address: orNull(Schema.String, "Where other runners reach it; null for a process that is alone."),
  state: Schema.Literals(["alive", "silent", "gone"]).annotate({
    description:
      "`gone`: its connection to Postgres has ended without a stop. `silent`: the connection stands, and nothing was " +
      "told for 15 seconds. Both are shown as they told last."
  }),
  version: text("The program's."),
  node: text("Version of Node.js."),
  started_at: instant("When the process started, by Postgres' clock."),
  last_heartbeat_at: instant("When it told what is shown here, by Postgres' clock."),
  shards: vital("Shards that it holds."),
  slots_awake: vital("Slots that have had a command of another runner."),
  commands: Schema.Array(
    Schema.Struct({
      kind: text("The kind of objects: `orders`."),
      objects_busy: int("Objects that a command is at work on."),
      waiting: int("Commands that wait for an earlier one for the same object.")
    })
  ).annotate({ description: "Commands at work, by the kind of their objects." }),
  lanes: Schema.Array(
    Schema.Struct({
      lane: text("Number of the lane that writes to Postgres."),
      waiting: int("Change sets that wait for it."),
      batches: int("Batches since the start."),
      batch_size_mean: Schema.Finite.annotate({ description: "Change sets in a batch, on the mean since the start." }),
      batch_size_max: int("The largest batch since the start."),
      batch_ms_mean: Schema.Finite.annotate({ description: "Milliseconds of a batch, on the mean since the start." })
    })
  ).annotate({ description: "The lanes that write to Postgres." }),
  pool: Schema.Struct({
    in_use: vital("Connections to Postgres in use."),
    waiting: vital("Statements that wait for one.")
  }).annotate({ description: "Its connections to Postgres." }),
  event_loop_delay_ms: Schema.Struct({
    p50: vital("How late the event loop was in the last five seconds."),
    p99: vital("The slowest hundredth's."),
    max: vital("At worst.")
  }).annotate({ description: "How late its event loop is, in milliseconds." }),
  memory: Schema.Struct({
    heap_used_bytes: vital("Heap in use."),
    heap_limit_bytes: vital("The most to which the heap may grow."),
    resident_bytes: vital("Memory of the process.")
  }).annotate({ description: "Its memory, in bytes." }),
  clock_skew_seconds: vital("Its clock minus Postgres'.")
})

export const ClusterResource = withExample(
  Schema.Struct({
    object: kind("cluster"),
    shards: Schema.Struct({
      total: int("All there are."),
      held: int("Those that runners which are not gone hold, as they told. Less than all: some are moving or lost.")
    }).annotate({ description: "How many shards there are, and how many are held." }),
    versions: Schema.Array(Schema.String).annotate({ description: "Those of the runners that are not gone." }),
    can_kill: Schema.Boolean.annotate({
      description: "Whether a runner may be killed here, to see what becomes of its work: the embedded default alone."
    }),
    runners: Schema.Array(Runner).annotate({ description: "The runners of the last hour, the oldest first." }),
    backlogs: Schema.Array(
      Schema.Struct({
        worker: text("Name of the worker."),
        due: int("Rows that are due and that no runner has leased; those beyond 10,000 are not counted."),
        oldest_due_at: orNull(Schema.String, "Since when the first of them is due; null when none is.")
      })
    ).annotate({ description: "Due rows, for each worker." })
  }).annotate({ identifier: "Cluster", description: "The runners of this installation." }),
  {
    object: "cluster",
    shards: { total: 300, held: 300 },
    versions: ["0.1.0"],
    can_kill: false,
    runners: [
      {
        object: "runner",
        instance_id: "4f1d7c0a9be24c55",
        address: "10.0.0.4:7000",
        state: "alive",
        version: "0.1.0",
        node: "v26.10.0",
        started_at: "2026-11-21T08:00:00.000Z",
        last_heartbeat_at: "2026-11-21T09:31:10.000Z",
        shards: 300,
        slots_awake: 12,
        commands: [{ kind: "orders", objects_busy: 1, waiting: 0 }],
        lanes: [{ lane: "0", waiting: 0, batches: 5120, batch_size_mean: 1.8, batch_size_max: 64, batch_ms_mean: 1.4 }],
        pool: { in_use: 1, waiting: 0 },
        event_loop_delay_ms: { p50: 0.2, p99: 3.1, max: 9.8 },
        memory: { heap_used_bytes: 96_000_000, heap_limit_bytes: 2_147_483_648, resident_bytes: 240_000_000 },
        clock_skew_seconds: 0.002
      }
    ],
    backlogs: [{ worker: "deliveries", due: 0, oldest_due_at: null }]
  }
)
export type ClusterResource = typeof ClusterResource.Encoded

export class ClusterGroup extends HttpApiGroup.make("cluster")
  .add(
    HttpApiEndpoint.get("get", "/operator/v1/cluster", { success: enveloped(ClusterResource) }).annotateMerge(
      OpenApi.annotations({
        summary: "Read how the runners are",
        description:
          "The objects that each runner holds, the work that waits in it, and the rows that are due for each worker."
      })
    ),
    HttpApiEndpoint.post("kill", "/operator/v1/cluster/runners/:instance_id/kill", {
      params: { instance_id: text("The runner's `instance_id`.") },
      success: enveloped(
        withExample(
          Schema.Struct({
            object: kind("killed_runner"),
            instance_id: text("The runner that is killed within a second.")
          }).annotate({ description: "The runner." }),
          { object: "killed_runner", instance_id: "4f1d7c0a9be24c55" }
        )
      ).pipe(HttpApiSchema.status(202)),
      error: Conflict
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Kill a runner, to see that nothing is lost",
        description:
          "Its process ends without a word (SIGKILL), as in a crash. The others take over what it held, and " +
          "another is started. 409: there is no such runner alive, or these are not several runners on the embedded " +
          "database."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "The runners of this installation.") {}
