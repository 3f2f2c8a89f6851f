/** What lists answer (spec: List conventions). A filter that does not exist is refused (silences: P13). */
import { disputeNamed } from "./disputes.ts"
import { currencies, type Account, named } from "./state.ts"
import { type Answer, type Fields, type Hole, invalid, ok, textLike, timeOf, type Time } from "./values.ts"
import { disputeView, endpointView, eventView, linkView, orderView, payoutView, refundView } from "./views.ts"
import { rowView, statusOf } from "./views.ts"

interface Listed {
  readonly no: Hole
  readonly at: number | Time
  readonly view: () => Fields
  /** The values of its filters. */
  readonly filters: Readonly<Record<string, string | ReadonlyArray<string | undefined> | undefined>>
}

interface List {
  readonly resource: string
  /** The filters with their allowed values; none: any text. */
  readonly filters: Readonly<Record<string, ReadonlyArray<string> | undefined>>
  readonly items: (account: Account) => ReadonlyArray<Listed>
}

const orderStatuses = [
  "pending",
  "paid",
  "partially_refunded",
  "refunded",
  "failed",
  "expired",
  "authorized",
  "canceled"
]
const rowTypes = [
  "payment_credit",
  "fee_debit",
  ...["freeze", "debit", "unfreeze"].map((step) => `refund_${step}`),
  ...["freeze", "unfreeze", "debit", "fee"].map((step) => `dispute_${step}`),
  ...["freeze", "unfreeze", "success", "fee"].map((step) => `payout_${step}`)
]

/** An operator reads the same lists with the environment, and the payouts (contract: Lookup). */
const byOperator = /^\/operator\/v1\/merchants\/[^/]+\/(\w+)$/
export const listPathOf = (path: string) => {
  const name = byOperator.exec(path)?.[1]
  return name === undefined ? path : name === "payouts" ? name : `/v1/${name}`
}
export const isList = (path: string) => listPathOf(path) in lists

const listed = (
  { no }: { readonly no: Hole },
  at: number | Time,
  view: () => Fields,
  filters: Listed["filters"] = {}
): Listed => ({ no, at, view, filters })

const lists: Readonly<Record<string, List>> = {
  "/v1/orders": {
    resource: "order",
    filters: { status: orderStatuses, out_trade_no: undefined },
    items: (account) =>
      account.orders.map((order) =>
        listed(order, order.createdAt, () => orderView(account, order), {
          status: statusOf(order),
          out_trade_no: order.ownNo ?? order.no.value,
          ...Object.fromEntries(Object.entries(order.metadata).map(([key, value]) => [`metadata[${key}]`, value]))
        })
      )
  },
  "/v1/refunds": {
    resource: "refund",
    filters: { status: ["pending", "succeeded", "failed"], trade_no: undefined, out_refund_no: undefined },
    items: (account) =>
      account.refunds.map((refund) =>
        listed(refund, refund.createdAt, () => refundView(account, refund), {
          status: refund.state,
          trade_no: refund.order.no.value,
          out_refund_no: refund.ownNo ?? refund.no.value
        })
      )
  },
  "/v1/disputes": {
    resource: "dispute",
    filters: { status: ["needs_response", "under_review", "won", "lost", "closed"], trade_no: undefined },
    items: (account) =>
      account.disputes.map((dispute) => {
        const filters = { status: dispute.state, trade_no: dispute.order.no.value }
        return listed(dispute, dispute.openedAt, () => disputeView(account, dispute), filters)
      })
  },
  "/v1/balance_transactions": {
    resource: "balance_transaction",
    filters: { type: rowTypes, currency: currencies, reference_id: undefined },
    items: (account) =>
      account.rows.map((row) => {
        const filters = { type: row.type, currency: row.currency, reference_id: row.of.no.value }
        return listed(row, row.at, () => rowView(account, row), filters)
      })
  },
  "/v1/events": {
    resource: "event",
    filters: { object_id: undefined },
    items: (account) =>
      account.events.map((event) =>
        listed(event, event.at, () => eventView(account, event), { object_id: event.of.no.value })
      )
  },
  "/v1/payment_links": {
    resource: "payment_link",
    filters: {},
    items: (account) => account.links.map((link) => listed(link, link.createdAt, () => linkView(account, link)))
  },
  payouts: {
    resource: "payout",
    filters: {},
    items: (account) => account.payouts.map((each) => listed(each, each.createdAt, () => payoutView(account, each)))
  },
  "/v1/webhook_endpoints": {
    resource: "webhook_endpoint",
    filters: {},
    items: (account) => account.endpoints.map((each) => listed(each, each.createdAt, () => endpointView(account, each)))
  }
}

const objectNamed = (account: Account, ref: string) =>
  (named(account.orders, ref) ?? named(account.refunds, ref) ?? disputeNamed(account, ref))?.no.value

/** A filter takes the same numbers as an object's path (silences: P17). */
const platformNo: Readonly<Record<string, typeof objectNamed>> = {
  trade_no: (account, ref) => named(account.orders, ref)?.no.value,
  reference_id: objectNamed,
  object_id: objectNamed
}

/** An operator gets no address that opens a buyer's page. */
const withoutTokens = (view: Fields): Fields => {
  const hidden = (name: string, value: unknown) => {
    if (name === "data" || name === "object") return typeof value === "object" ? withoutTokens(value as Fields) : value
    const isPage = (name === "checkout_url" || name === "receipt_url") && value !== null
    return isPage ? textLike(/\/(checkout|receipts)\/\[redacted\]$/) : value
  }
  return Object.fromEntries(Object.entries(view).map(([name, value]) => [name, hidden(name, value)]))
}

const momentOf = (text: string, isEnd: boolean): number | undefined => {
  if (/^\d+$/.test(text)) return text.length > 12 ? undefined : Number(text) * 1000 + (isEnd ? 999 : 0)
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text)) ? Date.parse(text) : undefined
}

const common = ["limit", "starting_after", "ending_before", "created[gte]", "created[lte]"]

export const listOf = (account: Account, path: string, query: URLSearchParams): Answer | undefined => {
  const list = lists[listPathOf(path)]
  if (list === undefined) return undefined
  const isOperators = byOperator.test(path)
  const wrongMode = isOperators && query.get("mode") !== "sandbox" ? ["mode"] : []
  query.delete("mode")
  const isMetadata = (name: string) => path === "/v1/orders" && /^metadata\[.+\]$/.test(name)
  const items = list.items(account).toReversed()
  const placeOf = (cursor: string) => items.findIndex(({ no }) => no.value === cursor)
  const limit = query.get("limit") ?? "20"
  const after = query.get("starting_after")
  const before = query.get("ending_before")
  const isWrong = (name: string, value: string): boolean => {
    if (name === "limit") return !/^\d+$/.test(value) || Number(value) < 1 || Number(value) > 100
    if (name.startsWith("created[")) return momentOf(value, false) === undefined
    if (name === "starting_after" || name === "ending_before") return placeOf(value) === -1
    return list.filters[name]?.includes(value) === false
  }
  const wrong = [...query.entries()].filter(
    ([name, value]) => (!common.includes(name) && !(name in list.filters) && !isMetadata(name)) || isWrong(name, value)
  )
  if (wrong.length + wrongMode.length > 0) return invalid(...wrongMode, ...wrong.map(([name]) => name))
  if (after !== null && before !== null) return { status: 400, error: "invalid_request" }
  const part =
    after !== null ? items.slice(placeOf(after) + 1) : before !== null ? items.slice(0, placeOf(before)) : items
  const from = momentOf(query.get("created[gte]") ?? "0", false)!
  const to = momentOf(query.get("created[lte]") ?? "99999999999", true)!
  const wanted = [...query.entries()].filter(([name]) => !common.includes(name))
  const found = part.filter(
    ({ at, filters }) =>
      timeOf(at).value! >= from &&
      timeOf(at).value! <= to &&
      wanted.every(([name, value]) => filters[name] === (platformNo[name]?.(account, value) ?? value))
  )
  const size = Number(limit)
  const page = before === null ? found.slice(0, size) : found.slice(-size)
  return ok({
    object: "list",
    resource: list.resource,
    has_more: found.length > size,
    url: path,
    data: page.map(({ view }) => (isOperators ? withoutTokens(view()) : view()))
  })
}
