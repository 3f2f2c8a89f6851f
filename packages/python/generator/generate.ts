/**
 * The modules of the Python package that follow from the contract. Places, methods and names are those of the SDK for
 * JavaScript, in snake case, since both read the same operations.
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
