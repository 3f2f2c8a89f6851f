/**
 * Work on rows that are due, in the shape that a worker has: of all merchants, and of one sandbox whose clock was
 * moved (docs/decisions/0043).
 */
import { type DateTime, Effect } from "effect"
import type { DueSandbox } from "../postgres/leasedRows.ts"
import { currentTime } from "../runtime/clock.ts"
import { leasedMax } from "./forEachLeased.ts"

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
