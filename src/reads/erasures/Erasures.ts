/**
 * Front door to erasures (docs/decisions/0103): a buyer is named by an address, or one order by its number, and a
 * worker removes the buyer's words from all rows and files. Orders of the same address that are made after the request
 * stay.
 */
import type { OperatorCreateErasure } from "@coffer/contract/Erasures"
import type { Account } from "@coffer/model/Account"
import { canonicalAddress } from "@coffer/rules/wholeAddress"
import { InvalidField } from "@coffer/rules/InvalidField"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, type DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Mailer } from "../../shared/mail/Mailer.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { isStorable } from "../../platform/postgres/scans.ts"
import { sealedForErasure } from "../../access/secretKey/SealedRows.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { span } from "../../platform/runtime/span.ts"
import { unmovedTime } from "../../platform/runtime/MerchantClocks.ts"
import { makeBuyerRows } from "./buyerRows.ts"
import { makeDryRun } from "./dryRun.ts"
import { type Counts, type ErasureRow, ErasureStore } from "./ErasureStore.ts"

export class ErasureNotFound extends Schema.TaggedError<ErasureNotFound>()("ErasureNotFound", {
  erasureNo: Schema.String
}) {}
/** The account has reached its limit of erasures under way. */
export class TooManyErasures extends Schema.TaggedError<TooManyErasures>()("TooManyErasures", {}) {}
/** No order of the account, or of any account, has this number. */
export class NoSuchOrder extends Schema.TaggedError<NoSuchOrder>()("NoSuchOrder", { ref: Schema.String }) {}

export interface ErasureRequest {
  /** Undefined where an operator erases a buyer of all merchants. */
  readonly account: Account | undefined
  readonly by: string
  readonly terms: OperatorCreateErasure
}

/** A dry run, or an erasure with the number of orders that wait. */
export interface Shown {
  /** Undefined for a dry run, which stores nothing. */
  readonly erasure: ErasureRow | undefined
  readonly of: Pick<ErasureRow, "merchant_id" | "mode" | "trade_no" | "email_hash">
  readonly held: number
  readonly counts: Counts
  readonly isCapped: boolean
}

export class Erasures extends Context.Service<
  Erasures,
  {
    readonly create: (request: ErasureRequest) => Effect.Effect<Shown, InvalidField | NoSuchOrder | TooManyErasures>
    readonly find: (erasureNo: string, account?: Account) => Effect.Effect<Shown, ErasureNotFound>
    /** Newest first, of all merchants. */
    /** Of one account, or of all. */
    readonly page: (
      query: Parameters<typeof readPageRequest>[0],
      account?: Account
    ) => Effect.Effect<Page<Shown>, InvalidField>
    /** Removes files of erased mails that this machine still keeps. */
    readonly forgetMails: Effect.Effect<number>
  }
>()("@coffer/erasures/Erasures") {}

/** Wakes the worker. */
export const wakeup = "erasures"

/** The hash that is kept of the address, by which the same address is found again. */
const hashOf = ({ keyHash }: Secrets["Service"], email: string) => keyHash(`buyer ${email}`)

/** Hashes that an erasure of this address may have: of its one spelling, and of small letters, as in older rows. */
export const hashesOf = (secrets: Secrets["Service"], email: string): ReadonlyArray<string> =>
  [canonicalAddress(email), email.trim().toLowerCase()].map((spelling) => hashOf(secrets, spelling))

export const layer = Layer.effect(
  Erasures,
  Effect.gen(function* () {
    const store = yield* ErasureStore
    const secrets = yield* Secrets
    const wakeups = yield* Wakeups
    const mailer = yield* Mailer
    const sql = yield* SqlClient.SqlClient
    const rows = makeBuyerRows(sql)
    const count = yield* makeDryRun

    const shown = (erasure: ErasureRow) =>
      Effect.map(store.standing(erasure.erasure_no), ({ held }): Shown => ({
        erasure,
        of: erasure,
        held,
        counts: erasure.counts,
        isCapped: false
      }))

    const orderOf = Effect.fnUntraced(function* (account: Account | undefined, ref: string) {
      const found = isStorable(ref) ? yield* rows.order(account, ref) : Option.none()
      return Option.getOrUndefined(found) ?? (yield* new NoSuchOrder({ ref }))
    })

    const dryRun = Effect.fnUntraced(function* (account: Account | undefined, buyer: BuyerOf, now: DateTime.Utc) {
      const { counts, isCapped } = yield* count({ account, now, ...buyer })
      const of = {
        merchant_id: account?.merchantId ?? null,
        mode: account?.mode ?? null,
        trade_no: buyer.tradeNo,
        email_hash: buyer.email === undefined ? null : hashOf(secrets, buyer.email)
      }
      return { erasure: undefined, of, held: 0, counts, isCapped }
    })

    return Erasures.of({
      create: span("Erasures.create")(function* ({ account, by, terms }) {
        const now = yield* unmovedTime
        if ([terms.email, terms.trade_no, terms.email_hash].filter((term) => term !== undefined).length !== 1) {
          return yield* new InvalidField({ param: "email", problem: "send either email or trade_no" })
        }
        if (terms.email_hash !== undefined && terms.dry_run === true) {
          return yield* new InvalidField({ param: "dry_run", problem: "requires email" })
        }
        const email = terms.email === undefined ? undefined : canonicalAddress(terms.email)
        const tradeNo = terms.trade_no === undefined ? null : yield* orderOf(account, terms.trade_no)
        if (terms.dry_run === true) return yield* dryRun(account, { email, tradeNo }, now)
        const begun = yield* store.begin({
          account,
          trade_no: tradeNo,
          email_hash: terms.email_hash ?? (email === undefined ? null : hashOf(secrets, email)),
          sealedFor: (erasureNo) => (email === undefined ? null : secrets.encrypt(email, sealedForErasure(erasureNo))),
          requested_by: by,
          requested_at: now
        })
        const erasure = Option.getOrUndefined(begun) ?? (yield* new TooManyErasures())
        wakeups.raise(wakeup)
        // Logs outlive the database: after the restore of a backup these are what has to be erased again.
        yield* Effect.annotateLogs(Effect.logInfo("a buyer is erased"), {
          erasure_no: erasure.erasure_no,
          ...(account === undefined ? {} : { merchant_id: account.merchantId, mode: account.mode }),
          ...(tradeNo === null ? { email_hash: erasure.email_hash } : { trade_no: tradeNo })
        })
        return yield* shown(erasure)
      }),
      find: Effect.fnUntraced(function* (erasureNo, account) {
        const found = isStorable(erasureNo) ? yield* store.find(erasureNo, account) : Option.none()
        if (Option.isNone(found)) return yield* new ErasureNotFound({ erasureNo })
        return yield* shown(found.value)
      }),
      page: Effect.fnUntraced(function* (query, account) {
        const page = yield* store.page(yield* Effect.fromResult(readPageRequest(query)), account)
        return { ...page, data: yield* Effect.forEach(page.data, shown) }
      }),
      forgetMails: Effect.gen(function* () {
        const kept = yield* mailer.kept
        if (kept.length === 0) return 0
        const gone = yield* sqlDefects(rows.erasedMails(kept))
        yield* mailer.forget(gone)
        return gone.length
      })
    })
  })
)

export interface BuyerOf {
  readonly email: string | undefined
  readonly tradeNo: string | null
}

export { type Counts, countNames, walkedNames } from "./ErasureStore.ts"
