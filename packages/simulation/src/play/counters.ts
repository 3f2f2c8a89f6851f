/** States that only the service's own counters show, as marks: each that is above zero in one of the runners. */
import { Context, Metric } from "effect"
import type { World } from "../World.ts"

const shown: ReadonlySet<string> = new Set([
  "coffer_batches_lost_total",
  "coffer_change_sets_resolved_total",
  "coffer_change_sets_total",
  "coffer_commands_asked_total",
  "coffer_delivery_failures_total",
  "coffer_direct_calls_total",
  "coffer_http_requests_shed_total",
  "coffer_runner_connections_refused_total",
  "coffer_runner_messages_refused_total",
  "coffer_stale_versions_total",
  "coffer_worker_failures_total"
])

export const markCounters = (world: World) => {
  for (const { attributes = {}, id, state, type } of Metric.snapshotUnsafe(Context.empty())) {
    if (type !== "Counter" || !shown.has(id) || Number(state.count) === 0) continue
    const labels = Object.entries(attributes).map(([name, value]) => ` ${name}=${value}`)
    world.mark(`counted: ${id}${labels.join("")}`)
  }
}
