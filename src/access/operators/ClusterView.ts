/** The cluster on the wire: the one encoder. Pure. */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import { backlogMerchantsMax, type ClusterResource } from "@coffer/contract/Cluster"
import type { Mode } from "@coffer/model/Ids"
import type { KnownRunner, Reading } from "@coffer/cluster/RunnerVitals"
import type { BacklogOf } from "../../platform/jobs/backlogs.ts"

export interface ClusterParts {
  readonly runners: ReadonlyArray<KnownRunner>
  readonly backlogs: ReadonlyArray<BacklogOf>
  readonly shards: number
  readonly canKill: boolean
}

export const clusterView = ({ backlogs, canKill, runners, shards }: ClusterParts): ClusterResource => {
  const present = runners.filter(({ state }) => state !== "gone")
  return {
    object: "cluster",
    shards: {
      total: shards,
      held: present.reduce((sum, { vitals }) => sum + (valueOf(vitals, "effect_cluster_shards") ?? 0), 0)
    },
    versions: [...new Set(present.map(({ version }) => version))].toSorted(),
    can_kill: canKill,
    runners: runners.map(runnerView),
    backlogs: backlogs.map(({ count, oldest, owners = [], worker }) => ({
      worker,
      due: count,
      oldest_due_at: isoTextOrNull(oldest),
      merchants: owners.slice(0, backlogMerchantsMax).map((own) => ({
        merchant_id: own.merchantId,
        mode: own.mode as Mode,
        due: own.count,
        oldest_due_at: isoText(own.oldest)
      }))
    }))
  }
}

type RunnerResource = ClusterResource["runners"][number]

const runnerView = ({
  address,
  drains,
  heard_at,
  instance,
  messages,
  node,
  started_at,
  state,
  version,
  vitals
}: KnownRunner): RunnerResource => {
  const value = (name: string, label?: string) => valueOf(vitals, name, label)
  const millis = (name: string, label?: string) => inMillis(value(name, label))
  const slots = vitals.filter(({ name }) => name === "effect_cluster_entities")
  return {
    object: "runner",
    instance_id: instance,
    address,
    state,
    draining: drains,
    version,
    messages,
    node,
    started_at: isoText(started_at),
    last_heartbeat_at: isoText(heard_at),
    shards: value("effect_cluster_shards"),
    slots_awake: slots.length === 0 ? null : slots.reduce((sum, { value }) => sum + value, 0),
    commands: labelsOf(vitals, "coffer_objects_busy", "kind").map((kind) => ({
      kind,
      objects_busy: value("coffer_objects_busy", kind) ?? 0,
      waiting: value("coffer_commands_waiting", kind) ?? 0
    })),
    lanes: labelsOf(vitals, "coffer_lane_waiting", "lane").map((lane) => laneView(vitals, lane)),
    pool: { in_use: value("coffer_database_pool_in_use"), waiting: value("coffer_database_pool_waiting") },
    event_loop_delay_ms: {
      p50: millis("coffer_event_loop_delay_seconds", "0.5"),
      p99: millis("coffer_event_loop_delay_seconds", "0.99"),
      max: millis("coffer_event_loop_delay_seconds", "1")
    },
    memory: {
      heap_used_bytes: value("coffer_heap_used_bytes"),
      heap_limit_bytes: value("coffer_heap_limit_bytes"),
      resident_bytes: value("coffer_resident_memory_bytes")
    },
    clock_skew_seconds: value("coffer_clock_skew_seconds")
  }
}

/** Metrics are in seconds. */
const inMillis = (seconds: number | null): number | null => (seconds === null ? null : Math.round(seconds * 1e6) / 1e3)

const laneView = (vitals: ReadonlyArray<Reading>, lane: string): RunnerResource["lanes"][number] => {
  const value = (name: string) => valueOf(vitals, name, lane) ?? 0
  const batches = value("coffer_batch_size_count")
  const mean = (sum: number) => (batches === 0 ? 0 : Math.round((sum / batches) * 10) / 10)
  return {
    lane,
    waiting: value("coffer_lane_waiting"),
    batches,
    batch_size_mean: mean(value("coffer_batch_size_sum")),
    batch_size_max: value("coffer_batch_size_max"),
    batch_ms_mean: mean(inMillis(value("coffer_batch_duration_seconds_sum")) ?? 0)
  }
}

/** The reading of the series with this label, where there are several. */
const valueOf = (vitals: ReadonlyArray<Reading>, name: string, label?: string): number | null =>
  vitals.find((each) => each.name === name && (label === undefined || Object.values(each.labels).includes(label)))
    ?.value ?? null

const labelsOf = (vitals: ReadonlyArray<Reading>, metric: string, label: string): ReadonlyArray<string> =>
  vitals.flatMap(({ labels, name }) => (name === metric ? [labels[label] ?? ""] : [])).toSorted()
