/** A form of the checkout page that arrives twice makes one attempt (silences: O32). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { attemptNo, card, openScripted } from "../kit/pages/scriptedCheckout.ts"

const good = card("4242 4242 4242 4242")
const wallet = { step: "pay", method: "alipay" }
const confirmed = { step: "confirm", method: "alipay" }

describe("checkout: attempts", () => {
  it.effect("each form of a page names the attempt that it makes", () =>
    Effect.gen(function* () {
      const { get, post } = yield* openScripted()
      const named = `name="attempt_no" value="${attemptNo}"`
      for (const { text } of [yield* get, yield* post(wallet)]) {
        const forms = text.match(/<form[^>]*method="post"/g) ?? []
        assert.isAbove(forms.length, 0)
        assert.lengthOf(text.split(named), forms.length + 1)
      }
    })
  )

  it.effect("the bank hears the number of the form, and none of a page from before there were numbers", () =>
    Effect.gen(function* () {
      const { numbers, post } = yield* openScripted()
      for (const form of [good, wallet, confirmed]) {
        yield* post({ ...form, attempt_no: attemptNo })
        yield* post(form)
      }
      assert.deepStrictEqual(numbers, [attemptNo, undefined, attemptNo, undefined, attemptNo, undefined])
    })
  )

  it.effect("an unknown number is not accepted as one of our forms", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* openScripted()
      assert.strictEqual((yield* post({ ...good, attempt_no: "1" })).status, 422)
      assert.deepStrictEqual(asked, [])
    })
  )
})
