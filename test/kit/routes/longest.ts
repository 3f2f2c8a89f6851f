/** The longest query that each route takes, every character of it written in the longest way. */
import { readdirSync } from "node:fs"
import { Api } from "@coffer/contract/Api"
import { OperatorApi } from "@coffer/contract/Operator"
import { queryParametersMax } from "@coffer/model/Limits"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import type { SqlClient } from "effect/sql"
import type { Reply } from "../Api.ts"

/** Node takes a head of 16 kB; the rest of it is for the method, the path and the headers of a client. */
const queryBytes = 15_500

interface Schema {
  readonly type?: string
  readonly enum?: ReadonlyArray<string>
  readonly items?: Schema
}
interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: Schema
}
interface Paths {
  readonly [path: string]: { readonly get?: { readonly parameters: ReadonlyArray<Parameter> } }
}

const paths = { ...OpenApi.fromApi(Api).paths, ...OpenApi.fromApi(OperatorApi).paths } as unknown as Paths

const parametersOf = (path: string) =>
  (paths[path.replace(/:(\w+)/g, "{$1}")]?.get?.parameters ?? []).filter((parameter) => parameter.in === "query")

const somePayout = `pyt_${"0".repeat(26)}`

/** The same for a payout that is there. */
export const aboutPayout = (query: string, payoutNo: string) => query.replace(percent(somePayout), percent(payoutNo))

/** Values that the document does not list, by parameter, or by path and parameter. */
const words: Readonly<Record<string, string>> = {
  limit: "100",
  "created[gte]": "2020-01-01T00:00:00.000000000+00:00",
  "created[lte]": "2099-12-31T23:59:59.999999999+00:00",
  "/v1/logs status": "4xx",
  "paid_at[gte]": "2020-01-01T00:00:00.000000000+00:00",
  "paid_at[lte]": "2099-12-31T23:59:59.999999999+00:00",
  "/v1/orders amount[gte]": "000000000001",
  "/v1/orders amount[lte]": "100000000000",
  "/operator/v1/merchants/:merchant_id/orders amount[gte]": "000000000001",
  "/operator/v1/merchants/:merchant_id/orders amount[lte]": "100000000000",
  "/v1/reports/statement from": "2026-01-01",
  "/v1/reports/statement to": "2026-01-31",
  "/v1/reports/statement time_zone": "America/Argentina/ComodRivadavia",
  "/v1/reports/fees from": "2026-01-01",
  "/v1/reports/fees to": "2026-01-31",
  "/v1/reports/fees time_zone": "America/Argentina/ComodRivadavia",
  "/v1/reports/payout payout_no": somePayout,
  "/v1/reports/payout time_zone": "America/Argentina/ComodRivadavia",
  "/v1/reports/frozen at": "2026-01-01T00:00:00.000000000+00:00",
  "/v1/reports/frozen time_zone": "America/Argentina/ComodRivadavia",
  "/operator/v1/merchants/:merchant_id/logs status": "4xx",
  "/operator/v1/audit_log target": `/${"a".repeat(255)}`,
  "/operator/v1/people merchant_id": "a".repeat(255),
  "/operator/v1/people role": "a".repeat(255),
  "/operator/v1/people search": "a".repeat(255),
  "/operator/v1/search number": "a".repeat(255),
  "/operator/v1/search merchant_id": "a".repeat(255)
}

const longest = (all: ReadonlyArray<string>) => all.reduce((one, other) => (other.length > one.length ? other : one))

const percent = (text: string) => Buffer.from(text).toString("hex").replace(/../g, "%$&")
const part = ([name, value]: Pair) => `${percent(name)}=${percent(value)}`

export interface LongQuery {
  readonly what: string
  readonly query: string
}

/** For a page, which reads no query: as many parameters as the head has room for. */
export const longestForPage = "a&".repeat(queryBytes / 2)

export const isList = (path: string) => parametersOf(path).some(({ name }) => name === "starting_after")

/**
 * The longest queries of an endpoint: with all it knows, with what repeats alone, and for a file. A list's cursor is
 * the id of one of its objects.
 */
export const longestQueries = (path: string, cursor: string | undefined): ReadonlyArray<LongQuery> => {
  // The other cursor is not taken with this one, and neither is a wait.
  const known = parametersOf(path).filter(({ name }) => name !== "ending_before" && name !== "wait")
  const page = known.filter(({ name }) => name !== "format")
  const repeats = page.some(({ schema }) => isRepeated(schema))
  const isFile = known.some(({ name, schema }) => name === "format" && schema.enum !== undefined)
  const queryOf = (taken: ReadonlyArray<Parameter>) => longestOf(path, taken, cursor)
  return [
    { what: "query", query: known.length === 0 ? unread : queryOf(page) },
    ...(repeats ? [{ what: "query, no texts", query: queryOf(page.filter((one) => !isText(path, one))) }] : []),
    ...(isFile ? [{ what: "query for a file", query: queryOf(known) }] : [])
  ]
}

type Pair = readonly [name: string, value: string]

/** As many of a parameter as there may be beside the others. */
const many = (parameter: (index: number) => Pair, others: number): ReadonlyArray<Pair> =>
  Array.from({ length: queryParametersMax - others }, (_, index) => parameter(index))

const isRepeated = ({ type }: Schema) => type === "object" || type === "array"

const wordOf = (path: string, { name, schema }: Parameter) =>
  schema.enum === undefined ? (words[`${path} ${name}`] ?? words[name]) : longest(schema.enum)

const isText = (path: string, parameter: Parameter) =>
  !isRepeated(parameter.schema) && parameter.name !== "starting_after" && wordOf(path, parameter) === undefined

const repetition = ({ name, schema }: Parameter) => {
  const all = schema.items?.enum
  return (index: number): Pair => (all === undefined ? [`${name}[${index}]`, ""] : [name, all[index % all.length]!])
}

/** Every parameter, each as often as it may be there, and texts as long as the head has room for. */
const longestOf = (path: string, taken: ReadonlyArray<Parameter>, cursor = ""): string => {
  const texts = taken.filter((one) => isText(path, one)).map(({ name }) => name)
  const repeated = taken.find(({ schema }) => isRepeated(schema))
  const once = taken
    .filter((one) => one !== repeated && !texts.includes(one.name))
    .map((one): Pair => [one.name, one.name === "starting_after" ? cursor : wordOf(path, one)!])
  const others = once.length + texts.length
  return lengthened([...once, ...(repeated === undefined ? [] : many(repetition(repeated), others))], texts)
}

/** Shares what room is left among the texts; without any, among the values that are still empty. */
const lengthened = (parameters: ReadonlyArray<Pair>, texts: ReadonlyArray<string>) => {
  const empty =
    texts.length > 0 ? texts.map((name) => [name, ""] as const) : parameters.filter(([, value]) => value === "")
  const others = parameters.filter((parameter) => !empty.includes(parameter))
  const bytes = [...others, ...empty].map((parameter) => part(parameter)).join("&").length
  const each = Math.max(0, Math.floor((queryBytes - bytes) / empty.length / 3))
  const filled = empty.map(([name]) => [name, "a".repeat(each)] as const)
  return [...others, ...filled].map((parameter) => part(parameter)).join("&")
}

/** Where no parameter is known, none is read. */
const unread = lengthened(
  many((index) => [`${index}`, ""], 0),
  []
)

/** A difference of Stripe's books and ours, which no request makes. */
export const difference = (sql: SqlClient.SqlClient, merchantId: string) =>
  sql`insert into reconciliation (id, merchant_id, mode, payment_id, currency, ours, theirs, created_at, seen_at)
    values ('rec_01KB0000000000000000000000', ${merchantId}, 'sandbox', 'pi_1', 'USD', 1, 2, 'epoch', 'epoch')
    on conflict do nothing`

/** The id of a list's newest object. */
export const cursorOf = (list: Effect.Effect<Reply>) =>
  Effect.map(list, ({ body }) => {
    const [newest] = body.data.data
    return newest[idNames[newest.object] ?? "id"] as string
  })
const idNames: Readonly<Record<string, string>> = {
  erasure: "erasure_no",
  order: "trade_no",
  refund: "refund_no",
  dispute: "dispute_no",
  payout: "payout_no",
  report: "report_no",
  payment_link: "link_id",
  api_log: "request_id",
  merchant: "merchant_id",
  operator: "operator_id",
  person: "person_id",
  api_key: "key_id"
}

/** This host is no shop's, the client has no stream to listen to, and no package is built where tests run. */
const refusedPages: Readonly<Record<string, number>> = {
  "GET /shop_domains/ask": 404,
  "GET /mcp": 405,
  "GET /downloads": 404,
  "GET /downloads.md": 404,
  "GET /downloads/:name": 404
}
export const statusOfPage = (route: string): number => refusedPages[route] ?? 200

/** An address of the console, whose route says what its parameters look like. */
export const consolePath = (route: string) =>
  route
    .replace("GET ", "")
    .replace(/:merchant\(.*?\$\)/, `mer_${"0".repeat(26)}`)
    .replace(/:mode\(.*?\$\)/, "live")
    .replace("assets/:name", `assets/${readdirSync("packages/console/dist").find((name) => name.endsWith(".css"))}`)
