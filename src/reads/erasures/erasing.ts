/** How the row of an erased order, and of what belongs to it, is written: each column by whose words it holds. */
import { linkKey } from "@coffer/model/Metadata"
import { type Column, type Columns, isArchived, type Resource } from "@coffer/resources/Resource"
import { erasedText } from "@coffer/rules/erasure"
import type { SqlClient, Statement } from "effect/sql"

/** What an update of the table sets. Addresses in texts of others are taken out afterwards (`buyerWords.ts`). */
export const erasing = (sql: SqlClient.SqlClient, { columns }: Resource): Statement.Fragment =>
  sql.csv([
    ...("version" in columns ? [sql`version = version + 1`] : []),
    ...Object.entries(columns).flatMap(([name, column]) => {
      const value = eraseValue(sql, sql`${sql(name)}`, column)
      return value === undefined ? [] : [sql`${sql(name)} = ${value}`]
    })
  ])

/** Undefined: it stays. */
const eraseValue = (
  sql: SqlClient.SqlClient,
  value: Statement.Fragment,
  { shape, words, ...column }: Column
): Statement.Fragment | undefined => {
  if (words === "address") return sql`null`
  if (typeof shape === "object" && words === "none")
    return hasWords(shape.parts) ? partly(sql, value, shape) : undefined
  if (words !== "words" || shape === "objects") return undefined
  if (shape === "value" || !isArchived(column)) return sql`null`
  if (shape === undefined) return sql`case when ${value} is not null then ${erasedText}::text end`
  if (shape === "list") return sql`'[]'`
  if (shape === "map") {
    // Not as a function of Postgres, which it would prepare again for each row.
    return sql`case when ${value} = '{}' then ${value} else (select coalesce(jsonb_object_agg(key,
        case when key = ${linkKey} then value else to_jsonb(${erasedText}::text) end), '{}')
      from jsonb_each(${value})) end`
  }
  return partly(sql, value, shape)
}

const hasWords = (parts: Columns) => Object.values(parts).some(({ words }) => words === "address" || words === "words")

/** JSON of which some parts are erased. */
const partly = (
  sql: SqlClient.SqlClient,
  value: Statement.Fragment,
  shape: Extract<Column["shape"], object>
): Statement.Fragment => {
  if (shape.of === "object") return withParts(sql, value, shape.parts)
  return sql`case when ${value} = '[]' then ${value} else (select jsonb_agg(${withParts(sql, sql`p`, shape.parts)}
    order by place) from jsonb_array_elements(${value}) with ordinality as listed (p, place)) end`
}

const withParts = (sql: SqlClient.SqlClient, value: Statement.Fragment, parts: Columns): Statement.Fragment =>
  Object.entries(parts).reduce((all, [name, { words }]) => {
    if (words === "address") return sql`(${all}) - ${name}::text`
    if (words !== "words") return all
    return sql`${all} || case when ${value} ? ${name}
      then jsonb_build_object(${name}::text, ${erasedText}::text) else '{}' end`
  }, value)
