/** Rows of payment links: found one by one or as a page, and written as changes with the version that they replace. */
import { LinkId, prefixes } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { PaymentLink, terms } from "@coffer/rules/link/PaymentLink"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { Stored } from "../aggregate/Aggregate.ts"
import { type Change, insert, update } from "../../platform/commit/Change.ts"
import { table } from "../../platform/commit/Table.ts"
import { batchedById } from "../../platform/postgres/batched.ts"
import { ListHorizon } from "../../platform/postgres/ListHorizon.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { along } from "../../platform/postgres/scans.ts"

export class LinkStore extends Context.Service<
  LinkStore,
  {
    readonly load: (linkId: string) => Effect.Effect<Option.Option<Stored<PaymentLink>>>
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
  fixed: Struct.keys(terms)
})

/** A new link as a change. */
export const insertion = (link: PaymentLink): Change => insert(paymentLinks, link, { version: 1 })

/** The link after a decision, replacing the version that was read. */
export const replacement = ({ version }: Stored<PaymentLink>, after: PaymentLink): Change =>
  update(paymentLinks, version, after, { version: version + 1 })

export const layer = Layer.effect(
  LinkStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const byId = batchedById(sql, {
      row: paymentLinks.row,
      idOf: (row) => String(row[paymentLinks.key]),
      select: (ids) => sql`select * from payment_links where link_id = any(${ids})`
    })
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
      load: (linkId) =>
        isLinkId(linkId)
          ? Effect.map(
              byId(linkId),
              Option.map((row) => ({ state: paymentLinks.read(row), version: row.version }))
            )
          : Effect.succeedNone,
      page: (account, request) => pages.page(account, request, { path: along({}), filters: [] })
    })
  })
)

const isLinkId = Schema.is(LinkId)
