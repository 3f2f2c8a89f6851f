/** A page of a list that is short enough to be in memory, by the rules of every list (spec: List conventions). Pure. */
import { DateTime, Result } from "effect"
import { InvalidField } from "../InvalidField.ts"
import { type Page, pageOf, type PageRequest } from "./pageRequest.ts"

interface Item {
  readonly id: string
  readonly createdAt: DateTime.Utc
}

/** `called`: the object that a cursor has to name, for people. */
export const pageOfAll = <One extends Item>(
  items: ReadonlyArray<One>,
  request: PageRequest,
  called: string
): Result.Result<Page<One>, InvalidField> => {
  const {
    created: { from, to },
    cursor
  } = request
  if (cursor !== undefined && !items.some(({ id }) => id === cursor.id)) {
    return Result.fail(
      new InvalidField({
        param: cursor.param,
        problem: `is not the id of ${called}. Send one of a page`
      })
    )
  }
  const newer = cursor?.param === "ending_before"
  const isBeyond = (id: string) => cursor === undefined || (newer ? id > cursor.id : id < cursor.id)
  const found = items
    .filter(({ id }) => isBeyond(id))
    .filter(({ createdAt }) => from === undefined || DateTime.isGreaterThanOrEqualTo(createdAt, from))
    .filter(({ createdAt }) => to === undefined || DateTime.isLessThanOrEqualTo(createdAt, to))
    .toSorted((a, b) => ((newer ? a.id < b.id : a.id > b.id) ? -1 : 1))
  return Result.succeed(pageOf(found, request))
}
