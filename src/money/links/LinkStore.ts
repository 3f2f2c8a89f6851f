/** Rows of payment links: found one by one or as a page, and written as changes with the version that they replace. */
import { LinkId, prefixes } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { PaymentLink, terms } from "@coffer/rules/link/PaymentLink"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { makeObjectChanges, makeObjectRows, type ObjectRows } from "../aggregate/objectRows.ts"
import { table } from "../../platform/commit/Table.ts"
import { ListHorizon } from "../../platform/postgres/ListHorizon.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { along } from "../../platform/postgres/scans.ts"

export class LinkStore extends Context.Service<
  LinkStore,
  Pick<ObjectRows<PaymentLink>, "load"> & {
    /** Newest first. */
    readonly page: (account: Account, request: PageRequest) => Effect.Effect<Page<PaymentLink>, InvalidField>
  }
>()("@coffer/links/LinkStore") {}

export const paymentLinks = table("payment_links", {
  place: 10,
  listed: true,
  of: PaymentLink,
  extra: { version: Schema.Int },
  key: "linkId",
  version: "version",
  fixed: [...Struct.keys(terms), "capture"]
})

export const { insertion, replacement } = makeObjectChanges(paymentLinks, (_, version) => ({ version }))

export const layer = Layer.effect(
  LinkStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { load } = makeObjectRows(sql, paymentLinks, { isId: isLinkId, isBatched: true })
    const pages = Pages.make(
      sql,
      {
        table: paymentLinks,
        prefixOf: () => prefixes.link,
        called: "a payment link"
      },
      yield* ListHorizon
    )
    return LinkStore.of({
      // A text that cannot be a number is not looked up: Postgres refuses a text with NUL.
      load: (linkId) => (isLinkId(linkId) ? load(linkId) : Effect.succeedNone),
      page: (account, request) => pages.page(account, request, { path: along({}), filters: [] })
    })
  })
)

const isLinkId = Schema.is(LinkId)
