/** Wallets, the ledger and the events (spec: Wallet balance; Balance transaction; Events). */
import { amountPaid, disputeView, orderView, refundView } from "./views.ts"
import type { Account, Currency, Dispute, Endpoint, Order, Payout, Receiver, Refund, Row, Wallet } from "./state.ts"
import { currencies, newNo } from "./state.ts"
import { type Answer, type Check, days, type Fields, ok, Part, timeOf, type When } from "./values.ts"

export const walletOf = (account: Account, currency: Currency): Wallet => {
  const wallet = account.wallets.get(currency)
  if (wallet !== undefined) return wallet
  const nothing = { available: 0, frozen: 0, revenue: 0, fee: 0, payout: 0, refund: 0 }
  const fresh = { ...nothing, updatedAt: timeOf(account.createdAt) }
  account.wallets.set(currency, fresh)
  return fresh
}

type Total = Exclude<keyof Wallet, "updatedAt">

/** The factors of a movement for the available and the frozen balance, and the total that counts it. */
const effects: Readonly<Record<string, (amount: number) => Partial<Record<Total, number>>>> = {
  payment_credit: (amount) => ({ available: amount, revenue: amount }),
  fee_debit: (amount) => ({ available: amount, fee: -amount }),
  refund_freeze: (amount) => ({ available: amount, frozen: -amount }),
  refund_debit: (amount) => ({ frozen: amount, refund: -amount }),
  refund_at_once: (amount) => ({ available: amount, refund: -amount }),
  refund_unfreeze: (amount) => ({ available: amount, frozen: -amount }),
  refund_reversed: (amount) => ({ available: amount, refund: -amount }),
  dispute_freeze: (amount) => ({ available: amount, frozen: -amount }),
  dispute_unfreeze: (amount) => ({ available: amount, frozen: -amount }),
  dispute_appealed: (amount) => ({ available: amount }),
  dispute_debit: (amount) => ({ frozen: amount }),
  dispute_fee: (amount) => ({ available: amount, fee: -amount }),
  payout_freeze: (amount) => ({ available: amount, frozen: -amount }),
  payout_unfreeze: (amount) => ({ available: amount, frozen: -amount }),
  payout_success: (amount) => ({ frozen: amount, payout: -amount }),
  payout_fee: (amount) => ({ available: amount, fee: -amount })
}

/** Three movements have no type of their own (silences: R7, R9, D8). */
const typeOf: Readonly<Record<string, string>> = {
  refund_at_once: "refund_debit",
  refund_reversed: "refund_unfreeze",
  dispute_appealed: "dispute_unfreeze"
}

export const post = (
  account: Account,
  when: When,
  of: Order | Refund | Dispute | Payout,
  movements: ReadonlyArray<readonly [effect: string, amount: number]>
) => {
  const at = timeOf(when)
  const order = "taken" in of ? of : "order" in of ? of.order : undefined
  const currency = "currency" in of ? of.currency : of.order.currency
  const wallet = walletOf(account, currency)
  for (const [effect, amount] of movements) {
    const before = wallet.available
    for (const [part, by] of Object.entries(effects[effect]!(amount))) wallet[part as Total] += by
    wallet.updatedAt = at
    const type = typeOf[effect] ?? effect
    account.rows.push({ no: newNo.row(), type, currency, amount, before, after: wallet.available, of, order, at })
  }
}

export const emit = (account: Account, when: When, type: string, of: Order | Refund | Dispute) => {
  const order = "taken" in of ? of : of.order
  const object =
    "taken" in of ? orderView(account, of) : "requested" in of ? refundView(account, of) : disputeView(account, of)
  account.events.push({
    no: newNo.event(),
    type,
    at: timeOf(when),
    of,
    order,
    object,
    later: [],
    former: [],
    receivers: receiversOf(account, type, order)
  })
}

/** An order's own address, or every endpoint that is subscribed (spec: Routing). Paused ones get it later. */
const receiversOf = ({ endpoints }: Account, type: string, { notifyUrl }: Order): ReadonlyArray<Receiver> =>
  notifyUrl !== null
    ? [{ url: notifyUrl, endpoint: undefined, isSure: true }]
    : endpoints
        .filter(({ status, types }) => status !== "disabled" && (types.includes("*") || types.includes(type)))
        .map((endpoint) => ({ url: endpoint.url, endpoint, isSure: endpoint.status === "enabled" }))

/** What follows may overtake the posts of an endpoint that was changed. */
export const makeUnsure = ({ events }: Account, endpoint: Endpoint) => {
  for (const { receivers } of events) {
    for (const receiver of receivers) if (receiver.endpoint === endpoint) receiver.isSure = false
  }
}

/** The amount that refunds and payouts may use: the fees of payouts under way are promised (silences: B10). */
export const usable = (account: Account, currency: Currency) =>
  account.payouts
    .filter((payout) => payout.currency === currency && (payout.state === "requested" || payout.state === "approved"))
    .reduce((left, { fee }) => left - fee, walletOf(account, currency).available)

/**
 * The statement of days in UTC until now: for each wallet its balances at both ends, and the totals of its movements by
 * type.
 */
export const statementOf = (account: Account, now: number, query: URLSearchParams): Answer => {
  const { from, to } = daysOf(now, query)
  const lines: Check = (actual) => {
    for (const currency of currencies) {
      const rows = account.rows.filter((row) => row.currency === currency && row.at.value! < to)
      const inside = rows.filter(({ at }) => at.value! >= from)
      const totals = [...new Set(inside.map(({ type }) => type))].map((line) => {
        const amounts = inside.filter(({ type }) => type === line).map(({ amount }) => amount)
        return `${line} ${amounts.length} ${amounts.reduce((sum, amount) => sum + amount, 0)}`
      })
      const before = rows.findLast(({ at }) => at.value! < from)?.after ?? 0
      const wanted = [...totals, `opening ${before}`, `closing ${rows.at(-1)?.after ?? 0}`].toSorted().join()
      const shown = (actual as ReadonlyArray<Fields>)
        .filter((line) => line["currency"] === currency)
        .map(({ amount, available, count, line }) =>
          line === "opening" || line === "closing" ? `${line} ${available}` : `${line} ${count} ${amount}`
        )
      if (shown.toSorted().join() !== wanted && (shown.length > 0 || rows.length > 0)) return `${currency}: ${wanted}`
    }
    return undefined
  }
  return ok(new Part({ object: "statement", merchant_id: account.merchantId, mode: "sandbox", lines }))
}

/** The last moment of a day in UTC, or now. */
const daysOf = (now: number, query: URLSearchParams) => ({
  from: Date.parse(`${query.get("from")}T00:00:00Z`),
  to: Math.min(now, Date.parse(`${query.get("to") ?? query.get("from")}T00:00:00Z`) + days)
})

const feeRows: Readonly<Record<string, string>> = { fee_debit: "payment", dispute_fee: "dispute", payout_fee: "payout" }

/** The fees of days, by what they were charged for and how the buyer paid. */
export const feesOf = (account: Account, now: number, query: URLSearchParams): Answer => {
  const { from, to } = daysOf(now, query)
  const sums = new Map<string, { count: number; volume: number; fee: number }>()
  for (const { amount: fee, at, currency, of, order, type } of account.rows) {
    if (!(type in feeRows) || at.value! < from || at.value! >= to) continue
    const key = `${currency} ${feeRows[type]} ${order?.own?.method ?? null}`
    const sum = sums.get(key) ?? { count: 0, volume: 0, fee: 0 }
    const amount = "own" in of ? amountPaid(of as Order) : (of as Dispute | Payout).amount
    sums.set(key, { count: sum.count + 1, volume: sum.volume + amount, fee: sum.fee - fee })
  }
  const lines = [...sums].map(([key, { count, fee, volume }]) => `${key} ${count} ${volume} ${fee}`)
  return reportOf(account, "fees_report", lines, (line) =>
    ["currency", "source", "payment_method", "count", "volume", "fee"].map((name) => String(line[name])).join(" ")
  )
}

/** What holds money, and the frozen balance of each wallet, up to this moment: what moves in it comes after. */
export const frozenOf = (account: Account, now: number): Answer => {
  const rows = account.rows.filter(({ at }) => at.value! < now)
  const isFreeze = ({ type }: Row) => type.endsWith("_freeze")
  const hasEnded = ({ of }: Row) => rows.some((row) => row.of === of && !isFreeze(row))
  const held = rows.filter((row) => isFreeze(row) && !hasEnded(row))
  const lines = held.map(
    ({ amount, currency, of, type }) => `${currency} ${type.split("_")[0]} ${of.no.value} ${-amount}`
  )
  const totals = currencies.map((currency) => {
    const amounts = held.filter((row) => row.currency === currency).map(({ amount }) => amount)
    return `${currency} total null ${amounts.reduce((sum, amount) => sum - amount, 0)}`
  })
  const isMoved = (line: string) => !line.endsWith(" 0")
  return reportOf(account, "frozen_report", [...lines, ...totals.filter(isMoved)], (line) => {
    const text = ["currency", "kind", "number", "amount"].map((name) => String(line[name])).join(" ")
    return isMoved(text) ? text : undefined
  })
}

/** The lines of a report in any order. */
const reportOf = (
  { merchantId }: Account,
  object: string,
  lines: ReadonlyArray<string>,
  textOf: (line: Fields) => string | undefined
): Answer => {
  const wanted = lines.toSorted().join()
  const check: Check = (actual) => {
    const shown = (actual as ReadonlyArray<Fields>).map(textOf).filter((text) => text !== undefined)
    return shown.toSorted().join() === wanted ? undefined : wanted
  }
  return ok(new Part({ object, merchant_id: merchantId, mode: "sandbox", lines: check }))
}
