/** What the SDKs for JavaScript and Python give to a caller has the same fields, by the names of each language. */
import { readFileSync } from "node:fs"
import { ApiError } from "@coffer/sdk"
import { assert, it } from "@effect/vitest"
import { answered, failureOf, refused, scripted } from "../kit/callers/sdk.ts"

/** The fields of a class of the Python package, with a unit where JavaScript counts milliseconds. */
const fieldsOf = (file: string, name: string): ReadonlyArray<string> => {
  const text = readFileSync(`packages/python/coffer/${file}.py`, "utf8")
  const body: string = text.split(new RegExp(`^class ${name}\\b.*$`, "m"))[1]!.split(/^(?:class|def|@)/m)[0]!
  const names = [...body.matchAll(/^ {4}(\w+): /gm)].map(([, each]) => each!)
  return names.map((each) => each.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()))
}

/** The same things by other names. */
const inJavaScript: Readonly<Record<string, string>> = { retryAfterSeconds: "retryAfterMs", headers: "response" }
const translated = (fields: ReadonlyArray<string>) => fields.map((each) => inJavaScript[each] ?? each)

/** Those of an object, with what its classes read for it, and without what every error of JavaScript has. */
const ownOf = (value: object): ReadonlyArray<string> => {
  const names = new Set(Object.keys(value))
  for (let at = Object.getPrototypeOf(value); at !== null && at !== Error.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (get !== undefined && !name.startsWith("__")) names.add(name)
    }
  }
  return [...names].filter((name) => name !== "name")
}

it("an error has the same fields in both SDKs, and what it says as JSON has all of them but the answer", async () => {
  const { coffer } = scripted([refused(409, "conflict", { "coffer-reason": "just_paid" })])
  const error = await failureOf(coffer.orders.expire("1"), ApiError)
  assert.strictEqual(error.reason, "just_paid")
  const python = translated([...fieldsOf("_errors", "CofferError"), ...fieldsOf("_errors", "ApiError")])
  assert.include(python, "reason")
  assert.sameMembers([...ownOf(error)], [...python])
  const answer = new Set(["response", "text"])
  const said = Object.keys(error.toJSON()).filter((name) => name !== "name" && name !== "message")
  assert.sameMembers(
    said,
    python.filter((name) => !answer.has(name))
  )
})

it("a whole answer has the same fields in both SDKs", async () => {
  const { coffer } = scripted([answered({ trade_no: "1" })])
  const answer = await coffer.orders.create({ amount: 1 }).withResponse()
  assert.sameMembers(
    Object.keys(answer).filter((name) => name !== "bytes"),
    translated(fieldsOf("_options", "Answer"))
  )
})
