/**
 * `npm pack` runs it before it packs: makes `dist` from `src`, since Node runs no TypeScript inside `node_modules`, and
 * lets the manifest name it. `unpack.ts` turns the manifest back. `tsc` is on npm's path.
 */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { home, namePublished } from "./manifest.ts"

const dist = path.join(home, "dist")

rmSync(dist, { recursive: true, force: true })
const { error, status } = spawnSync("tsc", ["-p", home], { stdio: ["ignore", "inherit", "inherit"] })
if (error !== undefined || status !== 0) throw error ?? new Error(`tsc ended with ${status}`)

for (const name of readdirSync(dist)) {
  if (!name.endsWith(".d.ts")) continue
  const file = path.join(dist, name)
  // The compiler does it for modules only.
  writeFileSync(file, readFileSync(file, "utf8").replace(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"'))
}
namePublished(true)
