/** Compares a merchant's lists and wallets with the oracle's state. */
import { walletOf } from "../books.ts"
import { type Account, currencies, type Happening } from "../state.ts"
import { eventView, rowView, walletView } from "../views.ts"
import { type Difference, differenceOf } from "./compare.ts"

type Read = (path: string) => Promise<unknown>
type Shown = Readonly<Record<string, unknown>>

/** New events, new rows of the ledger, and the wallets that they moved. `lately`: of what should have something new. */
export const booksDiffer = async (account: Account, read: Read, lately = false): Promise<Difference | undefined> => {
  const isRead = (expected: Numbered) => !lately || isNew(expected)
  const difference = isRead(account.events) ? await eventsDiffer(account, read) : undefined
  return difference ?? (isRead(account.rows) ? rowsDiffer(account, read) : undefined)
}

const eventsDiffer = async (account: Account, read: Read): Promise<Difference | undefined> => {
  const events = await newest(account.events, "/v1/events", read)
  for (const actual of events) {
    if (account.events.some(({ no }) => no.value === actual["id"])) continue
    const expected = account.events.find(
      ({ no, of, type }) => no.value === undefined && type === actual["type"] && hasNumber(actual, of.no.value)
    )
    if (expected === undefined) return { at: "events", expected: "no such event", actual }
    const states = [expected.object, ...expected.later]
    const object = states.find(
      (each) => differenceOf(eventView(account, { ...expected, object: each }), actual) === undefined
    )
    expected.object = object ?? expected.object
    const erased = object ?? formerOf(account, expected, actual)
    const view = eventView(account, { ...expected, object: erased ?? expected.object })
    const difference = differenceOf(view, actual, `event ${expected.type}`)
    if (difference !== undefined) return difference
  }
  const lost = account.events.find(({ no }) => no.value === undefined)
  if (lost !== undefined) return { at: "events", expected: `${lost.type} of ${lost.of.no.value}`, actual: "no event" }
  account.events.sort(byNumber)
  return undefined
}

const rowsDiffer = async (account: Account, read: Read): Promise<Difference | undefined> => {
  const balances = new Map(account.rows.slice(0, knownOf(account.rows)).map((row) => [row.currency, row.after]))
  const rows = await newest(account.rows, "/v1/balance_transactions", read)
  for (const actual of rows) {
    const known = account.rows.find(({ no }) => no.value === actual["id"])
    if (known !== undefined) {
      balances.set(known.currency, known.after)
      continue
    }
    const expected = account.rows.find(
      ({ amount, no, of, type }) =>
        no.value === undefined &&
        type === actual["type"] &&
        amount === actual["amount"] &&
        of.no.value === actual["reference_id"]
    )
    if (expected === undefined) return { at: "ledger", expected: "no such row", actual }
    // Items that are due at the same time may come in either order.
    const by = expected.after - expected.before
    expected.before = balances.get(expected.currency) ?? 0
    expected.after = expected.before + by
    balances.set(expected.currency, expected.after)
    const difference = differenceOf(rowView(account, expected), actual, `row ${expected.type}`)
    if (difference !== undefined) return difference
  }
  const lost = account.rows.find(({ no }) => no.value === undefined)
  if (lost !== undefined) return { at: "ledger", expected: `${lost.type} of ${lost.of.no.value}`, actual: "no row" }
  account.rows.sort(byNumber)
  const moved = currencies.filter((currency) => rows.some((row) => row["currency"] === currency))
  for (const currency of moved) {
    const expected = walletView(account, currency, walletOf(account, currency))
    const difference = differenceOf(expected, await read(`/v1/balance?currency=${currency}`), `wallet ${currency}`)
    if (difference !== undefined) return difference
  }
  return undefined
}

/** The state before an erasure that is under way, if the event shows it. */
export const formerOf = (account: Account, event: Happening, actual: unknown) =>
  event.former.find((object) => differenceOf(eventView(account, { ...event, object }), actual) === undefined)

const hasNumber = (actual: Shown, no: string | undefined) => {
  const { object } = actual["data"] as { readonly object: Shown }
  return (object["refund_no"] ?? object["dispute_no"] ?? object["trade_no"]) === no
}

export const byNumber = <T extends { readonly no: { readonly value: string | undefined } }>(a: T, b: T) =>
  a.no.value! < b.no.value! ? -1 : 1

type Numbered = ReadonlyArray<{ readonly no: { readonly value: string | undefined } }>

/** Whether one of them has not been read yet. */
export const isNew = (expected: Numbered) => expected.some(({ no }) => no.value === undefined)

/** How many of the first ones are known. A page that a program has read may show newer ones than an unknown one. */
const knownOf = (expected: Numbered) => {
  const unknown = expected.findIndex(({ no }) => no.value === undefined)
  return unknown === -1 ? expected.length : unknown
}

/** Everything after these, oldest first. */
const newest = async (expected: Numbered, path: string, read: Read): Promise<ReadonlyArray<Shown>> => {
  const last = expected[knownOf(expected) - 1]?.no.value
  const after = last === undefined ? "" : `&ending_before=${last}`
  const list = (await read(`${path}?limit=100${after}`)) as { readonly data: ReadonlyArray<Shown> }
  return list.data.toReversed()
}
