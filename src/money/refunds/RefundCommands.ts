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
import { type Account, belongsTo } from "@coffer/model/Account"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { CreatedRange } from "@coffer/rules/lists/created"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
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
import { type AlreadyExists, type Change, type Described, insert, update } from "../../platform/commit/Change.ts"
import {
  type Backlog,
  backOffAfterWork,
  type DueSandbox,
  leasedRows,
  type Outcomes
} from "../../platform/postgres/leasedRows.ts"
import { ListHorizon } from "../../platform/postgres/ListHorizon.ts"
import { makeOursOf } from "../../platform/postgres/ownNumbers.ts"
import { along, equals, isStorable, type Search } from "../../platform/postgres/scans.ts"
import { table } from "../../platform/commit/Table.ts"
import type { RefundRefused } from "@coffer/rules/order/Order"
import type { InsufficientBalance } from "@coffer/rules/wallet/post"
import type { Aggregate } from "../aggregate/Aggregate.ts"
import { makeWriteLoop, withoutEntry, type WriteFailure } from "../aggregate/WriteLoop.ts"
import { makeAlarmOfContradiction } from "../../shared/channel/contradiction.ts"
import { type Answering, Renewal, renewalOf } from "../../shared/idempotency/Answering.ts"
import type { OrderNotFound } from "../orders/OrderCommands.ts"
import { Orders } from "../orders/Orders.ts"
import { span } from "../../platform/runtime/span.ts"
import { instruct, instructionKind, Instructions, performedSchema } from "../wallets/Instructions.ts"
import { noEntry, Wallets } from "../wallets/Wallets.ts"
import { refundView } from "./RefundView.ts"

/** A refund and the version of its row. */
export interface StoredRefund {
  readonly refund: Refund
  readonly version: number
}

export class RefundStore extends Context.Service<
  RefundStore,
  {
    readonly load: (refundNo: RefundNo) => Effect.Effect<Option.Option<StoredRefund>>
    /** By platform number, then by the merchant's own; only among the account's (silences: G11, G25). */
    readonly resolve: (account: Account, ref: string) => Effect.Effect<Option.Option<StoredRefund>>
    readonly byOutRefundNo: (account: Account, outRefundNo: string) => Effect.Effect<Option.Option<StoredRefund>>
    /** The refund that an idempotency claim has made since. */
    readonly byRequest: (request: string, since: DateTime.Utc) => Effect.Effect<Option.Option<StoredRefund>>
    /** Newest first (spec: List conventions; silences: R13). */
    readonly page: (
      account: Account,
      request: PageRequest,
      query: RefundQuery
    ) => Effect.Effect<Page<Refund>, InvalidField>
    readonly exported: (
      account: Account,
      created: CreatedRange,
      query: RefundQuery
    ) => Effect.Effect<Pages.Exported<Refund>>
    /** Due refunds that are not settled, leased by pushing their time ahead. */
    readonly leaseDue: (now: DateTime.Utc, limit: number, merchantId?: string) => Effect.Effect<ReadonlyArray<RefundNo>>
    /** When the first is due of each of these sandboxes. */
    readonly nextDueOf: (merchantIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<DueSandbox>>
    readonly noteOutcomes: (outcomes: Outcomes) => Effect.Effect<void>
    readonly nextDue: Effect.Effect<Option.Option<DateTime.Utc>>
    readonly backlog: (now: DateTime.Utc) => Effect.Effect<Backlog>
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

const storedOf = (row: typeof refunds.row.Type): StoredRefund => ({ version: row.version, refund: refunds.read(row) })

const extraColumnsOf = (refund: Refund, version: number) => ({ version, nextCheckAt: nextCheck.after(refund) })

export const insertion = (refund: Refund): Change => insert(refunds, refund, extraColumnsOf(refund, 1))

/** The refund after a decision, replacing the version that was read. */
export const replacement = (before: StoredRefund, after: Refund): Change =>
  update(refunds, before.version, after, extraColumnsOf(after, before.version + 1))

export const layerStore = Layer.effect(
  RefundStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const byNo = SqlSchema.findOneOption({
      Request: Schema.String,
      Result: refunds.row,
      execute: (refundNo) => sql`select * from refunds where refund_no = ${refundNo}`
    })
    const load = (refundNo: string) => sqlDefects(Effect.map(byNo(refundNo), Option.map(storedOf)))

    const findByOutRefundNo = SqlSchema.findOneOption({
      Request: Schema.Struct({ merchantId: Schema.String, mode: Schema.String, outRefundNo: Schema.String }),
      Result: refunds.row,
      execute: ({ merchantId, mode, outRefundNo }) => sql`select * from refunds
        where merchant_id = ${merchantId} and mode = ${mode} and out_refund_no = ${outRefundNo} and status <> 'void'`
    })
    const byOutRefundNo = (account: Account, outRefundNo: string) =>
      isStorable(outRefundNo)
        ? sqlDefects(Effect.map(findByOutRefundNo({ ...account, outRefundNo }), Option.map(storedOf)))
        : Effect.succeed(Option.none<StoredRefund>())

    const findByRequest = SqlSchema.findOneOption({
      Request: Schema.Struct({ request: Schema.String, since: Schema.DateTimeUtcFromDate }),
      Result: refunds.row,
      execute: ({ request, since }) => sql`select * from refunds
        where request = ${request} and created_at > ${since} and status <> 'void' order by refund_no desc limit 1`
    })

    const resolve = Effect.fnUntraced(function* (account: Account, ref: string) {
      if (isRefundNo(ref)) {
        const found = Option.filter(
          yield* load(ref),
          ({ refund }) => belongsTo(account)(refund) && refund.status !== "void"
        )
        if (Option.isSome(found)) return found
      }
      return yield* byOutRefundNo(account, ref)
    })

    const { lateSeconds: late, often, soonSeconds: soon } = nextCheck
    const queue = {
      table: "refunds",
      key: "refund_no",
      dueAt: "next_check_at",
      error: "check_error",
      ...backOffAfterWork(sql, "checks", { soon, late, often })
    }
    const due = leasedRows(sql, queue, numbered)

    return RefundStore.of({
      load,
      resolve,
      byOutRefundNo,
      byRequest: (request, since) => sqlDefects(Effect.map(findByRequest({ request, since }), Option.map(storedOf))),
      ...(yield* makeLists),
      leaseDue: (...args) =>
        sqlDefects(Effect.map(due.lease(...args), (rows) => rows.map(({ refund_no }) => refund_no))),
      nextDueOf: (merchantIds) => sqlDefects(due.nextOf(merchantIds)),
      noteOutcomes: due.note,
      nextDue: sqlDefects(due.next),
      backlog: (now) => sqlDefects(due.backlog(now))
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

  return {
    page: (account: Account, request: PageRequest, query: RefundQuery) =>
      Effect.flatMap(search(account, query), (found) => pages.page(account, request, found)),
    exported: (account: Account, created: CreatedRange, query: RefundQuery) =>
      Effect.flatMap(search(account, query), (found) => pages.exported(account, created, found))
  }
})

const numbered = Schema.Struct({ refund_no: RefundNo })

const isRefundNo = Schema.is(RefundNo)

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
      return { state: stored.value.refund, version: stored.value.version }
    })

    const aggregate: Aggregate<RefundKind> = {
      idOf: ({ refundNo }) => refundNo,
      load,
      decide,
      evolve,
      consequences,
      insertion,
      replacement: ({ state, version }, after) => replacement({ refund: state, version }, after),
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
