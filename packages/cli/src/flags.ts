/** Flags that several commands have. Their names are the API's, with dashes. */
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

export const currency = oneOf("currency", currencies, "USD by default")

export const amount = Flag.Int("amount").pipe(Flag.withDescription("Minor units: 1999 is 19.99"))

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
