/** `npm run sdk`: writes the files of `src/generated`. */
import { writeFileSync } from "node:fs"
import { generate } from "./generate.ts"

for (const [name, text] of Object.entries(generate())) {
  writeFileSync(new URL(`../src/generated/${name}`, import.meta.url), text)
}
