/** The input of an operation, and the type of operations. */
import type { Parameters } from "../facts/roots.ts"
import type { Book } from "../state/Book.ts"
import type { World } from "../state/World.ts"
import type { Outcome } from "../wire/failure.ts"

export interface Call {
  readonly world: World
  readonly book: Book
  /** From the path; empty if the operation has none. */
  readonly id: string
  /** The requested path. */
  readonly path: string
}

export interface Operation<P> {
  /** The supported parameters. Stripe's other parameters are refused by name. */
  readonly simulates: ReadonlyArray<keyof P>
  readonly run: (call: Call, params: P) => Outcome<object>
}

export type OperationName = keyof Parameters
export type Operations<K extends OperationName> = { readonly [Name in K]: Operation<Parameters[Name]> }
