/**
 * Generates the Python package's modules from the contract. Places, methods and names are those of the JavaScript SDK,
 * in snake case, since both are made from the same operations.
 */
import { operationsIn } from "../../sdk/generator/operations.ts"
import { published } from "../../sdk/generator/generate.ts"
import { pythonResourcesOf } from "./resources.ts"
import { pythonTypesOf } from "./types.ts"

/** By their names in the folder `coffer`. */
export const generatePython = (): Readonly<Record<string, string>> => {
  const document = published()
  const operations = operationsIn(document)
  return {
    "types.py": `${pythonTypesOf(document, operations)}\n`,
    "_resources.py": `${pythonResourcesOf(document, operations)}\n`
  }
}
