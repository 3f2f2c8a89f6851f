/** Checks shared by operations: existence, allowed parameters, metadata. */
import { Result } from "effect"
import type Stripe from "stripe"
import { textsOf } from "../objects/session.ts"
import { isCurrency, leastOf, most } from "../facts/currencies.ts"
import type { Kind, Kinds } from "../state/kinds.ts"
import { noSuch, notSimulated, type Outcome, refuse } from "../wire/failure.ts"
import type { Call } from "./Call.ts"

/** Stripe's name of a kind in messages. */
const spoken: Partial<Record<Kind, string>> = { "checkout.session": "checkout.session", file: "file upload" }

export const find = <K extends Kind>(call: Call, kind: K, id = call.id, param = "id"): Outcome<Kinds[K]> => {
  const found = call.book.get(kind, id)
  return found === undefined ? noSuch(spoken[kind] ?? kind, id, param) : Result.succeed(found)
}

/** Refuses parameters of Stripe that are not simulated. */
export const onlySimulated = (hash: object, names: ReadonlyArray<string>, path: string): Outcome<void> => {
  const other = Object.keys(hash).find((name) => !names.includes(name))
  if (other === undefined) return Result.void
  const param = path === "" ? other : `${path}[${other}]`
  return notSimulated(`the parameter ${param}`, param)
}

const keysMax = 50
const keyLengthMax = 40
const valueLengthMax = 500

/** Stripe's limits of metadata: 50 keys of 40 characters, with values of 500. */
const checkMetadata = (metadata: Stripe.Metadata, param: string): Outcome<Stripe.Metadata> => {
  const entries = Object.entries(metadata)
  if (entries.length > keysMax) {
    return refuse(`Metadata can have up to ${keysMax} keys, and this has ${entries.length}.`, { param })
  }
  for (const [key, value] of entries) {
    if (key.length > keyLengthMax) {
      return refuse(`Metadata keys can be up to ${keyLengthMax} characters long: ${key}`, { param })
    }
    if (value.length > valueLengthMax) {
      return refuse(`Metadata values can be up to ${valueLengthMax} characters long.`, { param: `${param}[${key}]` })
    }
  }
  return Result.succeed(metadata)
}

type MetadataInput = Stripe.MetadataParam | "" | null | undefined

/** For a new object. */
export const newMetadata = (patch: MetadataInput, param = "metadata"): Outcome<Stripe.Metadata> =>
  changedMetadata({}, patch, param)

/** Keys are added or replaced; an empty text removes one; an empty parameter removes all. */
export const changedMetadata = (
  before: Stripe.Metadata | null,
  patch: MetadataInput,
  param = "metadata"
): Outcome<Stripe.Metadata> => {
  if (patch === "" || patch === null) return Result.succeed({})
  const all = Object.entries({ ...before, ...textsOf(patch ?? {}) })
  return checkMetadata(Object.fromEntries(all.filter(([, value]) => value !== "")), param)
}

export const checkAmount = (amount: number, currency: string, param: string): Outcome<void> => {
  if (amount < 1) return refuse(`Invalid positive integer`, { code: "parameter_invalid_integer", param })
  const least = leastOf(currency)
  if (amount < least) {
    return refuse(`Amount must be at least ${least} in the smallest unit of ${currency}`, {
      code: "amount_too_small",
      param
    })
  }
  if (amount > most) {
    return refuse(`Amount must be no more than ${most}`, { code: "amount_too_large", param })
  }
  return Result.void
}

/** Checks the maximum length of a text. */
export const checkLength = (text: string | undefined, max: number, param: string): Outcome<void> =>
  text === undefined || text.length <= max
    ? Result.void
    : refuse(`Invalid string: ${text.slice(0, 10)}...; must be at most ${max} characters`, { param })

export const checkCurrency = (currency: string, param: string): Outcome<string> =>
  isCurrency(currency.toLowerCase())
    ? Result.succeed(currency.toLowerCase())
    : refuse(`Invalid currency: ${currency}`, { code: "currency_invalid", param })
