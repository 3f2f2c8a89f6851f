import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import path from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Context, DateTime, Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
const R = "/work/wt/roles/src/"
const EmbeddedPostgres = await import(R + "platform/embedded/EmbeddedPostgres.ts")
const { serviceUrl } = await import(R + "platform/embedded/serviceRole.ts")
const Migrator = await import(R + "platform/postgres/Migrator.ts")
const Postgres = await import(R + "platform/postgres/Postgres.ts")
const { Settings } = await import(R + "platform/runtime/Settings.ts")
const Anchors = await import(R + "audit/Anchors.ts")
const { make } = await import(R + "audit/Auditor.ts")
const { patiently } = await import(R + "platform/runtime/patience.ts")
const home = mkdtempSync("/tmp/coffer-scale-"); chmodSync(home, 0o711)
const time = (name, effect) => Effect.gen(function* () {
  const start = Date.now(); const r = yield* effect
  console.log(name, Date.now() - start, "ms", r ?? "", "heap", Math.round(process.memoryUsage().heapUsed / 1e6), "MB"); return r })
await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
  const { url } = yield* EmbeddedPostgres.start({ home, flags: ["shared_buffers=256MB", "max_wal_size=4GB"] })
  const app = yield* serviceUrl(url)
  const ownerSql = Context.get(yield* Layer.build(Postgres.layer({ url, connections: 1, name: "o" })), SqlClient.SqlClient)
  yield* Effect.provideService(Migrator.migrateFor("coffer_app"), SqlClient.SqlClient, ownerSql)
  const n = 1_000_000
  yield* patiently("1 hour", "1 hour")(time("fill wallets", ownerSql.unsafe(`insert into wallets (wallet_id, version, merchant_id, mode, currency, available, frozen, total_revenue, total_fee, total_refund, total_payout, sequence, head_id, head_hash, updated_at)
     select 'mer_' || lpad(n::text, 26, '0') || '/live/USD', 1, 'mer_' || lpad(n::text, 26, '0'), 'live', 'USD', 1, 0, 1, 0, 0, 0, 1, '', '', '2026-01-01' from generate_series(1, ${n}) n`)).pipe(Effect.map(()=>undefined)))
  yield* patiently("1 hour", "1 hour")(time("fill ledger", ownerSql.unsafe(`insert into ledger (id, wallet_id, merchant_id, mode, currency, sequence, type, amount, balance_before, balance_after, frozen_after, reference_id, description, created_at, previous_hash, hash)
     select 'LED_' || lpad((s * 10000000 + n)::text, 26, '0'), 'mer_' || lpad(n::text, 26, '0') || '/live/USD', 'mer_' || lpad(n::text, 26, '0'), 'live', 'USD', s, 'payment_credit', 1, 0, 1, 0, 'TRD_x', '', '2026-01-01', ''::bytea, sha256((n || '.' || s)::text::bytea)
     from generate_series(1, ${n}) n, generate_series(1, 3) s`)).pipe(Effect.map(()=>undefined)))
  yield* patiently("1 hour", "1 hour")(ownerSql.unsafe("vacuum analyze"))
  const settings = Layer.succeed(Settings, { anchorFile: path.join(home, "anchors.jsonl") } as any)
  const ctx = yield* Layer.build(Anchors.layer.pipe(Layer.provideMerge(settings), Layer.provideMerge(Postgres.layer({ url: app, connections: 4, name: "a" })), Layer.provideMerge(NodeServices.layer)))
  const anchors = Context.get(ctx, Anchors.Anchors)
  const sql = Context.get(ctx, SqlClient.SqlClient)
  const at = DateTime.makeUnsafe("2026-01-01T00:00:00Z")
  const report = { violation: (v) => Effect.sync(() => console.log(v)), progress: () => Effect.void }
  yield* time("first round: all 1,000,000 new", anchors.take(at, Effect.void))
  yield* time("compare", make(sql).anchors(report))
  yield* time("nothing moved", anchors.take(at, Effect.void))
  yield* patiently("1 hour", "1 hour")(ownerSql.unsafe(`insert into ledger (id, wallet_id, merchant_id, mode, currency, sequence, type, amount, balance_before, balance_after, frozen_after, reference_id, description, created_at, previous_hash, hash)
     select 'LED_' || lpad((4 * 10000000 + n)::text, 26, '0'), 'mer_' || lpad(n::text, 26, '0') || '/live/USD', 'mer_' || lpad(n::text, 26, '0'), 'live', 'USD', 4, 'payment_credit', 1, 0, 1, 0, 'TRD_x', '', '2026-01-01', ''::bytea, sha256((n || '.4')::text::bytea)
     from generate_series(10, ${n}, 10) n`))
  yield* time("100,000 moved", anchors.take(DateTime.makeUnsafe("2026-01-01T01:00:00Z"), Effect.void))
  yield* time("compare again", make(sql).anchors(report))
  console.log(yield* ownerSql`select count(*)::int4 as anchors, pg_size_pretty(pg_total_relation_size('anchors')) as size from anchors`)
  const { statSync } = yield* Effect.promise(() => import("node:fs"))
  console.log("file bytes", statSync(path.join(home, "anchors.jsonl")).size)
})).pipe(Effect.provide(Logger.layer([]))))
rmSync(home, { recursive: true, force: true })
