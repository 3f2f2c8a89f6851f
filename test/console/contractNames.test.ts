/**
 * The names in the console's calls are the contract's. The compiler is the judge here: `npm run types` fails where a
 * line below compiles that should not.
 */
import { globSync, readFileSync } from "node:fs"
import type { RefundQuery, RefundResource } from "@coffer/contract/Refunds"
import { assert, it } from "@effect/vitest"
import type { TextQuery, PageAtom } from "../../packages/console/src/api/lists.ts"
import { sent } from "../../packages/console/src/api/sent.ts"
import type { Column, ListBy } from "../../packages/console/src/parts/ListPage.tsx"

it("a filter, a query, a column or a body with a name that the contract does not have does not compile", () => {
  const list: Pick<ListBy<RefundResource, RefundQuery>, "filters"> = {
    filters: [
      { name: "out_refund_no", label: "" },
      // @ts-expect-error there is no such filter
      { name: "refund_reference", label: "" }
    ]
  }
  const query: TextQuery<RefundQuery> = {
    status: "pending",
    // @ts-expect-error there is no such filter
    state: "pending"
  }
  const column: Column<RefundResource> = {
    id: "reason",
    name: "",
    text: ({ reason }) => reason ?? "",
    // @ts-expect-error there is no such field
    cell: ({ refund_reason }) => refund_reason
  }
  // @ts-expect-error there is no such field
  const body = sent<RefundQuery, { readonly state: string }>({ state: "pending" })
  // @ts-expect-error an order is no refund
  const page = (orders: PageAtom<{ readonly trade_no: string }>): PageAtom<RefundResource> => orders
  assert.isTrue([list, query, column, body, page].every((value) => value !== undefined))
})

it("no file of the console casts a value to what is wanted of it", () => {
  const casts = globSync("packages/console/src/**/*.{ts,tsx}").filter((file) =>
    /\bas (never|any)\b/.test(readFileSync(file, "utf8").replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, ""))
  )
  assert.deepStrictEqual(casts, [])
})
