/** `npm run sdk` runs it after the SDK's own: writes the generated modules of the Python package. */
import { writeFileSync } from "node:fs"
import { generatePython } from "./generate.ts"

for (const [name, text] of Object.entries(generatePython())) {
  writeFileSync(new URL(`../coffer/${name}`, import.meta.url), text)
}
