/** `coffer balance`: the wallets of the account, and their movements as a file. */
import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { connect } from "./client.ts"
import { exportCommand } from "./exported.ts"
import { currencies, oneOf, text } from "./flags.ts"
import { command, json } from "./frame.ts"
import { type Column, money, printObject, table, time } from "./output.ts"
import type { Balance } from "../../sdk/src/index.ts"
import { withoutNone } from "./withoutNone.ts"

const columns: ReadonlyArray<Column<Balance>> = [
  { title: "AVAILABLE", of: ({ available_balance, currency }) => money(available_balance, currency) },
  { title: "FROZEN", of: ({ currency, frozen_balance }) => money(frozen_balance, currency) },
  { title: "REVENUE", of: ({ currency, total_revenue }) => money(total_revenue, currency) },
  { title: "FEES", of: ({ currency, total_fee }) => money(total_fee, currency) },
  { title: "REFUNDS", of: ({ currency, total_refund }) => money(total_refund, currency) },
  { title: "PAYOUTS", of: ({ currency, total_payout }) => money(total_payout, currency) },
  { title: "CHANGED", of: ({ updated_at }) => time(updated_at) }
]

export const balanceCommand = command(
  "balance",
  { does: "The balance of each wallet, or of one", example: "coffer balance --currency USD" },
  { currency: oneOf("currency", currencies, "Only this wallet") },
  ({ currency }) =>
    Effect.gen(function* () {
      const { ask } = yield* connect()
      const get = (one: Balance["currency"]) => ask((coffer) => coffer.balance.get({ currency: one }))
      if (Option.isSome(currency)) return yield* printObject(yield* get(currency.value))
      const print = yield* table(columns)
      const balances = yield* Effect.forEach(currencies, get)
      // One object per line for programs; people see only wallets that were used.
      yield* print((yield* json) ? balances : balances.filter((one) => one.currency === "USD" || isUsed(one)))
    })
).pipe(
  Command.withSubcommands([
    exportCommand(
      "movements",
      {
        currency: oneOf("currency", currencies, "Only this wallet"),
        referenceId: text("reference-id", "Only transactions of this payment, refund, dispute or payout")
      },
      (coffer, created, { currency, referenceId }) =>
        coffer.ledger.csv({ ...created, ...withoutNone({ currency, reference_id: referenceId }) })
    )
  ])
)

const isUsed = ({ total_fee, total_payout, total_refund, total_revenue }: Balance): boolean =>
  [total_fee, total_payout, total_refund, total_revenue].some((total) => total !== 0)
