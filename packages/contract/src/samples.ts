/**
 * Examples of whole answers, composed from those of resources and fields. No envelope, page or file is written by hand,
 * so none can deviate from its schema.
 */
import { isMoney, twoDecimals } from "@coffer/model/Money"
import { Schema } from "effect"
import { BalanceTransactionResource } from "./Balance.ts"
import { DisputeResource } from "./Disputes.ts"
import { AuditEntryResource } from "./Operators.ts"
import { OrderResource } from "./Orders.ts"
import { RefundResource } from "./Refunds.ts"
import { FeeLine, FrozenLine, StatementLine, TransactionLine } from "./ReportLines.ts"

// oxlint-disable-next-line no-explicit-any -- a document without a type of its own
type Json = Record<string, any>

export const resolved = (schema: Json, components: Json): Json =>
  schema["$ref"] === undefined ? schema : components[schema["$ref"].split("/").at(-1)]

/** An example from a JSON Schema; undefined when it has none. */
export const sampleOf = (schema: Json, components: Json): unknown => {
  if (schema["$ref"] !== undefined) return sampleOf(resolved(schema, components), components)
  if (schema["examples"] !== undefined) return schema["examples"][0]
  if (schema["enum"] !== undefined) return schema["enum"][0]
  if (schema["oneOf"] !== undefined) return sampleOf(schema["oneOf"][0], components)
  if (schema["type"] === "array") return [sampleOf(schema["items"], components)]
  if (schema["type"] !== "object") return undefined
  const fields = Object.entries<Json>(schema["properties"] ?? {}).map(
    ([name, field]) => [name, sampleOf(field, components)] as const
  )
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

/** One object as an export writes it: a header and a row, amounts with two decimals (spec: List conventions). */
export const csvSampleOf = ({ object, ...item }: Json): string => {
  const { fields } = exported[object]!
  const cells = Object.entries(item).map(([name, value]) => cellOf(value, fields[name]!))
  return [Object.keys(item), cells].map((each) => `${each.join(",")}\r\n`).join("")
}

const exported: Readonly<Record<string, { readonly fields: Readonly<Record<string, Schema.Constraint>> }>> = {
  order: OrderResource,
  refund: RefundResource,
  dispute: DisputeResource,
  balance_transaction: BalanceTransactionResource,
  audit_entry: AuditEntryResource,
  statement_line: StatementLine,
  transaction_line: TransactionLine,
  fee_line: FeeLine,
  frozen_line: FrozenLine
}

const cellOf = (value: unknown, schema: Schema.Constraint): string => {
  if (value === null) return ""
  if (typeof value === "number" && isMoney(schema)) return twoDecimals(value)
  return typeof value === "object" ? `"${jsonText(value).replaceAll('"', '""')}"` : String(value)
}

const jsonText = Schema.encodeSync(Schema.fromJsonString(Schema.Unknown))
