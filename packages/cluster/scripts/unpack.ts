/** `npm pack` runs it after it has packed: the manifest names the sources again, which this repository runs. */
import path from "node:path"
import { nameExports } from "../../../scripts/builtPackage.ts"

nameExports(path.resolve(import.meta.dirname, ".."))
