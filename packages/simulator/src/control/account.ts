/** The settings of an account in Stripe's dashboard. */
import { Effect, Schema } from "effect"
import { isCurrency, methods } from "../facts/currencies.ts"
import { usualSettings } from "../state/accounts.ts"
import { command, type Parts, refuse } from "./Command.ts"

const Change = Schema.Struct({
  account: Schema.String,
  methods: Schema.optionalKey(Schema.Array(Schema.Literals(methods))),
  currency: Schema.optionalKey(Schema.String),
  adaptive_pricing: Schema.optionalKey(Schema.Boolean),
  without_methods: Schema.optionalKey(Schema.Literals(["session", "refusal"]))
})

export const accountCommands = ({ world }: Parts) => ({
  set_account: command(Change, ({ account, ...change }) =>
    Effect.gen(function* () {
      if (change.currency !== undefined && !isCurrency(change.currency)) {
        return yield* refuse(`${change.currency} is no currency.`)
      }
      const settings = { ...(world.accounts.get(account) ?? usualSettings), ...change }
      world.accounts.set(account, settings)
      return settings
    })
  )
})
