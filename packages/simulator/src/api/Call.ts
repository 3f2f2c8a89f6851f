/** The input of an operation, and the form in which one is written. */
import type { Parameters } from "../facts/roots.ts"
import type { Book } from "../state/Book.ts"
import type { World } from "../state/World.ts"
import type { Outcome } from "../wire/failure.ts"

export interface Call {
  readonly world: World
  readonly book: Book
  /** From the path; empty if the operation has none. */
  readonly id: string
  /** The path as it was asked. */
  readonly path: string
}

export interface Operation<P> {
  /** The parameters that have an effect here. Others that Stripe knows are refused by name. */
  readonly simulates: ReadonlyArray<keyof P>
  readonly run: (call: Call, params: P) => Outcome<object>
}

export type OperationName = keyof Parameters
export type Operations<K extends OperationName> = { readonly [Name in K]: Operation<Parameters[Name]> }
