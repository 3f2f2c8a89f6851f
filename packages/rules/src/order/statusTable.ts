/**
 * The effect of each command of a merchant on an order in each status, as data for people. `decide` decides;
 * `test/rules/statusTable.test.ts` compares each cell with it. Pure and small: browsers load it.
 */
export const orderStatuses = [
  "pending",
  "paid",
  "partially_refunded",
  "refunded",
  "failed",
  "expired",
  "authorized",
  "canceled"
] as const
export type OrderStatusName = (typeof orderStatuses)[number]

/** `done`: it takes effect. `unchanged`: accepted without a change. `returned`: the payment goes back to the buyer. */
export type Cell =
  | "done"
  | "unchanged"
  | "returned"
  | "not_pending"
  | "not_paid"
  | "nothing_left"
  | "no_receipt"
  | "not_authorized"

export const merchantCommands = ["pay", "capture", "expire", "refund", "receipt", "update"] as const
export type MerchantCommand = (typeof merchantCommands)[number]

const row = (...cells: ReadonlyArray<Cell>) =>
  Object.fromEntries(orderStatuses.map((status, index) => [status, cells[index]!])) as Record<OrderStatusName, Cell>

const ofHold = (authorized: Cell, other: Cell) =>
  row(...orderStatuses.map((status) => (status === "authorized" ? authorized : other)))

export const statusTable: Readonly<Record<MerchantCommand, Readonly<Record<OrderStatusName, Cell>>>> = {
  pay: row("done", "returned", "returned", "returned", "returned", "returned", "returned", "returned"),
  // An order that was captured takes the same amount again, unchanged; others were charged as they were paid.
  capture: ofHold("done", "not_authorized"),
  expire: row("done", "not_pending", "not_pending", "not_pending", "not_pending", "unchanged", "done", "unchanged"),
  refund: row("not_paid", "done", "done", "nothing_left", "not_paid", "not_paid", "not_paid", "not_paid"),
  receipt: row("no_receipt", "done", "done", "done", "no_receipt", "no_receipt", "no_receipt", "no_receipt"),
  update: row("done", "done", "done", "done", "done", "done", "done", "done")
}

/** The command of a call by its path; undefined if the table has none. */
export const commandOf = (path: string): MerchantCommand | undefined => {
  if (path === "/v1/refunds") return "refund"
  const [, helper, , step] = /^\/v1\/(test_helpers\/)?orders\/([^/]+)(?:\/([a-z_]+))?$/.exec(path) ?? []
  if (helper !== undefined) return step === "pay" ? "pay" : undefined
  if (step === "expire" || step === "capture") return step
  if (step === "send_receipt") return "receipt"
  return /^\/v1\/orders\/[^/]+$/.test(path) ? "update" : undefined
}
