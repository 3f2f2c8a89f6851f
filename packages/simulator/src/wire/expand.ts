/** `expand[]`: an id in an answer becomes the object, down to four steps. */
import { Result } from "effect"
import type Stripe from "stripe"
import { asOf } from "../objects/balance.ts"
import { fieldsOf, typeOfObject } from "../facts/table.ts"
import type { Term } from "../facts/expression.ts"
import type { Book } from "../state/Book.ts"
import type { Kind } from "../state/kinds.ts"
import { type Outcome, refuse } from "./failure.ts"

const depthMax = 4

type Hash = Readonly<Record<string, unknown>>

export const expand = (book: Book, now: number, answer: object, paths: ReadonlyArray<string>): Outcome<object> =>
  Result.gen(function* () {
    let expanded = answer as Hash
    for (const path of paths) {
      const steps = path.split(".")
      if (steps.length > depthMax) {
        return yield* refuse(`You cannot expand more than ${depthMax} levels of a property (${path}).`, {
          param: "expand"
        })
      }
      expanded = (yield* expandIn({ book, now, path }, expanded, steps)) as Hash
    }
    return expanded
  })

interface Scope {
  readonly book: Book
  readonly now: number
  readonly path: string
}

const expandIn = (scope: Scope, value: Hash, [step, ...rest]: ReadonlyArray<string>): Outcome<unknown> => {
  if (step === undefined) return Result.succeed(value)
  if (value["object"] === "list" && step === "data") {
    return Result.map(
      Result.all((value["data"] as ReadonlyArray<Hash>).map((each) => expandIn(scope, each, rest))),
      (data) => ({ ...value, data })
    )
  }
  const type = typeOfObject(String(value["object"]))
  const terms = type === undefined ? undefined : fieldsOf(type).get(step)?.terms
  // A plain hash, such as evidence, has expandable fields, too.
  if (terms !== undefined ? !isExpandable(terms, rest) : type !== undefined || !(step in value)) {
    return refuse(`This property cannot be expanded (${scope.path}).`, { param: "expand" })
  }
  const there = step in value ? value[step] : includable(scope, value, step)
  if (there === null || there === undefined) return Result.succeed(value)
  const found = typeof there === "string" ? objectOf(scope, there) : (there as Hash)
  if (found === undefined) return Result.succeed(value)
  return Result.map(expandIn(scope, found, rest), (inner) => ({ ...value, [step]: inner }))
}

const isExpandable = (terms: ReadonlyArray<Term>, rest: ReadonlyArray<string>): boolean =>
  terms.some(({ is }) => is === "unsimulated" || is === "list" || is === "type" || (is === "hash" && rest.length > 0))

/** Lists that are only included on request. */
const includable = ({ book }: Scope, value: Hash, step: string): Hash | undefined => {
  const id = String(value["id"])
  if (value["object"] === "checkout.session" && step === "line_items") {
    const data = book.get("x.lines", id)?.items ?? []
    return { object: "list", data, has_more: false, url: `/v1/checkout/sessions/${id}/line_items` }
  }
  if (value["object"] === "charge" && step === "refunds") {
    const data: ReadonlyArray<Stripe.Refund> = Array.from(book.newest("refund", id))
    return { object: "list", data: data.slice(0, 10), has_more: data.length > 10, url: `/v1/charges/${id}/refunds` }
  }
  return undefined
}

const kindsExpanded: ReadonlyArray<Kind> = [
  "charge",
  "payment_intent",
  "balance_transaction",
  "refund",
  "dispute",
  "payment_method",
  "file",
  "checkout.session"
]

const objectOf = ({ book, now }: Scope, id: string): Hash | undefined => {
  for (const kind of kindsExpanded) {
    const found = book.get(kind, id)
    if (found === undefined) continue
    return (kind === "balance_transaction" ? asOf(found as Stripe.BalanceTransaction, now) : found) as unknown as Hash
  }
  return undefined
}
