/** A payout as the operator sees it. Pure. */
import type { PayoutResource } from "@coffer/contract/Payouts"
import { payouts } from "@coffer/resources/wallets"
import { makeView } from "@coffer/resources/view"
import type { Payout } from "@coffer/rules/payout/Payout"

export const payoutView: (payout: Payout) => PayoutResource = makeView<Payout>()(payouts, {})
