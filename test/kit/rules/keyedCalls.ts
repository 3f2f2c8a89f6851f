/**
 * Requests with an `Idempotency-Key` at one runner, without a database and without HTTP: a map stands for the rows of
 * keys, so that each failure of a commit comes at will.
 */
import { Caller, Idempotency } from "@coffer/contract/Caller"
import type { Account } from "@coffer/model/Account"
import type { MerchantId } from "@coffer/model/Ids"
import { Cause, Context, DateTime, Duration, Effect, Exit, Layer, Option } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { Runs } from "@coffer/cluster/Runs"
import * as Keyed from "../../../src/shared/idempotency/Idempotency.ts"
import { CurrentRecord, type RequestRecord } from "../../../src/shared/http/CurrentRequest.ts"
import { reply } from "../../../src/shared/http/replies.ts"
import { withAnswer, answerOf } from "../../../src/shared/idempotency/Answering.ts"
import { type IdempotencyKey, idempotencyKeys } from "../../../src/shared/idempotency/IdempotencyClaim.ts"
import * as IdempotencyKeys from "../../../src/shared/idempotency/IdempotencyKeys.ts"
import { IdempotencyStore } from "../../../src/shared/idempotency/IdempotencyStore.ts"
import {
  AlreadyExists,
  type Change,
  type CommitError,
  keyOf,
  type NotCommitted,
  StaleVersion
} from "../../../src/platform/commit/Change.ts"
import { Transactor } from "../../../src/platform/commit/Transactor.ts"
import * as Faults from "../../../src/platform/runtime/Faults.ts"
import { Secrets } from "../../../src/platform/runtime/Secrets.ts"
import { Settings } from "../../../src/platform/runtime/Settings.ts"
import { OrderLinks } from "../../../src/shared/signedUrls/OrderLinks.ts"

/** The number of this runner's run of the program. */
export const ownRun = 7

interface Call {
  readonly method?: string
  readonly path?: string
  readonly key?: string
  readonly body?: string
  readonly account?: Account
  readonly payload?: HttpApiEndpoint.Top["payload"]
}

/** An operation that claims its key before it runs, and one whose change brings the claim along. */
export const before = { method: "POST", path: "/v1/refunds" }
export const along = { method: "POST", path: "/v1/orders" }

const decrypt = (sealed: string, boundTo: string) => sealed.slice(`sealed for ${boundTo}: `.length)

const objectOf = ({ cells }: Change): IdempotencyKey => {
  const row = Object.fromEntries(idempotencyKeys.columns.map(({ field }, index) => [field, cells[index] ?? null]))
  const timeOf = (cell: unknown) => (cell === null ? null : DateTime.makeUnsafe(String(cell)))
  const numberOf = (cell: unknown) => (cell === null ? null : Number(cell))
  return {
    ...row,
    version: Number(row["version"]),
    createdAt: timeOf(row["createdAt"]),
    leaseUntil: timeOf(row["leaseUntil"]),
    run: numberOf(row["run"]),
    status: numberOf(row["status"])
  } as unknown as IdempotencyKey
}

/** Rows that several runners share. */
export const makeRows = () => new Map<string, IdempotencyKey>()

/** The rows, and what a test says of the next commits. */
const makeDatabase = (rows: ReturnType<typeof makeRows>) => {
  const commits: Array<string> = []
  const state = {
    /** Failures of the next commits, in place of their outcome; `isWritten`: the rows are written all the same. */
    failing: new Array<{ readonly error: CommitError; readonly isWritten?: boolean } | undefined>(),
    /** Runs before each commit. */
    meanwhile: Effect.void as Effect.Effect<unknown>
  }
  const write = (change: Change): CommitError | undefined => {
    const found = rows.get(keyOf(change))
    const of = { table: change.table, key: keyOf(change) }
    if (change.op === "insert" && found !== undefined) return new AlreadyExists(of)
    if (change.op === "update" && found?.version !== change.replaces) return new StaleVersion(of)
    rows.set(keyOf(change), objectOf(change))
    return undefined
  }
  const commit = Effect.fnUntraced(function* (_lane: string, changes: ReadonlyArray<Change>) {
    yield* state.meanwhile
    const own = changes.filter(({ table }) => table === idempotencyKeys.name)
    for (const change of own) commits.push(`${change.op} ${objectOf(change).state}`)
    const failure = state.failing.shift()
    const refused = failure === undefined || failure.isWritten === true ? own.map(write).find(Boolean) : undefined
    const error = failure?.error ?? refused
    if (error !== undefined) return yield* error
  })
  return { commit, commits, rows, state }
}

export const makeKeyed = Effect.fnUntraced(function* (rows = makeRows()) {
  const database = makeDatabase(rows)
  const { commit } = database
  const dead = new Set<number | null>()
  const context = yield* Layer.build(
    Keyed.layer.pipe(
      Layer.provideMerge(IdempotencyKeys.layer),
      Layer.provide([
        Faults.layer,
        Layer.succeed(Transactor, { commit } as unknown as Transactor["Service"]),
        Layer.succeed(Runs, {
          own: ownRun,
          isAbandoned: (run: number | null) => Effect.succeed(run === ownRun || dead.has(run))
        }),
        Layer.succeed(IdempotencyStore, {
          find: (id) => Effect.sync(() => Option.fromNullishOr(rows.get(id))),
          dropBefore: () => Effect.succeed(0)
        }),
        Layer.succeed(OrderLinks, { complete: (view: object) => view } as OrderLinks["Service"]),
        Layer.succeed(Settings, { keep: { answers: Duration.hours(24) } } as Settings["Service"]),
        Layer.succeed(Secrets, { decrypt } as Secrets["Service"])
      ])
    )
  )
  const idempotency = Context.get(context, Idempotency)

  /** Answers with the status, or the code of the refusal, and with the request's record as it is then. */
  const send = <E, R>(
    handled: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
    { account = accountOf("mer_1"), body = "{}", key = "k", method, path = "/v1/refunds", payload }: Call = {},
    route = before
  ) => {
    const record: RequestRecord = {
      ...CurrentRecord.defaultValue(),
      method: method ?? route.method,
      path,
      sent: key === "" ? {} : { "idempotency-key": key },
      text: Effect.succeed(body)
    }
    const endpoint = { ...route, payload: payload ?? new Map() } as unknown as HttpApiEndpoint.Top
    const answered = idempotency(handled as never, { endpoint } as never) as Effect.Effect<
      HttpServerResponse.HttpServerResponse,
      unknown,
      Caller
    >
    return answered.pipe(
      Effect.provideService(CurrentRecord, record),
      Effect.provideService(Caller, account),
      Effect.exit,
      Effect.map((exit) => ({ told: toldBy(exit), data: record.answer?.data, record }))
    )
  }
  return {
    ...database,
    dead,
    keys: Context.get(context, IdempotencyKeys.IdempotencyKeys),
    send,
    /** A handler whose change is committed with its answer. */
    committing: (data: object, status = 200, then: Effect.Effect<unknown, unknown> = Effect.void) =>
      withAnswer((answer) =>
        commit(
          "lane",
          answerOf(answer, () => data)
        )
      ).pipe(Effect.andThen(then), Effect.andThen(reply(data, status)))
  }
})

export const accountOf = (merchantId: string, mode: Account["mode"] = "sandbox"): Account => ({
  merchantId: merchantId as MerchantId,
  mode
})

const toldBy = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>): string => {
  if (Exit.isSuccess(exit)) {
    const isReplayed = exit.value.headers["idempotent-replayed"] === "true"
    return `${isReplayed ? "replayed " : ""}${exit.value.status}`
  }
  if (Cause.hasInterrupts(exit.cause)) return "interrupted"
  const error = Cause.squash(exit.cause) as { readonly error?: string; readonly _tag?: string }
  return error.error ?? error._tag ?? String(error)
}

export const lost = (error: NotCommitted) => ({ error, isWritten: true })
