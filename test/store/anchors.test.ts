/** Anchors: a superuser's rewrite with consistent hashes is still found (law I11). */
import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import type { Violation } from "@coffer/rules/wallet/laws"
import { Effect, Layer, Logger, Queue } from "effect"
import type { SqlClient } from "effect/sql"
import { checkAnchorFile } from "../../src/shared/audit/anchorFileCheck.ts"
import * as Faults from "../../src/platform/runtime/Faults.ts"
import { rehash, violationsOf } from "../kit/ledger.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { ownersConnection, type Running, start } from "../kit/Service.ts"

const hourly = { clock: "test", env: { AUDIT_INTERVAL: "1 hour" } } as const
/** The same with an `ANCHOR_FILE`. */
const hourlyTo = (file: string) => ({ ...hourly, env: { ...hourly.env, ANCHOR_FILE: file } })

interface Anchor {
  readonly chain: string
  readonly sequence: number
  readonly hash: string
}

const anchorsIn = (sql: SqlClient.SqlClient) =>
  sql<Anchor>`select chain, sequence, hash from anchors order by anchored_at, chain`

const walletOf = ({ merchant }: Running) => `${merchant.merchantId}/sandbox/USD`

/** The last row of a wallet's chain. */
const headOf = (sql: SqlClient.SqlClient, wallet: string) =>
  Effect.map(
    sql<{ id: string; hash: string }>`select id, encode(hash, 'hex') as hash from ledger
      where wallet_id = ${wallet} order by sequence desc limit 1`,
    ([head]) => head!
  )

/** As a skilled superuser would. */
const rewritten = (sql: SqlClient.SqlClient, wallet: string) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`alter table ledger disable trigger all`
      yield* sql`update ledger set description = 'another' where wallet_id = ${wallet} and sequence = 1`
      yield* rehash(sql, wallet)
      yield* sql`alter table ledger enable trigger all`
    })
  )

const kept = ({ sql }: Running) => sql`select law, about, key, detail from audit_violations order by law, key`

describe("anchors", () => {
  it.effect("each round anchors the heads that have moved, and no others", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const running = yield* start(hourly)
        const at = merchantOf(running)
        yield* at.paid(1_000)
        yield* running.pass("1 hour")
        const first = yield* anchorsIn(running.sql)
        assert.deepStrictEqual(first.map(({ chain, sequence }) => [chain, sequence]).slice(-2), [
          ["audit_log", first.at(-2)!.sequence],
          [walletOf(running), 2]
        ])
        yield* running.pass("3 hours")
        assert.deepStrictEqual(yield* anchorsIn(running.sql), first)
        yield* at.paid(2_000)
        yield* running.pass("1 hour")
        const [head] = yield* running.sql<{ hash: string }>`select head_hash as hash from wallets
          where wallet_id = ${walletOf(running)}`
        assert.deepStrictEqual(yield* anchorsIn(running.sql), [
          ...first,
          { chain: walletOf(running), sequence: 4, hash: head!.hash }
        ])
        assert.deepStrictEqual(yield* violationsOf(running.sql), [])
      })
    )
  )

  it.effect("a chain that is rewritten to its end is found by the next round, and stays found when it grows", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const running = yield* start(hourly)
        const at = merchantOf(running)
        yield* at.paid(1_000)
        yield* running.pass("1 hour")
        const owner = yield* ownersConnection(running.database)
        const before = yield* headOf(owner, walletOf(running))
        yield* rewritten(owner, walletOf(running))
        const after = yield* headOf(owner, walletOf(running))
        const broken = [
          {
            law: "I11",
            about: "anchors",
            key: walletOf(running),
            detail:
              `row 2 (${before.id}) was its head at the anchor of 1970-01-01T01:00:00.000Z with the hash ` +
              `${before.hash}, and has the hash ${after.hash} now`
          }
        ]
        yield* running.pass("1 hour")
        assert.deepStrictEqual(yield* kept(running), broken)
        yield* at.paid(2_000)
        yield* running.pass("5 hours")
        // The service remembered the former head, so its new row does not fit what was rewritten (I9).
        const later = yield* kept(running)
        assert.deepStrictEqual(
          later.filter(({ law }) => law === "I11"),
          broken
        )
        const metrics = yield* running.api.get("/metrics")
        assert.match(metrics.text, /^coffer_ledger_violations\{[^}]*law="I11"[^}]*\} 1$/m)
      })
    )
  )

  it.effect("the end of the audit log that is cut off is found, which the hashes alone do not show", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const running = yield* start(hourly)
        yield* running.pass("1 hour")
        const owner = yield* ownersConnection(running.database)
        const [last] = yield* owner<{ sequence: number }>`select max(sequence) as sequence from audit_log`
        yield* owner`alter table audit_log disable trigger all`
        yield* owner`delete from audit_log where sequence = ${last!.sequence}`
        const found = yield* violationsOf(owner)
        assert.deepStrictEqual(
          found.map(({ key, law, table }) => [law, table, key]),
          [["I11", "anchors", "audit_log"]]
        )
        assert.match(
          found[0]!.detail,
          /^row \d+ \(\w+\) was its head at the anchor of 1970-01-01T01.*, and is missing$/
        )
      })
    )
  )

  it.live("two concurrent rounds anchor a head once", () =>
    Effect.gen(function* () {
      const running = yield* start()
      yield* merchantOf(running).paid(1_000)
      const take = running.sql<Anchor>`select * from anchor_heads(array[${walletOf(running)}], '2026-01-01')`
      const taken = yield* Effect.all([take, take, take, take], { concurrency: "unbounded" })
      assert.strictEqual(taken.flat().length, 1)
      assert.strictEqual((yield* anchorsIn(running.sql)).filter(({ chain }) => chain !== "audit_log").length, 1)
    })
  )
})

it.live("a row of the ledger that calls its wallet as the audit log is called is not taken for its head", () =>
  Effect.gen(function* () {
    const running = yield* start()
    yield* merchantOf(running).paid(1_000)
    const { sql } = running
    yield* sql`insert into wallets select (jsonb_populate_record(w, '{"wallet_id": "audit_log", "merchant_id": "mer_x"}')).*
      from wallets w limit 1`
    yield* sql`select test_without_triggers('insert into ledger
      select (jsonb_populate_record(l, ''{"id": "LED_Z", "wallet_id": "audit_log"}'')).* from ledger l order by id limit 1')`
    const taken = yield* sql<Anchor & { row_id: string }>`select * from anchor_heads(array['audit_log'], '2026-01-01')`
    const [last] = yield* sql<{ id: string }>`select id from audit_log order by sequence desc limit 1`
    assert.deepStrictEqual(
      taken.map(({ row_id }) => row_id),
      [last!.id]
    )
  })
)

describe("ANCHOR_FILE", () => {
  const folder = Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(tmpdir(), "coffer-anchors-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )

  const compared = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, file: string) {
    const found: Array<Violation> = []
    const counts = yield* checkAnchorFile(sql, file, (violation) => Effect.sync(() => found.push(violation))).pipe(
      Effect.provide(NodeServices.layer)
    )
    return { ...counts, found }
  })

  it.effect("has each anchor as a line, and finds what a superuser rewrites together with the table of anchors", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const file = path.join(yield* folder, "anchors.jsonl")
        const running = yield* start(hourlyTo(file))
        yield* merchantOf(running).paid(1_000)
        yield* running.pass("1 hour")
        const lines = () => readFileSync(file, "utf8").trimEnd().split("\n")
        const parsed = lines().map((line) => JSON.parse(line))
        assert.deepStrictEqual(
          parsed.map(({ chain, hash, sequence }): Anchor => ({ chain, sequence, hash })),
          [...(yield* anchorsIn(running.sql))]
        )
        assert.deepStrictEqual(Object.keys(parsed[0]), ["at", "chain", "sequence", "id", "hash"])

        // A write that was cut off; the next one begins on a line of its own.
        appendFileSync(file, '{"at":"1970')
        yield* merchantOf(running).paid(1_000)
        yield* running.pass("1 hour")
        const count = parsed.length + 1
        assert.deepStrictEqual(yield* compared(running.sql, file), { compared: count, unread: 1, found: [] })

        const owner = yield* ownersConnection(running.database)
        yield* rewritten(owner, walletOf(running))
        yield* owner`alter table anchors disable trigger all`
        yield* owner`update anchors a set hash = (select encode(l.hash, 'hex') from ledger l where l.id = a.row_id)
          where chain = ${walletOf(running)}`
        assert.deepStrictEqual(yield* violationsOf(owner), [])
        const { found } = yield* compared(running.sql, file)
        assert.deepStrictEqual(
          found.map(({ key, law }) => [law, key]),
          [
            ["I11", walletOf(running)],
            ["I11", walletOf(running)]
          ]
        )
        assert.match(found[0]!.detail, /^row 2 .* \(ANCHOR_FILE\)$/)
      })
    )
  )

  it.effect(
    "that cannot be written is an error in the log; the round goes on, and the next one, which is soon, anchors what it missed",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const made = yield* folder
          const file = path.join(made, "in", "anchors.jsonl")
          const missing = yield* Effect.flip(start(hourlyTo(file)))
          assert.match(String((missing as Error).message), /^ANCHOR_FILE cannot be written: /)

          const errors = yield* Queue.unbounded<string>()
          const logger = Logger.make(({ logLevel, message }) => {
            if (logLevel === "Error") Queue.offerUnsafe(errors, String(message))
          })
          const faults = Layer.merge(Faults.layer, Logger.layer([logger]))
          const { clock, env } = hourlyTo(path.join(made, "anchors.jsonl"))
          const running = yield* start({ clock, env: { ...env, AUDIT_INTERVAL: "4 hours" }, faults })
          yield* running.pass("4 hours")
          yield* merchantOf(running).paid(1_000)
          const before = yield* anchorsIn(running.sql)
          renameSync(made, `${made}.away`)
          yield* running.pass("4 hours")
          assert.include(String(yield* Queue.take(errors)), "heads could not be anchored in ANCHOR_FILE")
          assert.deepStrictEqual(yield* anchorsIn(running.sql), before)
          const [round] = yield* running.sql<{ checked: number }>`
          select extract(epoch from checked_from)::int4 as checked from audit_rounds`
          assert.strictEqual(round!.checked, 28_800, "the round came to its end")
          renameSync(`${made}.away`, made)
          yield* running.pass("10 minutes")
          assert.deepInclude((yield* anchorsIn(running.sql)).at(-1), { chain: walletOf(running), sequence: 2 })
        })
      )
  )
})
