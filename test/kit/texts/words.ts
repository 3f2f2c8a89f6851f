/** The text of a file as comments, code and names, and the words that docs/words.md retires, for `tidy.test.ts`. */

const comment = /\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm
export const code = (text: string) => text.replace(comment, "")
/** Without literals. The evaluated parts of a template stay. */
const codeWithoutTexts = (text: string) =>
  code(text)
    .replaceAll(/"(?:\\.|[^"\\\n])*"/g, '""')
    .replaceAll(/`[^`]*`/g, (template) => (template.match(/\$\{[^}]*\}/g) ?? []).join(" "))

/**
 * Words that docs/words.md retires. Each has the text in which it is looked for, and the rooms that still have it.
 * A room leaves the list when it is clean. None is added.
 */
export const retired: ReadonlyArray<{
  readonly word: RegExp
  readonly found: (text: string) => string
  readonly stillIn: ReadonlyArray<string>
}> = [
  {
    // The actor of the audit log is who did something.
    word: /\bactors?\b/i,
    found: (text) => (text.match(comment) ?? []).join("\n"),
    stillIn: []
  },
  {
    word: /\b(const|let|class|type|interface|readonly) (alone|told|said|seen|asked|given|beside|elsewhere)\b/i,
    found: code,
    stillIn: []
  },
  {
    // The same as names of parameters and fields. Fields that travel or are printed keep theirs (docs/words.md).
    word: /(?<![\w.$-])(alone|told|said|seen|asked|given|beside|elsewhere)(?![\w-])/,
    found: codeWithoutTexts,
    stillIn: [
      "packages/bench",
      "packages/cli",
      "packages/console",
      "packages/rules/src/dispute",
      "src/money/disputes",
      "src/door/doctor",
      "src/access/people",
      "src/platform/cluster",
      "src/money/refunds"
    ]
  },
  // Words with one meaning, each with the rooms that have it for good: the ends of refunds, the right under a key (and
  // what an identity provider says of a person), and sessions at Stripe that these books do not know.
  {
    word: /(?:\b[sS]|[a-z]S)ettle/,
    found: (text) => codeWithoutTexts(text).replaceAll("allSettled", ""),
    stillIn: [
      "packages/cli/src",
      "packages/console/src/merchant",
      "packages/contract/src",
      "packages/oracle/src",
      "packages/resources/src",
      "packages/rules/src/refund",
      "packages/sdk/src/generated",
      "packages/testkit/src",
      // A word of its shop system.
      "packages/vendure/src",
      "src/shared/channel",
      "src/channels/bank",
      "src/money/refunds",
      "src/channels/sandbox",
      "src/reads/timeline"
    ]
  },
  {
    word: /(?:\b[cC]|[a-z]C)laim/,
    found: codeWithoutTexts,
    stillIn: [
      "packages/rules/src/people",
      "src/door/edge",
      "src/shared/idempotency",
      "src/access/people",
      "src/money/refunds",
      "src/channels/sandbox"
    ]
  },
  {
    word: /(?:\b[sS]|[a-z]S)trays?(?!\w*Session|_sessions?)/,
    found: codeWithoutTexts,
    stillIn: ["packages/console/src/operator", "src/channels/stripe"]
  }
]
