/** The buyer at Coffer's checkout page, with a test card. */
import { assert } from "vitest"

export const payAtCheckout = async (checkoutUrl: string): Promise<void> => {
  const page = await (await fetch(checkoutUrl)).text()
  const attempt = /name="attempt_no" value="(\w+)"/.exec(page)?.[1]
  assert.isDefined(attempt, page)
  const card = { number: "4242 4242 4242 4242", expiry: "12/40", cvc: "123" }
  const body = new URLSearchParams({ step: "pay", method: "card", attempt_no: attempt!, ...card })
  const answer = await fetch(checkoutUrl, { method: "POST", body, redirect: "manual" })
  assert.include([200, 303], answer.status, await answer.text())
}
