/**
 * The work of a worker (`Workers`): what it does in a round, and the common case, work on rows that are due. A round
 * does the rows of all accounts, or those of one sandbox whose clock was moved (docs/decisions/0043).
 */
import { DateTime, Effect, Option } from "effect"
import type { Wakeup } from "../commit/Wakeups.ts"
import type { Backlog, DueSandbox } from "../postgres/leasedRows.ts"
import { currentTime } from "../runtime/clock.ts"
import { leasedMax } from "./forEachLeased.ts"

export interface Work {
  readonly name: string
  /** Does or starts what is due now, and answers how many rows that was. After 0 the worker sleeps. */
  readonly run: Effect.Effect<number>
  /** When the next row is due. */
  readonly next: Effect.Effect<Option.Option<DateTime.Utc>>
  /** True: it only removes what has no effect any more, so a test's time need not stop for it. */
  readonly tidies?: boolean
  /** Raised when there is new work; it ends the worker's sleep. */
  readonly wakeup?: Wakeup
  /** It makes calls outside, or may. With NO_OUTBOUND it rests, and its due rows stay as they are. */
  readonly callsOutside?: boolean
  /** By default a wakeup that comes while the worker is busy goes to other runners. False: the worker decides that. */
  readonly passesOn?: boolean
  /** The rows that are due and not leased, for all runners together; left out for work without due rows. */
  readonly backlog?: (now: DateTime.Utc) => Effect.Effect<Backlog>
  /** The same for one sandbox whose clock was moved; left out where the rows belong to no merchant. */
  readonly ofSandbox?: SandboxWork
}

/** Work that only tidies, once an hour. */
export const hourly = (name: string, tidy: (now: DateTime.Utc) => Effect.Effect<number>): Work => ({
  name,
  tidies: true,
  run: Effect.flatMap(currentTime, tidy),
  next: Effect.map(currentTime, (now) => Option.some(DateTime.add(now, { hours: 1 })))
})

/** The due rows of one sandbox. Their times are those of its clock, which other workers do not look at. */
export interface SandboxWork {
  /** Does what is due by the clock that this runs under, and answers how many rows that was. */
  readonly run: (merchantId: string) => Effect.Effect<number>
  /** When the first row of each of these sandboxes is due. Those without any are left out. */
  readonly nextOf: (merchantIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<DueSandbox>>
  /** Each row is a post of a webhook. */
  readonly isPosting?: boolean
}

export interface DueRows<Row> {
  readonly leaseDue: (now: DateTime.Utc, limit: number, merchantId?: string) => Effect.Effect<ReadonlyArray<Row>>
  readonly nextDueOf: SandboxWork["nextOf"]
}

/** Leases rows and works on them, until none is due. */
export const dueWork = <Row>(
  { leaseDue, nextDueOf }: DueRows<Row>,
  work: (rows: ReadonlyArray<Row>) => Effect.Effect<number>
): { readonly run: Effect.Effect<number>; readonly ofSandbox: SandboxWork } => {
  const round = (merchantId?: string) =>
    Effect.flatMap(currentTime, (now) => Effect.flatMap(leaseDue(now, leasedMax, merchantId), work))
  return { run: round(), ofSandbox: { run: round, nextOf: nextDueOf } }
}
