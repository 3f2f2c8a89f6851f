/**
 * Front door to the auditor, which checks rows against the published laws (`@coffer/rules/wallet/laws`). It only reads,
 * apart from the stored sums from which the hourly checks continue (migration 0193).
 */
import { type Subject, subjects } from "@coffer/rules/wallet/laws"
import { Context, type DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { span } from "../../platform/runtime/span.ts"
import { makeChanges } from "./auditChanges.ts"
import { type Counts, makeSlices, order, type Position, type Report, type Slices } from "./slices.ts"

export class Auditor extends Context.Service<
  Auditor,
  {
    /** Checks everything that exists at its start, each wallet by all of its rows. It writes nothing. */
    readonly all: (report: Report) => Effect.Effect<Counts>
    /** Checks the rows since then and their objects: wallets, orders, refunds, disputes, payouts, events. */
    readonly changes: (since: DateTime.Utc, report: Report) => Effect.Effect<void>
    /** Checks that all chains have their last anchors. */
    readonly anchors: (report: Report) => Effect.Effect<void>
    /** Checks these rows. */
    readonly some: (about: Subject, keys: ReadonlyArray<string>, report: Report) => Effect.Effect<void>
    /** Checks the next slice of a walk through everything. Undefined at its end. */
    readonly further: (from: Position | undefined, report: Report) => Effect.Effect<Position | undefined>
  }
>()("@coffer/audit/Auditor") {}

export const make = (sql: SqlClient.SqlClient): Auditor["Service"] => {
  const slices = makeSlices(sql)
  return {
    all: makeAll(slices),
    changes: makeChanges(slices),
    anchors: makeAnchors(slices),
    some: (about, keys, report) => slices.checker(report).check(about, keys),
    further: makeFurther(slices)
  }
}

export const layer = Layer.effect(Auditor, Effect.map(SqlClient.SqlClient, make))

const makeAll = ({ checker, keysAfter, texts }: Slices) =>
  span("Auditor.all")(function* (report: Report) {
    const { check, checked } = checker(report, { isWhole: true })
    for (const about of order) {
      // Later rows are left to the next audit, so that a busy service cannot keep this one from ending.
      const [last] = yield* texts(`select max(${subjects[about].key}) as key from ${about}`, [])
      const until = last?.["key"] ?? ""
      for (let keys = yield* keysAfter({ about, key: "" }, until); keys.length > 0;) {
        yield* check(about, keys)
        keys = yield* keysAfter({ about, key: keys.at(-1)! }, until)
      }
    }
    return checked
  })

const makeAnchors = ({ checker, keysAfter }: Slices) =>
  span("Auditor.anchors")(function* (report: Report) {
    const { check } = checker(report)
    for (let keys = yield* keysAfter({ about: "anchors", key: "" }); keys.length > 0;) {
      yield* check("anchors", keys)
      keys = yield* keysAfter({ about: "anchors", key: keys.at(-1)! })
    }
  })

const makeFurther = ({ checker, keysAfter }: Slices) =>
  span("Auditor.further")(function* (from: Position | undefined, report: Report) {
    const position = from ?? { about: order[0]!, key: "" }
    const keys = yield* keysAfter(position)
    yield* checker(report).check(position.about, keys)
    if (keys.length > 0) return { about: position.about, key: keys.at(-1)! }
    const next = order[order.indexOf(position.about) + 1]
    return next === undefined ? undefined : { about: next, key: "" }
  })
