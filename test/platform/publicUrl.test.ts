/** PUBLIC_URL stands in addresses that buyers and merchants are given, so it holds no password. */
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { settingsOf } from "../kit/program/settings.ts"

const given = {
  SECRET_KEY: "bm90IGEgc2VjcmV0LCBidXQgMzIgYnl0ZXMgbG9uZyE=",
  OPERATOR_TOKEN: "an-operators-token-of-a-test-0123456789"
}

const read = (address: string) => settingsOf({ ...given, PUBLIC_URL: address })

it.effect("PUBLIC_URL is refused with a user or a password, which are not shown, and with a query or a part", () =>
  Effect.gen(function* () {
    for (const address of [
      "https://user:s3cr3t@pay.example",
      "https://s3cr3t@pay.example",
      "https://:s3cr3t@pay.example/base",
      "https://pay.example/?s3cr3t",
      "https://pay.example/#s3cr3t",
      "ftp://s3cr3t.pay.example"
    ]) {
      const told = yield* Effect.result(read(address))
      assert.isTrue(Result.isFailure(told), address)
      assert.include(JSON.stringify(told), "PUBLIC_URL", address)
      assert.notInclude(JSON.stringify(told), "s3cr3t", address)
    }
    assert.strictEqual((yield* read("https://pay.example/base/")).publicUrl, "https://pay.example/base")
  })
)
