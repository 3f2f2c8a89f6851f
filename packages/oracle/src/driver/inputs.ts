/** The inputs of random programs: numbers of objects, valid and invalid field values. */
import type { Oracle } from "../Oracle.ts"
import { type Account, methods as ways } from "../state.ts"
import type { Draw } from "./random.ts"

const pathPart = (text: string) => encodeURIComponent(text)

export interface Numbered {
  readonly no: { readonly value: string | undefined }
  readonly ownNo?: string | undefined
}

/** One of these, mostly a recent one; sometimes another merchant's, or an unknown one. */
export const refOf = (
  things: (account: Account) => ReadonlyArray<Numbered>,
  account: Account,
  draw: Draw,
  oracle: Oracle
): string => {
  const owner = draw.once(30) ? draw.of(oracle.accounts) : account
  const all = things(owner)
  const some = draw.once(3) ? all : all.slice(-4)
  if (some.length === 0 || draw.once(40)) return "unknown"
  const thing = draw.of(some)
  return pathPart((draw.once(3) ? thing.ownNo : undefined) ?? thing.no.value ?? "unknown")
}

export const orderRef = (account: Account, draw: Draw, oracle: Oracle) =>
  refOf(({ orders }) => orders, account, draw, oracle)
export const refundRef = (account: Account, draw: Draw, oracle: Oracle) =>
  refOf(({ refunds }) => refunds, account, draw, oracle)
export const disputeRef = (account: Account, draw: Draw, oracle: Oracle) =>
  refOf(
    ({ disputes }) => disputes.map(({ no, processorNo }) => ({ no, ownNo: processorNo.value })),
    account,
    draw,
    oracle
  )

const wrongAmounts = [0, -1, 1.5, "100", 100_000_000_001, true, [1], { amount: 1 }]
export const amountOf = (draw: Draw, below = 20_000): unknown =>
  draw.once(25) ? draw.of(wrongAmounts) : 1 + draw.int(below)

export const words = ["", " ", "plain", "two\nlines", "=1+1", "\u202eright", "café 付款 🧾", "x".repeat(256), 7]
export const metadataOf = (draw: Draw): unknown =>
  draw.of<unknown>([
    undefined,
    undefined,
    null,
    {},
    { cart: "1" },
    { cart: "2", shelf: "b" },
    { cart: null },
    { cart: "x".repeat(501) },
    { ["k".repeat(41)]: "1" },
    { svc_payment_link: "plink_1" },
    { cart: 1 },
    { mail: "ann@shop.example" },
    { mail: "for joann@shop.example", cart: "3" },
    { mail: "ann@shop.example and joann@shop.example" },
    { nested: { a: "1" } },
    Object.fromEntries(Array.from({ length: 26 }, (_, index) => [`k${draw.int(2)}${index}`, "v"])),
    "text"
  ])

/** Drops undefined values. */
export const body = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

export const maybe = <T>(draw: Draw, among: number, value: T): T | undefined => (draw.once(among) ? value : undefined)

export const ownNoOf = (draw: Draw): unknown =>
  draw.of<unknown>([
    undefined,
    undefined,
    undefined,
    `no-${draw.int(8)}`,
    `no-${draw.int(8)}`,
    "a/b?c=ü",
    "",
    "plink_1"
  ])

export const emails = [
  "ann@shop.example",
  "Ann@Shop.example",
  "joann@shop.example",
  "ann@shop.example.au",
  "no address",
  null
]
export const outcomes = [
  "succeed",
  "succeed",
  "succeed",
  "succeed",
  "decline",
  "cancel",
  "fail",
  "redirect",
  "succeed_unreported"
]
export const methods = ["card", ...Object.keys(ways)]
