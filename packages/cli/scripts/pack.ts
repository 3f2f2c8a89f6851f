/** `npm pack` runs it: makes `dist`, the program in one file with all that it loads, so that it needs no package. */
import { rmSync } from "node:fs"
import path from "node:path"
import { build } from "rolldown"

const home = path.resolve(import.meta.dirname, "..")
const dist = path.join(home, "dist")

rmSync(dist, { recursive: true, force: true })
await build({
  input: path.join(home, "src/main.ts"),
  platform: "node",
  // For `coffer stripe rehearse` alone, which says where it can be run.
  external: [/^@coffer\/simulator/],
  logLevel: "warn",
  output: { dir: dist, minify: true }
})
