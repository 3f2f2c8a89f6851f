/**
 * Up to which number lists may show an account's rows, so that a reader who continues from the newest row misses none
 * (docs/decisions/0050). Before a list shows a row, the account's horizon is raised to its number. From then on a batch
 * with a lower number is refused (`commit/`). Batches that have read the horizon before are waited for.
 */
import type { Account } from "@coffer/model/Account"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { LastUsed } from "../runtime/lastUsed.ts"
import { onRealTime, realMillis } from "../runtime/realTime.ts"
import { sqlDefects } from "./sqlDefect.ts"
import { DatabaseUnavailable } from "./trouble.ts"

/** The two kinds of numbers: objects when they are written, API calls when they begin. */
export type Numbered = "shown" | "calls"

/** The lowest body of an object that is not written yet; undefined if there is none. */
export type LowestOpen = (account: Account) => string | undefined

export class ListHorizon extends Context.Service<
  ListHorizon,
  {
    /** The current horizon: reads from now on are complete up to it. */
    readonly raisedTo: (of: Numbered, account: Account) => string
    /**
     * Raises the horizon to this body, or a lower one, but to `from` at least: a reader continues from `from`, and may
     * have it from a create's answer. Returns the new horizon; read the list after this.
     */
    readonly raise: (of: Numbered, account: Account, newest: string, from?: string) => Effect.Effect<string>
    /** Rows that this runner is about to write. A list ends before them for a moment. */
    readonly awaits: (of: Numbered, lowest: LowestOpen) => void
  }
>()("@coffer/platform/ListHorizon") {}

/** Accounts whose horizons this runner remembers. */
const rememberedMax = 10_000
/** Between two looks at the batches that are waited for: from the first, doubled, up to the last. */
const pauseMillis = 1
const pauseMillisMax = 32
/** Postgres ends each statement of a batch before (`patience.ts`). */
const waitMillisMax = 4_000

export const layer = Layer.effect(
  ListHorizon,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const statements = makeStatements(sql)
    const known = new LastUsed<string>(rememberedMax)
    const open = new Map<Numbered, LowestOpen>()

    const raisedTo = (of: Numbered, account: Account) => known.get(keyOf(of, account)) ?? ""
    const remember = (key: string, body: string) => {
      if (body >= (known.get(key) ?? "")) known.set(key, body)
    }

    /** Whether no batch is left that may bring a lower number than the horizon. */
    const waited = Effect.fnUntraced(function* (account: Account) {
      const began = realMillis()
      let writing: ReadonlySet<string> | undefined
      for (let pause = pauseMillis; realMillis() - began < waitMillisMax; pause = Math.min(pause * 2, pauseMillisMax)) {
        const [now] = yield* decodeWriters(yield* statements.writers(account))
        if (now.free) return true
        const still = writing
        writing = new Set(now.writing.filter((one) => still?.has(one) ?? true))
        if (writing.size === 0) return true
        yield* onRealTime(Effect.sleep(pause))
      }
      return false
    })

    /** The raised horizon; undefined if a batch lasts for longer than Postgres allows. */
    const raiseTo = Effect.fnUntraced(function* (of: Numbered, account: Account, body: string) {
      const [first] = yield* decodeRaised(yield* statements.raiseIfFree(of, account, body))
      // A number that another list has shown stays shown.
      const before = first.before ?? ""
      const upTo = body > before ? body : before
      if (first.free) return upTo
      yield* statements.raise(of, account, body)
      return (yield* waited(account)) ? upTo : undefined
    })

    const raise = Effect.fnUntraced(function* (of: Numbered, account: Account, newest: string, from = "") {
      const lowest = open.get(of)?.(account)
      const wanted = lowest === undefined || newest < lowest ? newest : below(lowest)
      const upTo = yield* raiseTo(of, account, wanted > from ? wanted : from)
      // Another list may have raised the horizon and wait as this one did, so only what was raised here is certain.
      if (upTo === undefined) return raisedTo(of, account) || (yield* Effect.die(tooLong))
      remember(keyOf(of, account), upTo)
      return upTo
    })

    return ListHorizon.of({
      raisedTo,
      raise: (of, account, newest, from) => sqlDefects(raise(of, account, newest, from)),
      awaits: (of, lowest) => void open.set(of, lowest)
    })
  })
)

/** For an account whose horizon this runner has not raised yet. */
const tooLong = new DatabaseUnavailable({ message: "a transaction that may bring earlier rows does not end" })

const keyOf = (of: Numbered, { merchantId, mode }: Account) => `${of} ${mode} ${merchantId}`

/** Below this body, and above those before it. */
const below = (body: string): string => body.slice(0, -1)

const makeStatements = (sql: SqlClient.SqlClient) => {
  const isOf = ({ merchantId, mode }: Account) => sql`merchant_id = ${merchantId} and mode = ${mode}`
  /** A batch holds the row `for key share`, so no batch has it once this lock is held. */
  const free = (account: Account) => sql`select from list_horizons where ${isOf(account)} for update skip locked`
  return {
    raiseIfFree: (of: Numbered, account: Account, body: string) => sql`
      with free as (${free(account)}),
      raised as (update list_horizons set ${sql(of)} = ${body}
        where ${isOf(account)} and ${sql(of)} < ${body} and exists (select from free))
      select exists (select from free) as free,
        (select ${sql(of)} from list_horizons where ${isOf(account)}) as before`,
    raise: (of: Numbered, account: Account, body: string) =>
      sql`update list_horizons set ${sql(of)} = ${body} where ${isOf(account)} and ${sql(of)} < ${body}`,
    /**
     * Only transactions of this service: another program's may be open for hours, and adds no rows of ours. A snapshot
     * ends at the last completed transaction, so newer ones come from the sessions.
     */
    writers: (account: Account) => sql`
      with free as (${free(account)})
      select exists (select from free) as free, array(
        select backend_xid::text from pg_stat_activity where usename = current_user
          and datname = current_database() and pid <> pg_backend_pid() and backend_xid is not null) as writing`
  }
}

const decodeRaised = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ free: Schema.Boolean, before: Schema.NullOr(Schema.String) })])
)
const decodeWriters = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ free: Schema.Boolean, writing: Schema.Array(Schema.String) })])
)
