/** An entry in a JSON file of somebody else: it is put there and taken out, and nothing else changes. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { type Entry, fileWith, standingOf, withEntry, withoutEntry } from "../../packages/cli/src/insertedJson.ts"
import { section, withoutSection, withSection } from "../../packages/cli/src/agentFiles.ts"

const entry: Entry = {
  group: "mcpServers",
  name: "coffer",
  value: { command: "npx", args: ["--no-install", "coffer", "mcp"] }
}

const merged = (whole: Record<string, object>) => ({
  ...whole,
  [entry.group]: { ...whole[entry.group], [entry.name]: entry.value }
})

const parsed = (text: string): unknown => JSON.parse(text)

describe("an entry in a JSON file", () => {
  it("is added to what is there, and taken out again to the byte, however the file is written", () => {
    const inner = fc.dictionary(
      fc.string(),
      fc.oneof(fc.string(), fc.constant({ a: [1, { b: "}" }] }), fc.constant({}))
    )
    const files = fc.record({
      others: fc.dictionary(fc.string(), fc.oneof(inner, fc.string())),
      group: fc.option(inner, { nil: undefined }),
      indent: fc.constantFrom(undefined, 2, 4, "\t"),
      end: fc.constantFrom("", "\n", "\r\n")
    })
    fc.assert(
      fc.property(files, ({ end, group, indent, others }) => {
        const { [entry.group]: _, ...rest } = others
        const { [entry.name]: __, ...own } = group ?? {}
        const whole = { ...rest, ...(group === undefined ? {} : { [entry.group]: own }) }
        const text = JSON.stringify(whole, undefined, indent) + end
        const added = withEntry(text, entry)!
        assert.deepStrictEqual(parsed(added), merged(whole as Record<string, object>) as unknown)
        assert.strictEqual(standingOf(text, entry), "none")
        assert.strictEqual(standingOf(added, entry), "ours")
        assert.strictEqual(withEntry(added, entry), added)
        assert.strictEqual(withoutEntry(added, entry), text)
      }),
      { numRuns: 500, examples: [[{ others: { __proto__x: "" }, group: {}, indent: 2, end: "" }]] }
    )
  })

  it("is added beside comments, which stay", () => {
    const text =
      '// ours: { "mcpServers": 1 }\n{\n  /* } */ "mcpServers": { // "coffer": {}\n    "other": {},\n  },\n}\n'
    const added = withEntry(text, entry)!
    assert.include(added, '// "coffer": {}')
    assert.strictEqual(withoutEntry(added, entry), text)
  })

  it("is left alone where it is another one, and where a file is no object", () => {
    const other = '{ "mcpServers": { "coffer": { "command": "mine" } } }'
    assert.strictEqual(standingOf(other, entry), "other")
    assert.strictEqual(withEntry(other, entry), other)
    for (const text of ["", "[]", '"text"', '{ "mcpServers": [] }', '{ "mcpServers": ', "{}{}"]) {
      assert.isUndefined(withEntry(text, entry), text)
    }
    assert.deepStrictEqual(parsed(fileWith(entry)), merged({}))
  })
})

describe("the section of AGENTS.md", () => {
  it("is at the end of what is there, once, and taken out again to the byte", () => {
    const texts = ["", "\n", "# Mine", "# Mine\n", "# Mine\n\n", "a\r\nb\r\n", "$& $1 $`\n"]
    for (const text of texts) {
      const added = withSection(text)
      assert.include(added, section)
      assert.isTrue(added.startsWith(text))
      assert.strictEqual(withSection(added), added)
      assert.strictEqual(withoutSection(added), text)
      const older = added.replace("Payments with Coffer", "An earlier release")
      assert.strictEqual(withSection(older), added)
    }
    assert.isUndefined(withoutSection("# Mine\n"))
    assert.strictEqual(withoutSection(`${withSection("# Mine\n")}\nMore\n`), "# Mine\n\nMore\n")
  })
})
