/** An erasure from its request to its end, and all that a service keeps. */
import { mkdtempSync, rmSync } from "node:fs"
import os from "node:os"
import path from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { bodyOf } from "../../../src/webhooks/events/eventBodies.ts"
import { type Json, merchantOf, said } from "../Merchant.ts"
import { flushed, storedLogs } from "../rows/logs.ts"
import { type Running, start } from "../Service.ts"

const home = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(os.tmpdir(), "coffer-erased-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** All that stands in a database, packed and compressed texts opened. */
export const stored = Effect.fnUntraced(function* (running: Running) {
  const { sql } = running
  const tables = yield* sql<{ name: string }>`select c.relname as name from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`
  const texts = [yield* storedLogs(running)]
  for (const { name } of tables) {
    const rows = yield* sql.unsafe<{ row: string }>(`select t::text as row from ${name} t`)
    texts.push(`${name}: ${rows.map(({ row }) => row).join("\n")}`)
  }
  const events = yield* sql<{ body: string | null; packed: Uint8Array | null }>`select body, packed from events`
  return [...texts, ...events.map((event) => `event: ${bodyOf(event)}`)]
})

export const finished = Effect.fnUntraced(function* (running: Running, read: Effect.Effect<Json>) {
  for (let minutes = 0; minutes < 100; minutes++) {
    const erasure = yield* read
    if (erasure["status"] === "done") return erasure
    // The queue of calls goes by real time, and the erasure waits for it by the clock of the test.
    yield* flushed(running)
    yield* running.pass("1 minute")
  }
  const rows = yield* running.sql`select step, place, attempts, error from erasures`
  return assert.fail(`the erasure has not ended: ${JSON.stringify(rows)}`)
})

export const begin = Effect.fnUntraced(function* (more: Parameters<typeof start>[0] = {}) {
  const folder = yield* home
  const lines: Array<string> = []
  const logger = Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))])
  const running = yield* start({
    clock: "test",
    folder,
    logger,
    ...more,
    env: { ALLOW_PRIVATE_WEBHOOKS: "true", ACCESS_LOG: "true", ...more.env }
  })
  return { running, folder, lines, shop: merchantOf(running) }
})

/** A merchant's erasure, once it has ended. */
export const erasedBy = Effect.fnUntraced(function* (
  running: Running,
  shop: ReturnType<typeof merchantOf>,
  terms: Json
) {
  const asked = yield* said(shop.post("/v1/erasures", terms))
  return yield* finished(running, said(shop.get(`/v1/erasures/${asked["erasure_no"]}`)))
})
