/** Requests at the baseline: the variants that process them, and their results. */
import type { Pool } from "pg"
import type { Keyed } from "../rivals/idempotency.ts"
import { statements } from "./statements.ts"
import { run } from "./transaction.ts"

/** `script`: one statement after another. `at-once`: as few statements as Postgres allows. */
export type Variant = "script" | "at-once"

/** The refusal that a caller gets instead of an order. */
export class Refused extends Error {
  readonly code: number
  readonly error: string
  constructor(code: number, error: string, message: string) {
    super(message)
    this.code = code
    this.error = error
  }
}

export interface Answer {
  readonly code: number
  readonly data: object
  readonly replayed?: boolean
}

/** A request's Idempotency-Key, if it has one. */
export type Key = Keyed | undefined

/** The key is in use, so the whole transaction is rolled back. */
export class KeyTaken extends Error {}

/** The answer that was stored for a key. `row` is the row that this request would have stored. */
export const replay = async (pool: Pool, row: ReadonlyArray<unknown>): Promise<Answer> => {
  const { rows } = await run(pool, statements.findKey, [row[0]])
  if (rows.length === 0) throw new Refused(409, "idempotency_in_progress", "The first request has not ended.")
  if (rows[0].fingerprint !== row[4]) throw new Refused(422, "idempotency_error", "The key came with another body.")
  return { code: rows[0].status, data: JSON.parse(rows[0].data), replayed: true }
}
