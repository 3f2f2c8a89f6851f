/** The state of this installation's runners (docs/architecture.md, section 7): for operators, not for merchants. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken } from "./Caller.ts"
import { enveloped } from "./Envelope.ts"
import { Conflict } from "./Errors.ts"
import { anyMode, instant, int, kind, merchantId, orNull, text, withExample } from "./fields.ts"
import { sampleIds } from "./sampleIds.ts"

/** Null: a runner of a version that does not report it. */
const vital = (description: string) => orNull(Schema.Number, description)

const Runner = Schema.Struct({
  object: kind("runner"),
  instance_id: text("Number of this process, new with each start; telemetry calls it `service.instance.id`."),
  address: orNull(Schema.String, "The address at which other runners reach it; null for a single process."),
  state: Schema.Literals(["alive", "silent", "gone"]).annotate({
    description:
      "`gone`: its connection to Postgres ended without a shutdown. `silent`: the connection is open, but it has " +
      "not reported for 15 seconds. For both, the last report is shown."
  }),
  draining: Schema.Boolean.annotate({ description: "Whether it was asked to give up its shards and stop." }),
  version: text("The program's, with its commit where that is known: `0.1.0+8592587c4e1f`."),
  messages: Schema.NullOr(Schema.Array(Schema.Int)).annotate({
    description:
      "Versions of the messages between runners that it understands, its own first. Runners with one in common work " +
      "side by side. Null for a single process, and for a runner that has left the register."
  }),
  node: text("Version of Node.js."),
  started_at: instant("When the process started, by Postgres' clock."),
  last_heartbeat_at: instant("When it reported what is shown here, by Postgres' clock."),
  shards: vital("Shards that it holds."),
  slots_awake: vital("Slots that have received a command from another runner."),
  commands: Schema.Array(
    Schema.Struct({
      kind: text("The kind of objects: `orders`."),
      objects_busy: int("Objects for which a command is running."),
      waiting: int("Commands that are queued behind an earlier one for the same object.")
    })
  ).annotate({ description: "Running commands, by the kind of their objects." }),
  lanes: Schema.Array(
    Schema.Struct({
      lane: text("Number of the lane that writes to Postgres."),
      waiting: int("Change sets that wait for it."),
      batches: int("Batches since the start."),
      batch_size_mean: Schema.Finite.annotate({
        description: "Mean number of change sets in a batch since the start."
      }),
      batch_size_max: int("The largest batch since the start."),
      batch_ms_mean: Schema.Finite.annotate({
        description: "Mean duration of a batch since the start, in milliseconds."
      })
    })
  ).annotate({ description: "The lanes that write to Postgres." }),
  pool: Schema.Struct({
    in_use: vital("Connections to Postgres in use."),
    waiting: vital("Statements that wait for a connection.")
  }).annotate({ description: "Its connections to Postgres." }),
  event_loop_delay_ms: Schema.Struct({
    p50: vital("Event loop delay in the last five seconds."),
    p99: vital("The slowest hundredth's."),
    max: vital("At worst.")
  }).annotate({ description: "Event loop delay, in milliseconds." }),
  memory: Schema.Struct({
    heap_used_bytes: vital("Heap in use."),
    heap_limit_bytes: vital("The heap limit."),
    resident_bytes: vital("Memory of the process.")
  }).annotate({ description: "Its memory, in bytes." }),
  clock_skew_seconds: vital("Its clock minus Postgres'.")
})

/** How many merchants of a worker's due rows are listed. */
export const backlogMerchantsMax = 100

export const ClusterResource = withExample(
  Schema.Struct({
    object: kind("cluster"),
    shards: Schema.Struct({
      total: int("All there are."),
      held: int("Those held by runners that are not gone, as they reported. Fewer than all: some are moving or lost.")
    }).annotate({ description: "How many shards there are, and how many are held." }),
    versions: Schema.Array(Schema.String).annotate({ description: "Those of the runners that are not gone." }),
    can_kill: Schema.Boolean.annotate({
      description: "Whether a runner may be killed here, to see that no work is lost: only with the embedded default."
    }),
    runners: Schema.Array(Runner).annotate({ description: "The runners of the last hour, the oldest first." }),
    backlogs: Schema.Array(
      Schema.Struct({
        worker: text("Name of the worker."),
        due: int("Rows that are due and not leased by a runner; counting stops at 10,000."),
        oldest_due_at: orNull(Schema.String, "Since when the oldest of them is due; null if there are none."),
        merchants: Schema.Array(
          Schema.Struct({
            merchant_id: merchantId,
            mode: anyMode,
            due: int("Rows of this merchant and environment."),
            oldest_due_at: instant("Since when the oldest of them is due.")
          }).annotate({ description: "Due rows of one merchant in one environment." })
        ).annotate({
          description: `By merchant where rows belong to one, the longest due first; at most ${backlogMerchantsMax}.`
        })
      })
    ).annotate({ description: "Due rows, by worker." })
  }).annotate({ identifier: "Cluster", description: "The runners of this installation." }),
  {
    object: "cluster",
    shards: { total: 300, held: 300 },
    versions: ["0.1.0+8592587c4e1f"],
    can_kill: false,
    runners: [
      {
        object: "runner",
        instance_id: "4f1d7c0a9be24c55",
        address: "10.0.0.4:7000",
        state: "alive",
        draining: false,
        version: "0.1.0+8592587c4e1f",
        messages: [13, 12],
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
    backlogs: [
      {
        worker: "deliveries",
        due: 2,
        oldest_due_at: "2026-11-21T09:31:09.000Z",
        merchants: [
          { merchant_id: sampleIds.merchant, mode: "live", due: 2, oldest_due_at: "2026-11-21T09:31:09.000Z" }
        ]
      }
    ]
  }
)
export type ClusterResource = typeof ClusterResource.Encoded

export class ClusterGroup extends HttpApiGroup.make("cluster")
  .add(
    HttpApiEndpoint.get("get", "/operator/v1/cluster", { success: enveloped(ClusterResource) }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the state of the runners",
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
            instance_id: text("The runner, which is killed within a second.")
          }).annotate({ description: "The runner." }),
          { object: "killed_runner", instance_id: "4f1d7c0a9be24c55" }
        )
      ).pipe(HttpApiSchema.status(202)),
      error: Conflict
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Kill a runner, to see that nothing is lost",
        description:
          "Its process is killed without a shutdown (SIGKILL), as in a crash. The others take over its work, and " +
          "a new one is started. 409: no such runner is alive, or this installation is not several runners on the " +
          "embedded database."
      })
    )
  )
  .add(
    HttpApiEndpoint.post("drain", "/operator/v1/cluster/runners/:instance_id/drain", {
      params: { instance_id: text("The runner's `instance_id`.") },
      success: enveloped(
        withExample(
          Schema.Struct({
            object: kind("draining_runner"),
            instance_id: text("The runner, which learns of it within five seconds.")
          }).annotate({ description: "The runner." }),
          { object: "draining_runner", instance_id: "4f1d7c0a9be24c55" }
        )
      ).pipe(HttpApiSchema.status(202)),
      error: Conflict
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Drain a runner: it gives up its work, and then stops",
        description:
          "It is no longer ready, asks its clients to connect elsewhere, and gives its shards to the other runners " +
          "while it still answers. Then it shuts down; a supervisor may start it again. Asked again, it answers the " +
          "same. 409: no such runner is alive, or no other one would keep the shards."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "The runners of this installation.") {}
