/** `npm pack` runs it before it packs. `unpack.ts` turns the manifest back. */
import path from "node:path"
import { built, compile, nameExports } from "../../../scripts/builtPackage.ts"

const home = path.resolve(import.meta.dirname, "..")

compile(home)
nameExports(home, built)
