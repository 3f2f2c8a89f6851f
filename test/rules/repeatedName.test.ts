/** Names that a JSON text has twice in one object (silences: G30). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { repeatedName } from "../../src/shared/http/repeatedName.ts"

describe("a name given twice", () => {
  it.each([
    ['{"amount":1,"amount":2}', "amount"],
    ['{ "a" : {} , "b" : [ ] , "a" : null }', "a"],
    ['{"metadata":{"k":"1","k":"1"}}', "metadata.k"],
    ['{"files":[{"url":"a"},{"url":"b","type":"c","url":"d"}]}', "files[1].url"],
    ['[[],[{"x":1},{"x":{"y":[],"y":0}}]]', "[1][1].x.y"],
    ['{"amount":1,"\\u0061mount":2}', "amount"],
    ['{"a\\"b":1,"a\\"b":2}', 'a"b'],
    ['{"\\\\":1,"\\\\":2}', "\\"],
    ['{"__proto__":1,"__proto__":2}', "__proto__"],
    ['{"":1,"":2}', ""]
  ])("is found by its path in %s", (json, path) => {
    assert.strictEqual(repeatedName(json), path)
  })

  it.each([
    "",
    "null",
    '"a"',
    '{"a":"a","b":"a"}',
    '{"a":{"a":{"a":1}},"b":{"a":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":"{\\"b\\":1,\\"b\\":2}"}',
    '{"a":["x","x"],"b":"c,\\"a\\":"}',
    '{"A":1,"a":2,"a ":3}'
  ])("is not in %s", (json) => {
    assert.isUndefined(repeatedName(json))
  })

  it("is in no text that was made from values", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => assert.isUndefined(repeatedName(JSON.stringify(value))))
    )
  })

  it("is found wherever a value is given once more", () => {
    const keys = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(keys, fc.jsonValue(), fc.nat(), (names, value, pick) => {
        const members = names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
        const again = members[pick % members.length]!
        assert.strictEqual(repeatedName(`{${[...members, again].join(",")}}`), names[pick % names.length])
      })
    )
  })
})
