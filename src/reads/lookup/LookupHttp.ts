/**
 * Handlers of the operator's `lookup` group (docs/architecture.md, section 7): a merchant's lists through the front
 * doors that the merchant itself asks, all of them on one page, and the search. Tokens of pages are cut.
 */
import { foundMax, overviewDisputes, overviewRows } from "@coffer/contract/Lookup"
import { OperatorApi } from "@coffer/contract/Operator"
import { pageSizeMax } from "@coffer/model/Limits"
import { Currency } from "@coffer/model/Money"
import type { Mode } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { Page } from "@coffer/rules/lists/pageRequest"
import { redact } from "@coffer/rules/redaction"
import { Effect, identity } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Disputes } from "../../money/disputes/Disputes.ts"
import { disputeView } from "../../money/disputes/DisputeView.ts"
import { EventLists, type StoredEvent } from "../../webhooks/events/EventLists.ts"
import { commonRefusals } from "../../shared/http/refusals.ts"
import { reply, replyList } from "../../shared/http/replies.ts"
import { Links } from "../../money/links/Links.ts"
import { linkView } from "../../money/links/LinkView.ts"
import { logView } from "../../shared/logs/LogView.ts"
import { Logs } from "../../shared/logs/Logs.ts"
import { merchantRefusals } from "../../access/merchants/merchantRefusals.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { MerchantClocks } from "../../platform/runtime/MerchantClocks.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { Refunds } from "../../money/refunds/Refunds.ts"
import { refundView } from "../../money/refunds/RefundView.ts"
import { ShopHosts } from "../../shared/signedUrls/ShopHosts.ts"
import { Wallets } from "../../money/wallets/Wallets.ts"
import { balanceTransactionView, balanceView } from "../../money/wallets/WalletView.ts"
import { Deliveries } from "../../webhooks/deliveries/Deliveries.ts"
import { deliveryView } from "../../webhooks/deliveries/DeliveryView.ts"
import { WebhookEndpoints } from "../../webhooks/deliveries/WebhookEndpoints.ts"
import { Search } from "./Search.ts"

const refusals = { ...commonRefusals, ...merchantRefusals }

interface LookupRequest {
  readonly params: { readonly merchant_id: string }
  readonly query: { readonly mode: Mode }
}

/** How one of a merchant's lists is read and shown. */
interface Shown<Query, Item> {
  readonly resource: string
  readonly path: string
  readonly page: (account: Account, query: Query) => Effect.Effect<Page<Item>, InvalidField>
  readonly view: (item: Item) => object
  readonly extra?: object
}

export const layer = HttpApiBuilder.group(
  OperatorApi,
  "lookup",
  Effect.fnUntraced(function* (handlers) {
    const merchants = yield* Merchants
    const clocks = yield* MerchantClocks
    const search = yield* Search
    const lists = yield* listsOf
    const overview = yield* overviewOf(lists)

    const ownerOf = Effect.fnUntraced(function* ({ params, query: { mode } }: LookupRequest) {
      const { merchant_id: merchantId } = yield* merchants.find(params.merchant_id)
      return { merchantId, mode }
    })

    /** The merchant's clock says how long its API logs are kept. */
    const list = <Query, Item>(name: string, { extra = {}, page, path, resource, view }: Shown<Query, Item>) =>
      span(`lookup.${name}`)(function* (request: LookupRequest) {
        const account = yield* ownerOf(request)
        const { mode: _, ...query } = request.query
        // The contract makes the filters of these lists from those of the merchant's own.
        const found = yield* clocks.within(account, page(account, query as Query))
        return yield* replyList(resource, `/operator/v1/merchants/${account.merchantId}/${path}`, found, view, extra)
      }, Effect.catchTags(refusals))

    return handlers.handleAll({
      overview: span("lookup.overview")(function* (request) {
        const account = yield* ownerOf(request)
        return yield* reply(yield* clocks.within(account, overview(account)))
      }, Effect.catchTags(refusals)),
      search: span("lookup.search")(function* ({ query }) {
        const found = yield* search.find(query)
        const page = { data: found.slice(0, foundMax), hasMore: found.length > foundMax }
        return yield* replyList("found", "/operator/v1/search", page, (one) => ({ object: "found", ...one }))
      }),
      refunds: list("refunds", lists.refunds),
      disputes: list("disputes", lists.disputes),
      paymentLinks: list("paymentLinks", lists.paymentLinks),
      balanceTransactions: list("balanceTransactions", lists.balanceTransactions),
      events: list("events", lists.events),
      webhookEndpoints: list("webhookEndpoints", lists.webhookEndpoints),
      logs: list("logs", lists.logs)
    })
  })
)

/** Addresses of pages carry tokens, which are the merchant's and the buyer's. */
const eventView = ({ body }: StoredEvent) => redact(body) as object

const defineList = <Query, Item>(list: Shown<Query, Item>) => list

const listsOf = Effect.gen(function* () {
  const refunds = yield* Refunds
  const disputes = yield* Disputes
  const links = yield* Links
  const wallets = yield* Wallets
  const events = yield* EventLists
  const endpoints = yield* WebhookEndpoints
  const logs = yield* Logs
  const { keep } = yield* Settings
  const { baseOf } = yield* ShopHosts
  return {
    refunds: defineList({ resource: "refund", path: "refunds", page: refunds.page, view: refundView }),
    disputes: defineList({ resource: "dispute", path: "disputes", page: disputes.page, view: disputeView }),
    paymentLinks: defineList({
      resource: "payment_link",
      path: "payment_links",
      page: links.page,
      view: (link) => linkView(link, baseOf(link.merchantId))
    }),
    balanceTransactions: defineList({
      resource: "balance_transaction",
      path: "balance_transactions",
      page: wallets.ledger,
      view: balanceTransactionView
    }),
    events: defineList({ resource: "event", path: "events", page: events.page, view: eventView }),
    webhookEndpoints: defineList({
      resource: "webhook_endpoint",
      path: "webhook_endpoints",
      page: endpoints.page,
      view: identity
    }),
    logs: defineList({
      resource: "api_log",
      path: "logs",
      page: logs.page,
      view: logView,
      extra: { retention_days: keep.apiLogDays }
    })
  }
})

const newest = { limit: overviewRows }
const all = { limit: pageSizeMax }
const waiting = { status: "needs_response", limit: overviewDisputes } as const

const overviewOf = Effect.fnUntraced(function* (lists: Effect.Success<typeof listsOf>) {
  const { balanceTransactions, disputes, events, logs, refunds, webhookEndpoints } = lists
  const wallets = yield* Wallets
  const deliveries = yield* Deliveries
  const some = <Query, Item>({ page, view }: Shown<Query, Item>, account: Account, query: Query) =>
    Effect.map(page(account, query), ({ data }) => data.map(view))

  return (account: Account) =>
    Effect.all(
      {
        object: Effect.succeed("merchant_overview"),
        merchant_id: Effect.succeed(account.merchantId),
        mode: Effect.succeed(account.mode),
        balances: Effect.forEach(Currency.literals, (currency) =>
          Effect.map(wallets.balance({ ...account, currency }), balanceView)
        ),
        balance_transactions: some(balanceTransactions, account, newest),
        refunds: some(refunds, account, newest),
        disputes: Effect.map(disputes.page(account, waiting), ({ data }) =>
          data.map(disputeView).toSorted((a, b) => (a.evidence_due_by ?? "").localeCompare(b.evidence_due_by ?? ""))
        ),
        events: some(events, account, newest),
        webhook_endpoints: some(webhookEndpoints, account, all),
        failed_deliveries: Effect.map(deliveries.page(account, { status: "failed", ...newest }), ({ data }) =>
          data.map(deliveryView)
        ),
        api_logs: some(logs, account, newest)
      },
      // The pool is shared by all.
      { concurrency: 2 }
    )
})
