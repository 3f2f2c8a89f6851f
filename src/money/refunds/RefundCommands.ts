/**
 * A refund's rows, and the commands to it. Rows are found one by one or as lists show them, leased when they are due,
 * and written as changes with the version that they replace. A void refund is found by its own number alone.
 *
 * A command's consequences for the order and the wallet are committed with it. There is no owner (docs/decisions/0006):
 * the row's version is the fence, and the second writer decides again.
 */
import * as Pages from "../../platform/postgres/Pages.ts"
import type { RefundQuery } from "@coffer/contract/Refunds"
import { prefixes, RefundNo } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import {
  consequences,
  decide,
  evolve,
  Refund,
  RefundCommand,
  type RefundConflict,
  type RefundEvent,
  reserving,
  terms
} from "@coffer/rules/refund/Refund"
import { nextCheck } from "@coffer/rules/refund/nextCheck"
import { Context, type DateTime, Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import type { AlreadyExists, Described } from "../../platform/commit/Change.ts"
import { backOffAfterWork, type DueRows, leasedRows } from "../../platform/postgres/leasedRows.ts"
import { ListHorizon } from "../../platform/postgres/ListHorizon.ts"
import { makeOursOf } from "../../platform/postgres/ownNumbers.ts"
import { along, equals, type Search } from "../../platform/postgres/scans.ts"
import { table } from "../../platform/commit/Table.ts"
import type { RefundRefused } from "@coffer/rules/order/Order"
import type { InsufficientBalance } from "@coffer/rules/wallet/post"
import type { Aggregate, Stored } from "../aggregate/Aggregate.ts"
import { makeObjectChanges, makeObjectRows, type ObjectRows } from "../aggregate/objectRows.ts"
import { makeWriteLoop, withoutEntry, type WriteFailure } from "../aggregate/WriteLoop.ts"
import { makeAlarmOfContradiction } from "../../shared/channel/contradiction.ts"
import { type Answering, Renewal, renewalOf } from "../../shared/idempotency/Answering.ts"
import type { OrderNotFound } from "../orders/OrderCommands.ts"
import { Orders } from "../orders/Orders.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { span } from "../../platform/runtime/span.ts"
import { instruct, instructionKind, Instructions, performedSchema } from "../wallets/Instructions.ts"
import { noEntry, Wallets } from "../wallets/Wallets.ts"
import { refundView } from "./RefundView.ts"

export class RefundStore extends Context.Service<
  RefundStore,
  ObjectRows<Refund> &
    // When the channel is to be asked about those that are not settled.
    DueRows<RefundNo> &
    Pages.Lists<RefundQuery, Refund> & {
      /** The refund that an idempotency claim has made since. */
      readonly byRequest: (request: string, since: DateTime.Utc) => Effect.Effect<Option.Option<Stored<Refund>>>
      /** When the last refund of the order that succeeded did so. */
      readonly lastAt: (tradeNo: string) => Effect.Effect<Option.Option<DateTime.Utc>>
    }
>()("@coffer/refunds/RefundStore") {}

export const refunds = table("refunds", {
  place: 30,
  listed: true,
  of: Refund,
  extra: { version: Schema.Int, nextCheckAt: Schema.NullOr(Schema.DateTimeUtc) },
  key: "refundNo",
  version: "version",
  fixed: Struct.keys(terms),
  number: { field: "outRefundNo", among: "status <> 'void'" }
})

/** The rows that merchants see in a state. */
const statuses = { pending: ["pending", "reserved"], succeeded: ["succeeded"], failed: ["failed"] } as const

const changes = makeObjectChanges(refunds, (refund, version) => ({ version, nextCheckAt: nextCheck.after(refund) }))

export const layerStore = Layer.effect(
  RefundStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const rows = makeObjectRows(sql, refunds, {
      isId: Schema.is(RefundNo),
      isShown: ({ status }) => status !== "void"
    })

    const findByRequest = SqlSchema.findOneOption({
      Request: Schema.Struct({ request: Schema.String, since: Schema.DateTimeUtcFromDate }),
      Result: refunds.row,
      execute: ({ request, since }) => sql`select * from refunds
        where request = ${request} and created_at > ${since} and status <> 'void' order by refund_no desc limit 1`
    })

    const lastOf = SqlSchema.findOneOption({
      Request: Schema.String,
      Result: Schema.Struct({ at: TimeColumn }),
      execute: (tradeNo) => sql`select settled_at as at from refunds
        where trade_no = ${tradeNo} and status = 'succeeded' order by settled_at desc limit 1`
    })

    const { lateSeconds: late, often, soonSeconds: soon } = nextCheck
    const queue = {
      table: "refunds",
      key: "refund_no",
      dueAt: "next_check_at",
      error: "check_error",
      isOwned: true,
      ...backOffAfterWork(sql, "checks", { soon, late, often })
    }
    const due = leasedRows(sql, queue, Schema.Struct({ refund_no: RefundNo }), ({ refund_no }) => refund_no)

    return RefundStore.of({
      ...due,
      ...rows,
      byRequest: (request, since) =>
        sqlDefects(
          Effect.map(
            findByRequest({ request, since }),
            Option.map((row) => ({ state: refunds.read(row), version: row.version }))
          )
        ),
      lastAt: (tradeNo) =>
        sqlDefects(
          Effect.map(
            lastOf(tradeNo),
            Option.map(({ at }) => at)
          )
        ),
      ...(yield* makeLists)
    })
  })
)

/** Lists and exports leave out void refunds. */
const makeLists = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const pages = Pages.make(
    sql,
    {
      table: refunds,
      prefixOf: () => prefixes.refund,
      called: "a refund"
    },
    yield* ListHorizon
  )

  const oursOf = yield* makeOursOf

  const search = Effect.fnUntraced(function* (account: Account, query: RefundQuery): Effect.fn.Return<Search> {
    const { out_refund_no, status } = query
    const orders = query.trade_no === undefined ? undefined : yield* oursOf(account, ["order"], query.trade_no)
    const shown = sql`status <> 'void'`
    const inStatus = status === undefined ? [shown] : [sql`status in ${sql.in(statuses[status])}`]
    // A unique key: there is one or none.
    if (out_refund_no !== undefined) {
      const inOrder = orders === undefined ? [] : [sql.in("trade_no", orders)]
      return { filters: [equals(sql, "out_refund_no", out_refund_no), shown, ...inOrder, ...inStatus] }
    }
    if (orders !== undefined) return { path: along(...orders.map((trade_no) => ({ trade_no }))), filters: inStatus }
    // By status also when all are wanted, which skips void refunds; an outage makes many of them.
    const wanted = status === undefined ? Object.values(statuses).flat() : statuses[status]
    return { path: along(...wanted.map((one) => ({ status: one }))), filters: [] }
  })

  return Pages.lists(pages, search)
})

// Commands -----------------------------------------------------------------------

interface RefundKind {
  readonly Id: RefundNo
  readonly State: Refund
  readonly Command: RefundCommand
  readonly Fact: RefundEvent
  readonly Refusal: RefundConflict
  readonly Missing: never
  readonly Related: undefined
}

const ReservedRefund = Refund.members[0]
export type ReservedRefund = typeof ReservedRefund.Type

const newRefund = instructionKind(
  "new_refund",
  Schema.Struct({ refund: ReservedRefund, renewal: Schema.optional(Renewal) })
)

/** The amount is promised before the channel is asked. */
const promised = ({ amount, createdAt, requestedAmount }: Refund) =>
  reserving(amount, requestedAmount === null, createdAt)

interface Reporting {
  readonly answer?: Answering | undefined
  /** The channel's own rows. They are committed with the change, and left out where the refund does not change. */
  readonly books?: Described | undefined
  /** The refund as `create` has written it: spares a read unless it has changed since. */
  readonly created?: ReservedRefund
}

export class RefundCommands extends Context.Service<
  RefundCommands,
  {
    /** An existing refund. */
    readonly load: (refundNo: RefundNo) => Effect.Effect<Refund>
    /** A new refund, with the amount that it promises. The claim of its request is renewed with it. */
    readonly create: (
      refund: ReservedRefund,
      renewal: Renewal | undefined
    ) => Effect.Effect<Refund, RefundRefused | InsufficientBalance | AlreadyExists | OrderNotFound | WriteFailure>
    /** The answer to the request is committed with the change. */
    readonly perform: (
      refundNo: RefundNo,
      command: RefundCommand,
      answer?: Answering
    ) => Effect.Effect<Refund, RefundConflict | WriteFailure>
    /** The channel's report. A report that contradicts an earlier one raises an alarm and changes nothing. */
    readonly handleReport: (
      refundNo: RefundNo,
      command: RefundCommand,
      options?: Reporting
    ) => Effect.Effect<Refund, WriteFailure>
  }
>()("@coffer/refunds/RefundCommands") {}

export const layer = Layer.effect(
  RefundCommands,
  Effect.gen(function* () {
    const store = yield* RefundStore
    const orders = yield* Orders
    const wallets = yield* Wallets
    const alarmOfContradiction = yield* makeAlarmOfContradiction

    const load = Effect.fnUntraced(function* (refundNo: RefundNo) {
      const stored = yield* store.load(refundNo)
      // Its number came from us, and no refund is ever removed.
      if (Option.isNone(stored)) return yield* Effect.die(`there is no refund ${refundNo}`)
      return stored.value
    })

    const aggregate: Aggregate<RefundKind> = {
      idOf: ({ refundNo }) => refundNo,
      load,
      decide,
      evolve,
      consequences,
      ...changes,
      view: refundView,
      orderOf: (refund) => refund,
      instruction: performedSchema("refund", RefundNo, RefundCommand),
      attemptsMax: 8,
      outlivesRequest: true
    }
    const loop = yield* makeWriteLoop(aggregate, {
      post: wallets.post,
      order: orders.perform
    })

    yield* (yield* Instructions).define(newRefund, ({ refund, renewal }) =>
      loop.carryOutNew(refund, promised(refund), { changes: renewalOf(renewal) })
    )

    const perform = span("RefundCommands.perform")(
      function* (refundNo: RefundNo, command: RefundCommand, { answer, books, created }: Reporting = {}) {
        return yield* loop.perform(refundNo, command, {
          answer,
          entry: books && { ...noEntry, ...books },
          known: created && { state: created, version: 1 }
        })
      },
      (performed, _refundNo, _command, { books }: Reporting = {}) =>
        // A refund that exists has a paid order and money that was promised to it.
        Effect.catchTags(performed, {
          ...withoutEntry,
          // The channel has this refund already: a runner of an older version has asked, too. A worker asks again.
          AlreadyExists: (taken) =>
            books?.changes.some(({ table }) => table === taken.table) === true
              ? withoutEntry.StaleVersion()
              : Effect.die(taken),
          OrderConflict: Effect.die,
          OrderNotFound: Effect.die,
          RefundRefused: Effect.die
        })
    )

    const loadState = (refundNo: RefundNo) => Effect.map(load(refundNo), ({ state }) => state)

    return RefundCommands.of({
      load: loadState,
      create: (refund, renewal) => {
        const birth = { changes: renewalOf(renewal), instruction: instruct(newRefund, { refund, renewal }) }
        return Effect.catchTags(loop.create(refund, promised(refund), birth), { OrderConflict: Effect.die })
      },
      perform: (refundNo, command, answer) => perform(refundNo, command, { answer }),
      handleReport: (refundNo, command, options) =>
        Effect.catchTags(perform(refundNo, command, options), {
          RefundConflict: ({ reason }) =>
            Effect.tap(loadState(refundNo), ({ mode }) =>
              alarmOfContradiction(mode, { refund_no: refundNo, said: command._tag, reason })
            )
        })
    })
  })
)
