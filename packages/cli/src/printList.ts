/** Prints a list page by page, with progress. */
import { Effect } from "effect"
import { type Column, table } from "./output.ts"
import { progress } from "./progress.ts"

/** The API's page limit. */
export const pageMax = 100

/** Prints the items of `next` until there are none, at most `limit`. Returns their number. */
export const printList = Effect.fnUntraced(function* <Item, E, R>(
  columns: ReadonlyArray<Column<Item>>,
  limit: number,
  next: (atMost: number) => Effect.Effect<ReadonlyArray<Item>, E, R>
) {
  const print = yield* table(columns)
  const report = yield* progress()
  let rows = 0
  while (rows < limit) {
    const some = yield* next(Math.min(limit - rows, pageMax))
    if (some.length === 0) break
    yield* print(some)
    rows += some.length
    yield* report(rows)
  }
  return rows
})
