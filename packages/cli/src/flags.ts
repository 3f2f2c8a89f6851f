/** Flags that several commands have. Their names are the API's, with dashes. */
import { Option } from "effect"
import { Flag } from "effect/cli"

export const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.optional, Flag.withDescription(description))

export const number = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.optional, Flag.withDescription(description))

export const oneOf = <const Values extends ReadonlyArray<string>>(name: string, values: Values, description: string) =>
  // Help shows the values itself.
  Flag.Literals(name, values).pipe(Flag.optional, Flag.withDescription(description))

export const metadata = Flag.KeyValuePair("metadata").pipe(Flag.optional, Flag.withDescription("key=value, repeatable"))

export const currencies = ["USD", "HKD", "CNY"] as const

/** In any case, as people type it. */
export const currency = Flag.String("currency").pipe(
  Flag.filterMap(
    (text) => Option.fromNullishOr(currencies.find((each) => each === text.toUpperCase())),
    (text) => `expected ${currencies.join(", ")}, got ${text}`
  ),
  Flag.optional,
  Flag.withDescription("USD (the default), HKD or CNY")
)

/** Minor units, or what people write: 19.99 of a currency with two decimals is 1999. */
const minorOf = (text: string): Option.Option<number> => {
  const [, whole, places] = /^(\d{1,12})(?:\.(\d{2}))?$/.exec(text) ?? []
  if (whole === undefined) return Option.none()
  return Option.some(Number(whole + (places ?? "")))
}

const minorUnits = Flag.String("amount").pipe(Flag.filterMap(minorOf, (text) => `expected 1999 or 19.99, got ${text}`))

export const amount = minorUnits.pipe(Flag.withDescription("Minor units, 1999, or with a point, 19.99"))

/** For a part of an order. */
export const partialAmount = minorUnits.pipe(
  Flag.optional,
  Flag.withDescription("Minor units, 500, or with a point, 5.00; the whole rest by default")
)

/** A number in this inclusive range. */
export const count = (name: string, [min, max]: readonly [number, number], otherwise: number, description: string) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (number) => number >= min && number <= max,
      (number) => `expected ${min} to ${max}, got ${number}`
    ),
    Flag.withDefault(otherwise),
    Flag.withDescription(`${description}; ${otherwise} by default`)
  )
