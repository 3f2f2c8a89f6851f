/**
 * Pages of lists, as the contract types them. Filter names are the contract's, and any other does not compile. Their
 * values are texts from the address bar, which the client's schema checks when it encodes them.
 */
import type { ListQuery } from "@coffer/contract/Lists"
import type * as AsyncResult from "effect/reactivity/AsyncResult"
import type * as Atom from "effect/reactivity/Atom"
import type * as Schema from "effect/Schema"

/** The query of a list as the address has it: filters, a cursor and a size. */
export type Query = Readonly<Record<string, string>>

/** The query of a list without filters. */
export type PlainQuery = Schema.Struct<typeof ListQuery>["Type"]

/** The part of a list's answer that pages read. */
export interface Page<Row> {
  readonly data: {
    readonly data: ReadonlyArray<Row>
    readonly has_more: boolean
    /** Of a page by amount: which rows were sorted. */
    readonly sorted?: { readonly from: string; readonly to: string; readonly is_whole: boolean }
  }
}

/** The contract's query of a list, with a text for each value. */
export type TextQuery<Wanted> = { readonly [Name in keyof Wanted & string]?: string }

type Answers<Answer, E> = Atom.Atom<AsyncResult.AsyncResult<Answer, E>>

export type PageAtom<Row> = Answers<Page<Row>, unknown>

/** The atom of a page. The same query gives the same atom. */
export type PageOf<Row, Wanted> = (query: TextQuery<Wanted>) => PageAtom<Row>

/** These texts as the contract's query. */
export const asQuery = <Wanted>(query: TextQuery<Wanted>): Wanted => query as Wanted

/** Narrows an answer: no page requests the file of `format=csv`. */
export const withoutFile = <Answer, E>(answers: Answers<Answer, E>) =>
  answers as Answers<Extract<Answer, { readonly data: unknown }>, E>
