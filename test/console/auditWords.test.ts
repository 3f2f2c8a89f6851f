/** A merchant's audit log in words. */
import { consoleAct, type ConsoleActName, consoleActs, merchantAct, merchantActs } from "@coffer/contract/acts"
import { type Operation, operatorAct, type OperatorActName, operatorActs } from "@coffer/contract/acts"
import { assert, it } from "@effect/vitest"
import { actText, auditWords, objectOf } from "../../packages/console/src/merchant/auditWords.ts"

it("each act that is logged, of people, keys and operators, has words in both languages", () => {
  const ofPeople = (Object.keys(consoleActs) as ReadonlyArray<ConsoleActName>).filter((act) => consoleAct(act).isLogged)
  const ofKeys = (Object.keys(merchantActs) as ReadonlyArray<Operation>).filter((act) => merchantAct(act).isLogged)
  const ofOperators = (Object.keys(operatorActs) as ReadonlyArray<OperatorActName>).filter(
    (act) => operatorAct(act).isLogged || operatorAct(act).isSeen === true
  )
  for (const act of [...ofPeople, ...ofKeys, ...ofOperators]) {
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
