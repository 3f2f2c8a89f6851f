/**
 * The request for a page of a list, read from the text of its query (spec: List conventions; silences: P1, P2). Pure.
 */
import { createdAtOf } from "@coffer/model/Ids"
import { pageSizeDefault, pageSizeMax, pageSizeMin } from "@coffer/model/Limits"
import type { Sort } from "@coffer/model/Sort"
import { isWritable } from "@coffer/model/Times"
import { type DateTime, Result } from "effect"
import { InvalidField } from "../InvalidField.ts"
import { type CreatedRange, readCreated } from "./created.ts"

/** The raw parameters. A `limit` that is still text is invalid. */
export interface ListParameters {
  readonly limit?: number | string
  readonly starting_after?: string
  readonly ending_before?: string
  readonly "created[gte]"?: string
  readonly "created[lte]"?: string
  readonly sort?: Sort
}

export interface PageRequest {
  readonly limit: number
  readonly cursor: Cursor | undefined
  readonly created: CreatedRange
  readonly sort?: Sort | undefined
}

/** The position of the page: after the cursor's object in the list's order, or just before it (silences: P3). */
export interface Cursor {
  readonly param: "starting_after" | "ending_before"
  readonly id: string
}

export const readPageRequest = (query: ListParameters): Result.Result<PageRequest, InvalidField> => {
  const { ending_before: before, limit = pageSizeDefault, starting_after: after } = query
  if (typeof limit === "string")
    return refuse(
      "limit",
      `must be a whole number from ${pageSizeMin} to ${pageSizeMax}. For the next page send starting_after`
    )
  if (after !== undefined && before !== undefined) {
    return refuse("ending_before", "cannot be sent together with starting_after. Send one of them")
  }
  const cursor = cursorOf(after, before)
  if (cursor !== undefined && !isNumber(cursor.id))
    return refuse(cursor.param, "is not the id of an object. Send that of the last object of the page before")
  return Result.map(readCreated(query), (created) => ({
    limit,
    cursor,
    created,
    ...(query.sort === undefined ? {} : { sort: query.sort })
  }))
}

const cursorOf = (after: string | undefined, before: string | undefined): Cursor | undefined => {
  if (after !== undefined) return { param: "starting_after", id: after }
  return before === undefined ? undefined : { param: "ending_before", id: before }
}

/**
 * Whether this may be one of our numbers, so that stores need not check what Postgres can store.
 */
const isNumber = (id: string): boolean => /^\w{1,100}$/.test(id) && isWritable(createdAtOf(id))

const refuse = (param: string, problem: string) => Result.fail(new InvalidField({ param, problem }))

export interface Page<Item> {
  /** In the order of the list, whatever the direction. */
  readonly data: ReadonlyArray<Item>
  /** Whether there is more in the direction of the page. */
  readonly hasMore: boolean
  /** Of a page by amount: which rows were sorted. */
  readonly sorted?: Sorted | undefined
}

/** The rows that were sorted by amount, by the times of their creation; `isWhole` if no older one was left out. */
export interface Sorted {
  readonly from: DateTime.Utc
  readonly to: DateTime.Utc
  readonly isWhole: boolean
}

/** `found`: the items in the order away from the cursor. One more than the page holds means that there is more. */
export const pageOf = <Item>(found: ReadonlyArray<Item>, { cursor, limit }: PageRequest): Page<Item> => {
  const data = found.slice(0, limit)
  return { data: cursor?.param === "ending_before" ? data.toReversed() : data, hasMore: found.length > limit }
}
