/** Handlers of the operator's `cluster` group (docs/architecture.md, section 7). */
import * as Wire from "@coffer/contract/Errors"
import { OperatorApi } from "@coffer/contract/Operator"
import { RunnerVitals } from "@coffer/cluster/RunnerVitals"
import { Data, Effect } from "effect"
import { ShardingConfig } from "effect/cluster"
import { HttpApiBuilder } from "effect/http-api"
import { refuseAs } from "../../shared/http/refusals.ts"
import { reply } from "../../shared/http/replies.ts"
import { Workers } from "../../platform/jobs/Workers.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { clusterView } from "./ClusterView.ts"

class NotDrained extends Data.TaggedError("NotDrained")<{ readonly message: string }> {}
class NotKilled extends Data.TaggedError("NotKilled")<{ readonly message: string }> {}

const refusals = {
  NotDrained: refuseAs(Wire.Conflict, ({ message }: NotDrained) => ({ message })),
  NotKilled: refuseAs(Wire.Conflict, ({ message }: NotKilled) => ({ message }))
}

/** After the answer is sent: the runner that sends it may be the one that is killed. */
const answered = "300 millis"

export const layer = HttpApiBuilder.group(
  OperatorApi,
  "cluster",
  Effect.fnUntraced(function* (handlers) {
    const { drain, runners } = yield* RunnerVitals
    const { backlogs } = yield* Workers
    const { embedded, runner } = yield* Settings
    const { shardsPerGroup } = ShardingConfig.defaults
    const scope = yield* Effect.scope
    const canKill = embedded && runner !== undefined

    return handlers.handleAll({
      get: span("cluster.get")(function* () {
        const known = yield* sqlDefects(runners)
        const parts = { runners: known, backlogs: yield* backlogs, shards: shardsPerGroup, canKill }
        return yield* reply(clusterView(parts))
      }),

      drain: span("cluster.drain")(
        function* ({ params: { instance_id } }) {
          if (!(yield* sqlDefects(drain(instance_id)))) {
            return yield* new NotDrained({
              message: `No runner ${instance_id} is running here, or no other one would keep its shards.`
            })
          }
          return yield* reply({ object: "draining_runner" as const, instance_id }, 202)
        },
        Effect.catchTags({ NotDrained: refusals.NotDrained })
      ),

      kill: span("cluster.kill")(
        function* ({ params: { instance_id } }) {
          if (!canKill) {
            return yield* new NotKilled({
              message: "Runners can be killed only on the embedded database with several runners."
            })
          }
          const pid = (yield* sqlDefects(runners)).find(
            ({ instance, state }) => instance === instance_id && state === "alive"
          )?.pid
          if (pid === undefined) return yield* new NotKilled({ message: `No runner ${instance_id} is running here.` })
          yield* Effect.forkIn(
            Effect.andThen(
              Effect.sleep(answered),
              Effect.sync(() => process.kill(pid, "SIGKILL"))
            ),
            scope
          )
          return yield* reply({ object: "killed_runner" as const, instance_id }, 202)
        },
        Effect.catchTags({ NotKilled: refusals.NotKilled })
      )
    })
  })
)
