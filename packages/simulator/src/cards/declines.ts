/** Decline codes on the wire, with the texts for the buyer. */
import type { Decline } from "./cards.ts"

export interface DeclineWords {
  readonly code: "card_declined" | "expired_card" | "incorrect_cvc" | "processing_error" | "incorrect_number"
  readonly declineCode: string | undefined
  readonly message: string
  readonly advice: "confirm_card_data" | "do_not_try_again" | "try_again_later"
}

const declined = (
  declineCode: string,
  message: string,
  advice: DeclineWords["advice"] = "try_again_later"
): DeclineWords => ({ code: "card_declined", declineCode, message, advice })

const wrong = (code: Exclude<DeclineWords["code"], "card_declined">, message: string): DeclineWords => ({
  code,
  declineCode: code === "incorrect_number" ? undefined : code,
  message,
  advice: code === "processing_error" ? "try_again_later" : "confirm_card_data"
})

export const declineWords: Readonly<Record<Decline, DeclineWords>> = {
  generic_decline: declined("generic_decline", "Your card was declined."),
  insufficient_funds: declined("insufficient_funds", "Your card has insufficient funds."),
  lost_card: declined("lost_card", "Your card was declined.", "do_not_try_again"),
  stolen_card: declined("stolen_card", "Your card was declined.", "do_not_try_again"),
  card_velocity_exceeded: declined("card_velocity_exceeded", "Your card was declined for making repeated attempts."),
  expired_card: wrong("expired_card", "Your card has expired."),
  incorrect_cvc: wrong("incorrect_cvc", "Your card's security code is incorrect."),
  processing_error: wrong(
    "processing_error",
    "An error occurred while processing your card. Try again in a little bit."
  ),
  incorrect_number: wrong("incorrect_number", "Your card number is incorrect.")
}
