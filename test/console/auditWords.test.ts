/** A merchant's audit log in words. */
import { consoleAct, type ConsoleActName, consoleActs, merchantAct, merchantActs } from "@coffer/contract/acts"
import type { Operation } from "@coffer/contract/acts"
import { assert, it } from "@effect/vitest"
import { actText, auditWords, objectOf } from "../../packages/console/src/merchant/auditWords.ts"

it("each act of a merchant's people that is logged has words in both languages", () => {
  // Those of a person alone name no merchant.
  const ofPeople = (Object.keys(consoleActs) as ReadonlyArray<ConsoleActName>).filter(
    (act) => consoleAct(act).isLogged && /^(people|api_keys|main_keys|settings)\./.test(act)
  )
  const ofKeys = (Object.keys(merchantActs) as ReadonlyArray<Operation>).filter((act) => merchantAct(act).isLogged)
  for (const act of [...ofPeople, ...ofKeys]) {
    assert.include(auditWords, act)
    for (const language of ["en", "zh"] as const) assert.notInclude(actText(`console:${act}`, language), ".")
  }
  assert.strictEqual(actText("of.tomorrow", "en"), "of.tomorrow")
})

it("names the object of a path, and not its merchant", () => {
  const body = "01M8B6V6AY30EH3C6QFGW4WJY0"
  assert.strictEqual(objectOf(`/console/api/merchants/mer_${body}/api_keys/key_${body}/roll`), `key_${body}`)
  assert.strictEqual(
    objectOf(`/console/api/accounts/mer_${body}/sandbox/orders/TRD_SB_${body}/expire`),
    `TRD_SB_${body}`
  )
  assert.isUndefined(objectOf(`/operator/v1/merchants/mer_${body}/suspend`))
})
