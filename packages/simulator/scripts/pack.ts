/** `npm pack` runs it before it packs. `unpack.ts` turns the manifest back. Programs start a simulator with `start`. */
import path from "node:path"
import { compile, nameExports } from "../../../scripts/builtPackage.ts"

const home = path.resolve(import.meta.dirname, "..")

compile(home)
nameExports(home, { "./start": { types: "./dist/start.d.ts", default: "./dist/start.js" } })
