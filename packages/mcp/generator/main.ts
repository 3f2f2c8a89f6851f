/** `npm run sdk` runs it after the SDK's own: writes the tools of the MCP server. */
import { writeFileSync } from "node:fs"
import { generateTools } from "./generate.ts"

for (const [name, text] of Object.entries(generateTools())) {
  writeFileSync(new URL(`../src/generated/${name}`, import.meta.url), text)
}
