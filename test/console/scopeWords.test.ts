/** The permissions of keys in words. */
import { Scope } from "@coffer/model/Scopes"
import { assert, it } from "@effect/vitest"
import { scopeText } from "../../packages/console/src/merchant/scopeWords.ts"

it("each permission has words of its own in English and in Chinese, and one of a newer version its machine name", () => {
  for (const language of ["en", "zh"] as const) {
    const texts = Scope.literals.map((scope) => scopeText(scope, language))
    assert.isEmpty(texts.filter((text) => /^[a-z_]+:/.test(text)))
    assert.strictEqual(new Set(texts).size, Scope.literals.length)
  }
  assert.strictEqual(scopeText("orders:write", "en"), "Orders: read and write")
  assert.strictEqual(scopeText("orders:write", "zh"), "订单：读写")
  assert.strictEqual(scopeText("shelves:read", "en"), "shelves:read")
})
