/**
 * Short keys of orders for four filters of their list, each with an index (`laterIndexes.ts`). A query has to use
 * exactly these expressions. An index by the account's own columns would write three times the bytes for each order
 * (docs/decisions/0024). Two accounts may have the same key, so a query looks at the account of what it finds.
 */
import type { Account } from "@coffer/model/Account"
import type { SqlClient } from "effect/sql"

/** An account and an amount as one number, in the order of amounts: 23 bits and 40, which is more than amounts have. */
export const amountKey = "((hashtext(merchant_id || mode) & 8388607)::bigint << 40) + amount"

export const amountKeyOf = (sql: SqlClient.SqlClient, { merchantId, mode }: Account, amount: number) =>
  sql`((hashtext(${merchantId}::text || ${mode}::text) & 8388607)::bigint << 40) + ${amount}::bigint`

/** An account and a value of one of its orders' columns. An address is compared in lower case. */
export const valueKey = (column: "status" | "payment_method" | "lower(receipt_email)") =>
  `hashtext(merchant_id || mode || ${column})`

export const valueKeyOf = (sql: SqlClient.SqlClient, { merchantId, mode }: Account, value: string) =>
  sql`hashtext(${merchantId}::text || ${mode}::text || ${value}::text)`

/** What parts words: the parts of an address are found by their beginnings. */
const partings = "[\\s!-/:-@\\[-`{-~\\u3000、，。！？：；“”（）《》【】…]+"
/** A character of a script without spaces, which is a word by itself. */
const unspaced = "[\\u2E80-\\u9FFF\\uAC00-\\uD7AF]"

/** A text in small letters, its words apart. */
const apart = (text: string) =>
  `regexp_replace(regexp_replace(lower(${text}), '${partings}', ' ', 'g'), '${unspaced}', ' \\& ', 'g')`

const account = "to_hex(hashtext(merchant_id || mode))"

/** The words of a text, each with its account. Functions of Postgres alone: one in SQL took fifty times as long. */
export const wordsIn = (text: string) =>
  `regexp_replace(${apart(text)}, '[^ ]+', '''' || ${account} || ':\\&''', 'g')::tsvector`

/** Each word that is looked for costs a look at the index. */
const wordsMax = 8
const firstWords = (text: string) =>
  text
    .replaceAll(new RegExp(unspaced, "g"), " $& ")
    .split(new RegExp(partings))
    .filter((word) => word !== "")
    .slice(0, wordsMax)
    .join(" ")

/** What the first words of a text begin; null without any. */
export const wordsLike = (sql: SqlClient.SqlClient, { merchantId, mode }: Account, text: string) =>
  sql`(select nullif(rtrim(regexp_replace(${sql.literal(apart("typed.text"))}, '[^ ]+',
      '''' || to_hex(hashtext(${merchantId}::text || ${mode}::text)) || ':\\&'':* &', 'g'), ' &'), '')::tsquery
    from (select ${firstWords(text)}::text as text) as typed)`

/** The words by which people find an order. Its number is left out where it is ours. What is erased is not in it. */
export const orderWords =
  wordsIn(`coalesce(nullif(out_trade_no, trade_no), '') || ' ' || coalesce(subject, '') || ' ' ||
  coalesce(receipt_email, '') || ' ' || coalesce(receipt->>'number', '') || ' ' || coalesce(card->>'last4', '')`)

/** After its creation, but for the orders that {@link paidLate} finds. */
export const paidWithin = "25 hours"

/** Orders that were paid later: their index is nearly empty, where one of all payments would grow with each. */
export const paidLate = "paid_at - created_at > interval '25 hours'"
