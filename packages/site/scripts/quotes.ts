/** Updates the code in the documents that is quoted from programs (`src/quotes.ts`). */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { withQuotes } from "../src/quotes.ts"

const repository = path.resolve(import.meta.dirname, "../../..")
const read = (file: string) => readFileSync(path.join(repository, file), "utf8")

for (const name of readdirSync(path.join(repository, "docs"), { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".md")) continue
  const file = path.join("docs", name)
  const before = read(file)
  const after = withQuotes(before, read)
  if (after !== before) writeFileSync(path.join(repository, file), after)
}
