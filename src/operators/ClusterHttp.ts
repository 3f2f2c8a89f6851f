/** Handler of the operator's `cluster` group (docs/architecture.md, section 7). */
import { OperatorApi } from "@coffer/contract/Operator"
import { Effect } from "effect"
import { ShardingConfig } from "effect/cluster"
import { HttpApiBuilder } from "effect/http-api"
import { reply } from "../http/replies.ts"
import { RunnerVitals } from "@coffer/cluster/RunnerVitals"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { Workers } from "../platform/jobs/Workers.ts"
import { span } from "../platform/runtime/span.ts"
import { clusterView } from "./ClusterView.ts"

export const layer = HttpApiBuilder.group(
  OperatorApi,
  "cluster",
  Effect.fnUntraced(function* (handlers) {
    const { runners } = yield* RunnerVitals
    const { backlogs } = yield* Workers
    const { shardsPerGroup } = ShardingConfig.defaults

    return handlers.handleAll({
      retrieve: span("cluster.retrieve")(function* () {
        const parts = { runners: yield* sqlDefects(runners), backlogs: yield* backlogs, shards: shardsPerGroup }
        return yield* reply(clusterView(parts))
      })
    })
  })
)
