/**
 * Test commands beyond Stripe's API: move the clock, act as the buyer or the bank, inject faults.
 * `POST /_simulator/<command>` over HTTP, or a function in the same process.
 */
import { Effect } from "effect"
import type Stripe from "stripe"
import { accountCommands } from "./account.ts"
import { bankCommands } from "./bank.ts"
import { buyerCommands } from "./buyer.ts"
import { clockCommands } from "./clock.ts"
import type { Parts } from "./Command.ts"
import { troubleCommands } from "./trouble.ts"

/** The declarations of what follows name its types. */
export type { Stripe }

export const makeCommands = (parts: Parts) => {
  const all = {
    ...clockCommands(parts),
    ...accountCommands(parts),
    ...buyerCommands(parts),
    ...bankCommands(parts),
    ...troubleCommands(parts)
  }
  // A command's changes are saved even if it fails.
  for (const each of Object.values(all)) {
    const { run } = each
    Object.assign(each, { run: (input: never) => Effect.ensuring(run(input), Effect.sync(parts.keep)) })
  }
  return all
}

export type Commands = ReturnType<typeof makeCommands>
export type Control = { readonly [K in keyof Commands]: Commands[K]["run"] }
