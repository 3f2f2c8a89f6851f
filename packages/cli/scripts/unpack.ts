/** `npm pack` runs it afterwards: points the manifest at the sources again, which this repository runs. */
import path from "node:path"
import { nameExports } from "../../../scripts/builtPackage.ts"

nameExports(path.resolve(import.meta.dirname, ".."))
