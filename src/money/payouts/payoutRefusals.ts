/** Errors of payouts as errors on the wire, for the operator (silences: B2, B11). */
import * as Wire from "@coffer/contract/Errors"
import type { PayoutConflict } from "@coffer/rules/payout/Payout"
import type { InsufficientBalance } from "@coffer/rules/wallet/post"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { PayoutNotFound, PayoutReferenceTaken } from "./Payouts.ts"

const conflictMessage = {
  not_approved: "The payout has not been approved yet.",
  already_approved: "The payout is already approved.",
  already_succeeded: "The payout has already succeeded.",
  already_rejected: "The payout was rejected.",
  already_failed: "The payout has failed."
} satisfies Record<PayoutConflict["reason"], string>

export const payoutRefusals = {
  InsufficientBalance: refuseAs(Wire.InsufficientBalance, ({ usable }: InsufficientBalance) => ({
    message: `The available balance does not cover the payout: ${usable} minor units are available.`,
    param: "amount"
  })),
  PayoutNotFound: refuseAs(Wire.PayoutNotFound, ({ payoutNo }: PayoutNotFound) => ({
    message: `No payout ${payoutNo}.`
  })),
  PayoutConflict: refuseAs(Wire.Conflict, ({ reason }: PayoutConflict) => ({ message: conflictMessage[reason] })),
  PayoutReferenceTaken: refuseAs(Wire.Conflict, ({ differs, reference }: PayoutReferenceTaken) => ({
    message: `The reference ${reference} was already used for a payout with a different ${differs}.`,
    param: differs
  }))
}
