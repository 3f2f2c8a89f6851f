/** Every metric exists from the start: a rate or an alert over one that appears later is wrong. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { start } from "../../kit/Service.ts"

type Row = readonly [name: string, labels: Readonly<Record<string, string>>, value?: number | "missing"]

/** Name, labels of one of its lines, and its value at the start; any number where none is given. */
const table: ReadonlyArray<Row> = [
  ["coffer_build_info", { node: process.versions.node }, 1],
  ["coffer_heap_used_bytes", {}],
  ["coffer_heap_limit_bytes", {}],
  ["coffer_resident_memory_bytes", {}],
  ["coffer_cpu_seconds_total", {}],
  ["coffer_event_loop_delay_seconds", { quantile: "0.5" }],
  ["coffer_event_loop_delay_seconds", { quantile: "0.99" }],
  ["coffer_event_loop_delay_seconds", { quantile: "1" }],
  ["coffer_clock_skew_seconds", {}],
  ["coffer_migrations_ahead", {}],
  ["coffer_runners_suspected", {}, 0],
  ["coffer_database_reachable", {}, 1],
  ["coffer_database_refusals_total", { sqlstate: "53" }, 0],
  ["coffer_database_pool_in_use", {}],
  ["coffer_database_pool_waiting", {}],
  ["coffer_change_sets_waiting", {}],
  ["coffer_change_sets_locked", {}, 0],
  ["coffer_change_sets_total", { outcome: "written" }],
  ...["stale", "taken", "overloaded", "unknown", "rejected"].map(
    (outcome) => ["coffer_change_sets_total", { outcome }, 0] as const
  ),
  ...["0", "1"].flatMap((lane) => [
    ["coffer_lane_waiting", { lane }, 0] as const,
    ["coffer_batch_size_bucket", { lane, le: "256" }] as const,
    ["coffer_batch_duration_seconds_bucket", { lane, le: "+Inf" }] as const
  ]),
  ...["orders", "wallets", "disputes", "payment_links"].flatMap((kind) => [
    ["coffer_objects_busy", { kind }, 0] as const,
    ["coffer_commands_waiting", { kind }, 0] as const,
    ["coffer_commands_asked_total", { kind, owner: "here" }] as const,
    ["coffer_commands_asked_total", { kind, owner: "elsewhere" }, 0] as const
  ]),
  ["coffer_batches_lost_total", {}, 0],
  ...["written", "absent", "unclear"].map((found) => ["coffer_change_sets_resolved_total", { found }, 0] as const),
  ...["orders", "wallets", "refunds", "disputes", "payouts", "events"].map(
    (table) => ["coffer_stale_versions_total", { table }, 0] as const
  ),
  ["coffer_deliveries_in_flight", {}, 0],
  ["coffer_delivery_destinations_failing", {}, 0],
  ["coffer_delivery_successes_total", {}, 0],
  ...["timeout", "refused_address", "dns", "connect", "tls", "protocol", "status", "secret"].map(
    (outcome) => ["coffer_delivery_failures_total", { outcome }, 0] as const
  ),
  ["coffer_http_requests_total", { method: "GET", route: "/v1/orders/{ref}" }, 0],
  ["coffer_http_requests_total", { method: "POST", route: "/v1/refunds" }, 0],
  ["coffer_http_requests_total", { method: "POST", route: "/checkout/{token}" }, 0],
  ["coffer_http_requests_total", { method: "GET", route: "none" }, 0],
  ...["201", "400", "401", "429", "500", "503"].map(
    (status) => ["coffer_http_requests_total", { method: "POST", route: "/v1/orders", status }, 0] as const
  ),
  ["coffer_http_requests_total", { method: "POST", route: "/v1/refunds", status: "502" }, 0],
  ["coffer_http_requests_total", { method: "GET", route: "/checkout/{token}", status: "500" }, 0],
  ["coffer_http_request_duration_seconds_bucket", { method: "POST", route: "/v1/refunds", le: "+Inf" }, 0],
  ["coffer_http_request_duration_seconds_count", { method: "GET", route: "/receipts/{token}" }, 0],
  ["coffer_http_requests_shed_total", { kind: "reads" }, 0],
  ["coffer_http_connections_dropped_total", {}, 0],
  ["coffer_payments_total", { mode: "live" }, 0],
  ["coffer_payments_parked_total", { mode: "live" }, 0],
  ["coffer_channel_contradictions_total", { mode: "live" }, 0],
  ...["live", "sandbox"].flatMap((mode) => [
    ["coffer_stripe_down", { mode }, 0] as const,
    ...[
      "answered",
      "refused",
      "credentials",
      "rate_limited",
      "crowded",
      "unreached",
      "silent",
      "proxy",
      "circuit_open"
    ].map((outcome) => ["coffer_stripe_calls_total", { mode, outcome }, 0] as const),
    ...["stored", "repeated", "ignored", "no_account", "thin", "refused"].map(
      (outcome) => ["coffer_stripe_webhooks_total", { mode, outcome }, 0] as const
    ),
    ...["adopted", "ignored", "given_up"].map(
      (outcome) => ["coffer_stripe_events_total", { mode, outcome }, 0] as const
    ),
    ["coffer_stripe_events_found_total", { mode }, 0] as const,
    ...["buyer", "money", "rest"].map((urgency) => ["coffer_stripe_waits_total", { mode, urgency }, 0] as const)
  ]),
  ["coffer_stripe_webhooks_total", { mode: "none", outcome: "refused" }, 0],
  ["coffer_stripe_proxy_down", {}, 0],
  ["coffer_reconciliation_differences", { mode: "live" }, 0],
  ["coffer_http_requests_total", { method: "POST", route: "/channels/{channel}/{token}" }, 0],
  ["coffer_quota_store_failures_total", {}, 0],
  ["coffer_api_logs_dropped_total", {}, 0],
  ["coffer_ledger_violations", { law: "I1" }, 0],
  ["coffer_mails_total", { outcome: "uncertain" }, 0],
  ["coffer_secret_key_change", {}, 0],
  ["coffer_secrets_resealed_total", {}, 0],
  ["coffer_credentials_refused_total", { of: "merchant" }, 0],
  ["coffer_credentials_refused_total", { of: "operator" }, 0],
  ...["handshake", "deadline", "crowded", "hung_up", "broken"].map(
    (reason) => ["coffer_runner_connections_refused_total", { side: "incoming", reason }, 0] as const
  ),
  ["coffer_runner_connections_refused_total", { side: "outgoing", reason: "handshake" }, 0],
  ["coffer_runner_messages_refused_total", {}, 0],
  ...[
    "expiry",
    "refunds",
    "dispute checks",
    "deliveries",
    "delivery metrics",
    "retention of API logs",
    "expired approvals",
    "stripe events",
    "stripe reconciler",
    "stripe reconciliation",
    "audit"
  ].map((worker) => ["coffer_worker_failures_total", { worker }, 0] as const),
  ["coffer_worker_rounds_total", { worker: "expiry" }],
  ["coffer_worker_rows_total", { worker: "deliveries" }, 0],
  ...[
    "expiry",
    "unapplied payments",
    "deliveries",
    "refunds",
    "dispute checks",
    "mails",
    "mails about keys",
    "endpoints that fail",
    "sandbox reports",
    "sandbox dispute reports",
    "seeding"
  ].flatMap((worker) => [
    ["coffer_rows_due", { worker }, 0] as const,
    ["coffer_rows_oldest_due_seconds", { worker }, 0] as const
  ]),
  ["effect_cluster_runners", {}, 1]
]

it.live("every metric is there from the start, those that count with zero", () =>
  Effect.gen(function* () {
    const { api } = yield* start()
    const lines = (yield* api.get("/metrics")).text.split("\n").filter((line) => !line.startsWith("#"))
    const found = table.map(([name, labels, value]): Row => {
      const line = lines.find(
        (each) =>
          (each.startsWith(`${name}{`) || each.startsWith(`${name} `)) &&
          Object.entries(labels).every(([label, text]) => each.includes(`${label}="${text}"`))
      )
      const is = line === undefined ? "missing" : Number(line.slice(line.lastIndexOf(" ")))
      return is === "missing" || value !== undefined ? [name, labels, is] : [name, labels]
    })
    assert.deepStrictEqual(found, table)
  })
)
