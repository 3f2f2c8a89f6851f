/** Shows an answer next to the expected one, and as a line of a story. */
import type { Call } from "../Oracle.ts"
import type { Answer } from "../values.ts"
import { type Difference, differenceOf } from "./compare.ts"
import type { Reply } from "./place.ts"

const whose = (key: Call["key"]) => {
  if (key === "sandbox") return ""
  return typeof key === "number" ? ` (its key ${key + 1} with scopes)` : ` (${key})`
}

export const lineOf = ({ body, idempotencyKey, key, merchant, method, path }: Call, { body: answer, status }: Reply) =>
  [
    `merchant ${merchant}${whose(key)}: ${method} ${path}`,
    body === undefined ? "" : ` ${JSON.stringify(body)}`,
    idempotencyKey === undefined ? "" : ` with the key ${idempotencyKey.slice(0, 12)}`,
    ` → ${status}${answer.error === undefined ? "" : ` ${answer.error} ${answer.param ?? ""}`}`
  ].join("")

export const differenceOfAnswer = (expected: Answer, { body, headers, status }: Reply): Difference | undefined => {
  const answered = `${status} ${body.error ?? ""} ${body.param ?? ""}`
  const params = expected.params ?? [body.param ?? ""]
  const wanted = `${expected.status} ${expected.error ?? ""} ${params.join(" or ")}`
  const isWanted = params.some((param) => answered === `${expected.status} ${expected.error ?? ""} ${param}`)
  if (!isWanted) return { at: "answer", expected: wanted, actual: answered }
  if (expected.reason !== undefined && headers.get("coffer-reason") !== expected.reason) {
    return { at: "reason", expected: expected.reason, actual: headers.get("coffer-reason") }
  }
  const replayed = headers.get("idempotent-replayed") === "true"
  if (replayed !== (expected.replayed === true))
    return { at: "replayed", expected: expected.replayed, actual: replayed }
  return expected.data === undefined ? undefined : differenceOf(expected.data, body.data)
}
