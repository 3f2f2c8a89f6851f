/**
 * The request for a page of a list, read from the text of its query (spec: List conventions; silences: P1, P2). Pure.
 */
import { createdAtOf } from "@coffer/model/Ids"
import { pageSizeDefault, pageSizeMax, pageSizeMin } from "@coffer/model/Limits"
import { isWritable } from "@coffer/model/Times"
import { Result } from "effect"
import { InvalidField } from "../InvalidField.ts"
import { type CreatedRange, readCreated } from "./created.ts"

/** Parameters as they came. A `limit` that is still text is none that a page can have. */
export interface ListParameters {
  readonly limit?: number | string
  readonly starting_after?: string
  readonly ending_before?: string
  readonly "created[gte]"?: string
  readonly "created[lte]"?: string
}

export interface PageRequest {
  readonly limit: number
  readonly cursor: Cursor | undefined
  readonly created: CreatedRange
}

/** Where the page lies: what is older than the cursor's object, or what is just newer (silences: P3). */
export interface Cursor {
  readonly param: "starting_after" | "ending_before"
  readonly id: string
}

export const readPageRequest = (query: ListParameters): Result.Result<PageRequest, InvalidField> => {
  const { ending_before: before, limit = pageSizeDefault, starting_after: after } = query
  if (typeof limit === "string") return refuse("limit", `Expected an integer from ${pageSizeMin} to ${pageSizeMax}`)
  if (after !== undefined && before !== undefined) {
    return refuse("ending_before", "cannot be sent together with starting_after")
  }
  const cursor = cursorOf(after, before)
  if (cursor !== undefined && !isNumber(cursor.id)) return refuse(cursor.param, "is not the id of an object")
  return Result.map(readCreated(query), (created) => ({ limit, cursor, created }))
}

const cursorOf = (after: string | undefined, before: string | undefined): Cursor | undefined => {
  if (after !== undefined) return { param: "starting_after", id: after }
  return before === undefined ? undefined : { param: "ending_before", id: before }
}

/**
 * Whether anything of ours may be numbered so. No store has to ask what Postgres can keep, or which years it can say.
 */
const isNumber = (id: string): boolean => /^\w{1,100}$/.test(id) && isWritable(createdAtOf(id))

const refuse = (param: string, problem: string) => Result.fail(new InvalidField({ param, problem }))

export interface Page<Item> {
  /** Newest first, whichever way the page was reached. */
  readonly data: ReadonlyArray<Item>
  /** Whether there is more on the side the page was reached towards. */
  readonly hasMore: boolean
}

/** `found`: the items in the order away from the cursor. One more than the page holds says that there is more. */
export const pageOf = <Item>(found: ReadonlyArray<Item>, { cursor, limit }: PageRequest): Page<Item> => {
  const data = found.slice(0, limit)
  return { data: cursor?.param === "ending_before" ? data.toReversed() : data, hasMore: found.length > limit }
}
