/** A file is what its first bytes say (silences: D6). */
import { fileKind, headLength } from "@coffer/rules/files/fileKind"
import { assert, describe, it } from "@effect/vitest"

const bytes = (text: string) => Buffer.from(text, "latin1")
const pdf = { contentType: "application/pdf", extension: "pdf" }
const png = { contentType: "image/png", extension: "png" }
const jpeg = { contentType: "image/jpeg", extension: "jpg" }

describe("a file", () => {
  it.each([
    ["%PDF-1.7", pdf],
    ["%PDF-", pdf],
    ["\u0089PNG\r\n\u001a\n", png],
    ["\u00ff\u00d8\u00ff\u00e0", jpeg],
    ["\u00ff\u00d8\u00ff\u00db\u0000", jpeg]
  ])("that begins with %j is of that kind", (head, kind) => {
    assert.deepStrictEqual(fileKind(bytes(head)), kind as never)
  })

  it("is no kind at all where one byte of its beginning is another, or is missing", () => {
    for (const head of ["%PDF-", "\u0089PNG\r\n\u001a\n", "\u00ff\u00d8\u00ff"]) {
      for (let index = 0; index < head.length; index++) {
        const wrong = bytes(head)
        wrong[index]! ^= 1
        assert.isUndefined(fileKind(wrong), `byte ${index} of ${JSON.stringify(head)}`)
      }
      assert.isUndefined(fileKind(bytes(head.slice(0, -1))))
    }
    assert.isUndefined(fileKind(bytes("<svg></svg>")))
    assert.isUndefined(fileKind(new Uint8Array()))
  })

  it("is recognized by its first eight bytes", () => {
    assert.strictEqual(headLength, 8)
  })
})
