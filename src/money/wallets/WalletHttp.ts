/** Handlers of the `balance` group (spec: Endpoints, Balance and ledger). */
import { Api } from "@coffer/contract/Api"
import { BalanceTransactionResource } from "@coffer/contract/Balance"
import { Caller } from "@coffer/contract/Caller"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { span } from "../../platform/runtime/span.ts"
import { replyCsv } from "../../shared/http/csv.ts"
import { commonRefusals } from "../../shared/http/refusals.ts"
import { reply, replyList } from "../../shared/http/replies.ts"
import { Wallets } from "./Wallets.ts"
import { balanceTransactionView, balanceView, ledgerLinkView } from "./WalletView.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "balance",
  Effect.fnUntraced(function* (handlers) {
    const wallets = yield* Wallets
    const { InvalidField } = commonRefusals

    return handlers.handleAll({
      get: span("balance.get")(function* ({ query }) {
        const wallet = yield* wallets.balance({ ...(yield* Caller), currency: query.currency ?? "USD" })
        return yield* reply(balanceView(wallet))
      }),

      transactions: span("balance.transactions")(function* ({ query }) {
        const account = yield* Caller
        if (query.format === "csv") {
          const file = yield* wallets.ledgerExported(account, query)
          return yield* replyCsv("balance_transactions", BalanceTransactionResource, file, balanceTransactionView)
        }
        const page = yield* wallets.ledger(account, query)
        return yield* replyList("balance_transaction", "/v1/balance_transactions", page, balanceTransactionView)
      }, Effect.catchTags({ InvalidField })),

      chain: span("balance.chain")(function* ({ params: { currency }, query }) {
        const { format: _, ...request } = query
        const page = yield* wallets.ledger(yield* Caller, { ...request, currency })
        return yield* replyList("ledger_link", `/v1/ledger/${currency}/chain`, page, ledgerLinkView)
      }, Effect.catchTags({ InvalidField }))
    })
  })
)
