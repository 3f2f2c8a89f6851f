/**
 * What `coffer agent setup` puts into a project, for Claude Code, Cursor and VS Code, and for every agent that reads
 * `AGENTS.md`. No file has a key: `coffer mcp` reads it from the environment.
 */
import type { Entry } from "./insertedJson.ts"

/** `--no-install`: only the program that is installed, never one of this name from a registry. */
const server = { command: "npx", args: ["--no-install", "coffer", "mcp"] }

/** Settings of others, into which an entry is put. */
export const settings: ReadonlyArray<readonly [file: string, entry: Entry]> = [
  [".mcp.json", { group: "mcpServers", name: "coffer", value: server }],
  [".cursor/mcp.json", { group: "mcpServers", name: "coffer", value: server }],
  [".vscode/mcp.json", { group: "servers", name: "coffer", value: { type: "stdio", ...server } }]
]

const rules = `Coffer takes payments: orders with a hosted checkout, refunds, disputes, payment links, signed webhooks.

- The MCP server \`coffer\` has tools for the account and its documents. Read \`docs_search\` and \`docs_read\` before
  you write code. Without it: \`/llms.txt\` of the service, and each page as Markdown at its address with \`.md\`.
- The key is in the environment: \`COFFER_KEY\`, with the address in \`COFFER_BASE_URL\`. Never write a key into a
  file, and never print one. \`svc_test_…\` is the sandbox, where \`testHelpers_…\` plays the buyer and the bank.
- Amounts are whole numbers of minor units: 1999 is 19.99.
- Create an order with your own \`out_trade_no\`, and send the buyer to its \`checkout_url\`.
- Do not fulfil an order because the buyer came back: fulfil it by the event \`payment.succeeded\`, or when the order
  that you retrieve has the status \`paid\`.
- Verify each webhook with the raw body, answer 2xx quickly, and handle each event once by its \`id\`.
- Send an \`Idempotency-Key\` with each write, and repeat a write whose answer was lost with the same key.
- Test with \`coffer webhooks certify URL\`, and with the sandbox's clock instead of waiting.
`

const about = "Use when code takes payments, refunds, handles webhooks or reconciles with Coffer."

/** Files of ours. */
export const files: ReadonlyArray<readonly [file: string, text: string]> = [
  [".claude/skills/coffer/SKILL.md", `---\nname: coffer\ndescription: ${about}\n---\n\n# Coffer\n\n${rules}`],
  [".cursor/rules/coffer.mdc", `---\ndescription: ${about}\nalwaysApply: false\n---\n\n${rules}`],
  [".github/instructions/coffer.instructions.md", `---\ndescription: ${about}\napplyTo: "**"\n---\n\n${rules}`]
]

export const sectionFile = "AGENTS.md"
const [begin, end] = ["<!-- coffer agent setup: begin -->", "<!-- coffer agent setup: end -->"]
export const section = `${begin}\n## Payments with Coffer\n\n${rules}${end}`

/** With the section at the end, or in the place of an earlier one. */
export const withSection = (text: string): string => {
  const known = sectionIn(text)
  if (known !== undefined) return text.replace(known, () => section)
  return text.endsWith("\n") ? `${text}\n${section}\n` : `${text}\n\n${section}`
}

/** Undefined: it has none. */
export const withoutSection = (text: string): string | undefined => {
  const known = sectionIn(text)
  if (known === undefined) return undefined
  const [before = "", after = ""] = text.split(known)
  // As it was put there: the section ends the file as the text before it did.
  if (after === "") return before.replace(/\n\n$/, "")
  return before.replace(/\n$/, "") + after.replace(/^\n/, "")
}

const sectionIn = (text: string): string | undefined => {
  const from = text.indexOf(begin)
  const to = text.indexOf(end, from)
  return from < 0 || to < 0 ? undefined : text.slice(from, to + end.length)
}
