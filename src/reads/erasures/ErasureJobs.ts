/**
 * Carries erasures out, slice by slice. After each slice the position is saved, so a runner that is killed delays the
 * work and loses none. A slice that is done twice changes nothing.
 */
import type { Account } from "@coffer/model/Account"
import { MerchantId, Mode } from "@coffer/model/Ids"
import { Array, DateTime, type Duration, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { hourly, Workers } from "../../platform/jobs/Workers.ts"
import { forEachLeased } from "../../platform/jobs/forEachLeased.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { SavedViews } from "../../access/people/SavedViews.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { sealedForErasure } from "../../access/secretKey/SealedRows.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { makeBuyerRows } from "./buyerRows.ts"
import { belonging, type KindName } from "./buyerWords.ts"
import { makeEraseCopies } from "./eraseCopies.ts"
import { makeEraseOrders } from "./eraseOrders.ts"
import { Erasures, hashesOf, wakeup } from "./Erasures.ts"
import { type Counts, type ErasureRow, ErasureStore, type Progress, type Step } from "./ErasureStore.ts"
import { filesSettings } from "../../money/files/filesSettings.ts"

/**
 * Orders of a slice and of one transaction, and how many transactions run at once, which leaves Postgres capacity for
 * payments.
 */
const ordersMax = 3_000
const togetherMax = 500
const transactionsMax = 3
/** Rows that a slice looks at, if it has to scan. */
const lookedAtMax = 1_000
/** Erasures that a round works on. */
const erasuresMax = 4
/** Slices for one lease, which end within it. */
const slicesMax = 4
/** After this long, queued API logs are written and running requests have stored their answers. */
const queuedFor: Duration.Input = "15 seconds"
/** Longer than any request, including the retries that store its answer. */
const requestsEnd: Duration.Input = "1 minute"
/** When an order is retried: with a delivery or mail under way, and with an open dispute. */
const tryAgain = { soon: "15 seconds", later: "1 hour" } as const satisfies Record<string, Duration.Input>

/** An erasure, its account and its address. */
interface Work {
  readonly erasure: ErasureRow
  readonly account: Account | undefined
  readonly email: string | undefined
}

/** The end of a slice. `place`: the position where this step continues; undefined: the step has ended. */
interface Slice {
  readonly counts?: Counts
  readonly place: string | undefined
  /** When the same step starts over. */
  readonly again?: Duration.Input
  /** The erasure is done. */
  readonly isOver?: boolean
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* ErasureStore
    const erasures = yield* Erasures
    const work = yield* makeWork
    const { filesBucket } = (yield* Settings).of(filesSettings)

    yield* workers.supervise(() => ({
      name: "erasures",
      // The bucket belongs to the original of this copy.
      callsOutside: filesBucket !== undefined,
      wakeup,
      run: Effect.flatMap(currentTime, (now) =>
        Effect.flatMap(store.leaseDue(now, erasuresMax), (due) =>
          forEachLeased("erasure", due, ({ erasure_no }) => erasure_no, work, store.note)
        )
      ),
      next: store.nextDue,
      backlog: store.backlog
    }))
    // Another runner may have erased what this machine keeps.
    yield* workers.supervise(() => hourly("files of erased mails", () => Effect.as(erasures.forgetMails, 0)))
  })
)

const decodeMerchant = Schema.decodeUnknownEffect(Schema.Struct({ merchantId: MerchantId, mode: Mode }))

const makeWork = Effect.gen(function* () {
  const store = yield* ErasureStore
  const secrets = yield* Secrets
  const faults = yield* Faults
  const slice = yield* makeSlice

  return span("ErasureJobs.work")(function* (leased: ErasureRow) {
    const { email, account } = {
      email: leased.sealed === null ? undefined : secrets.decrypt(leased.sealed, sealedForErasure(leased.erasure_no)),
      account:
        leased.merchant_id === null
          ? undefined
          : yield* decodeMerchant({ merchantId: leased.merchant_id, mode: leased.mode })
    }
    let erasure = leased
    for (let done = 0; done < slicesMax; done++) {
      const now = yield* currentTime
      const after = yield* slice({ erasure, account, email }, now)
      const saved = yield* faults.around("Erasures.save", store.save(erasure, after), () => erasure.step)
      if (Option.isNone(saved) || after.dueAt === null || DateTime.isGreaterThan(after.dueAt, now)) return
      erasure = saved.value
      // An address that was found by its hash is used from the next round on.
      if (leased.step === "address" && erasure.step !== "address") return
    }
  })
})

/** The step that follows. */
const following: Readonly<Record<Exclude<Step, "held" | "logs">, Step>> = {
  address: "orders",
  orders: "named",
  named: "mails",
  mails: "links",
  links: "held",
  answers: "logs"
}

const makeSlice = Effect.gen(function* () {
  const store = yield* ErasureStore
  const steps = yield* makeSteps

  return Effect.fnUntraced(function* (work: Work, now: DateTime.Utc) {
    const { erasure } = work
    const { again, counts = {}, isOver = false, place } = yield* steps[erasure.step](work, now)
    const progress = (after: Partial<Progress>): Progress => ({
      step: erasure.step,
      place: "",
      counts,
      isWalked: false,
      status: "running",
      done_at: null,
      dueAt: now,
      walked_from: erasure.walked_from,
      is_late: erasure.is_late,
      ...after
    })
    if (again !== undefined) return progress({ dueAt: DateTime.addDuration(now, again) })
    if (place !== undefined) return progress({ place })
    const done = { status: "done" as const, done_at: now, dueAt: null }
    if (isOver) return progress(done)
    const { fresh, held } = yield* store.standing(erasure.erasure_no)
    const waits = { step: "held" as const, dueAt: DateTime.addDuration(now, tryAgain.later) }
    const ends = held === 0 ? done : waits
    // Copies of requests are looked through once, and again when more was erased since.
    const isLookedThrough = (erasure.counts[passes] ?? 0) > 0 && fresh === 0
    const { is_late, walked_from } = erasure
    switch (erasure.step) {
      case "held":
        return progress(isLookedThrough ? ends : { step: "answers", walked_from: now, is_late: false })
      case "logs":
        // Calls that ended during the first look may have been missed. A runner of an older version is waited for
        // first.
        return !is_late && walked_from !== null
          ? progress({
              step: "answers",
              is_late: true,
              dueAt: DateTime.max(now, DateTime.addDuration(walked_from, queuedFor))
            })
          : progress({ ...ends, isWalked: true, walked_from: null, is_late: false, counts: { ...counts, [passes]: 1 } })
      default:
        return progress({ step: following[erasure.step] })
    }
  })
})

/** The tables that belong to orders, one after the other. */
const nextOf = (name: KindName): string | undefined => {
  const next = belonging[belonging.indexOf(name) + 1]
  return next === undefined ? undefined : `${next}/`
}

/** Among the counts: how often copies of requests were looked through. */
const passes = "passes"

/** Each part in a transaction of its own. Only the last statement of two takes the same row. */
const inParts =
  (eraseOrders: Effect.Success<typeof makeEraseOrders>) =>
  ({ email, erasure }: Work, tradeNos: ReadonlyArray<string>, now: DateTime.Utc) =>
    Effect.map(
      Effect.forEach(
        Array.chunksOf(tradeNos, togetherMax),
        (part) => eraseOrders({ erasureNo: erasure.erasure_no, tradeNos: part, email, now }),
        { concurrency: transactionsMax }
      ),
      (ended) => ({
        files: ended.reduce((sum, { files }) => sum + files, 0),
        soon: ended.reduce((sum, { soon }) => sum + soon, 0)
      })
    )

const makeSteps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const store = yield* ErasureStore
  const copies = yield* makeEraseCopies
  const views = yield* SavedViews
  const secrets = yield* Secrets
  const rows = makeBuyerRows(sql)

  const buyersOrders = ({ account, email = "", erasure }: Work, limit: number) => ({
    account,
    email,
    until: erasure.requested_at,
    after: erasure.place,
    limit
  })
  const erase = inParts(yield* makeEraseOrders)
  const copiesOf = ({ account, email, erasure }: Work) => ({
    merchantId: account?.merchantId,
    mode: account?.mode,
    email,
    requestedAt: erasure.requested_at,
    since:
      erasure.is_late && erasure.walked_from !== null
        ? DateTime.subtractDuration(erasure.walked_from, requestsEnd)
        : undefined
  })

  const steps: Readonly<Record<Step, (work: Work, now: DateTime.Utc) => Effect.Effect<Slice>>> = {
    address: Effect.fnUntraced(function* ({ erasure }) {
      const addresses = yield* sqlDefects(rows.addresses(erasure.place, lookedAtMax))
      const found = addresses.find((address) => hashesOf(secrets, address).includes(erasure.email_hash ?? ""))
      const isLast = addresses.length < lookedAtMax
      if (found === undefined) return { place: isLast ? undefined : addresses.at(-1), isOver: isLast }
      yield* store.seal(erasure, secrets.encrypt(found, sealedForErasure(erasure.erasure_no)))
      return { place: undefined }
    }),
    orders: Effect.fnUntraced(function* (work, now) {
      const tradeNos = yield* sqlDefects(rows.byAddress(buyersOrders(work, ordersMax)))
      const { files } = yield* erase(work, tradeNos, now)
      return { counts: { files }, place: tradeNos.length < ordersMax ? undefined : tradeNos.at(-1) }
    }),
    named: Effect.fnUntraced(function* (work, now) {
      const { last, tradeNos } = yield* sqlDefects(rows.byWords("orders", buyersOrders(work, lookedAtMax)))
      const { files } = yield* erase(work, tradeNos, now)
      return { counts: { files }, place: last }
    }),
    // Tables that belong to orders: receipts that went to another address are the likeliest.
    mails: Effect.fnUntraced(function* (work, now) {
      const [name, after = ""] = (work.erasure.place || "mails/").split("/") as [KindName, string?]
      const options = { ...buyersOrders(work, lookedAtMax), after }
      const { last, tradeNos } = yield* sqlDefects(rows.byWords(name, options))
      const { files } = yield* erase(work, tradeNos, now)
      const next = last === undefined ? nextOf(name) : `${name}/${last}`
      return { counts: { files }, place: next }
    }),
    links: Effect.fnUntraced(function* (work) {
      // Saved filters that name the buyer, of all people of a merchant: they are few.
      if (work.email !== undefined) {
        yield* views.removeNaming(work.account?.merchantId, work.email)
        yield* sqlDefects(rows.eraseMentions(work.account, work.email))
      }
      const { erased, last } = yield* sqlDefects(rows.eraseLinks(buyersOrders(work, lookedAtMax)))
      return { counts: { payment_links: erased }, place: last }
    }),
    held: Effect.fnUntraced(function* (work, now) {
      const { erasure } = work
      const held = yield* store.held(erasure.erasure_no, erasure.place, ordersMax)
      const tradeNos = held.map(({ trade_no }) => trade_no)
      const { files, soon } = yield* erase(work, tradeNos, now)
      const counts = { files }
      if (soon > 0) return { counts, place: undefined, again: tryAgain.soon }
      return { counts, place: tradeNos.length < ordersMax ? undefined : tradeNos.at(-1) }
    }),
    answers: Effect.fnUntraced(function* (work) {
      const { erased, place } = yield* copies.answers(work.erasure.place, copiesOf(work))
      return { counts: { answers: erased }, place }
    }),
    logs: Effect.fnUntraced(function* (work) {
      const { erased, place } = yield* copies.logs(work.erasure.place, copiesOf(work))
      return { counts: { logs: erased }, place }
    })
  }
  return steps
})
