/** `npm pack` runs it: builds `dist`, the published form, from `src`. `tsc` is on npm's path. */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const dist = `${root}dist`

rmSync(dist, { recursive: true, force: true })
const { error, status } = spawnSync("tsc", ["-p", root], { stdio: ["ignore", "inherit", "inherit"] })
if (error !== undefined || status !== 0) throw error ?? new Error(`tsc ended with ${status}`)

// The compiler only does this for modules.
for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".d.ts")) continue
  const text = readFileSync(`${dist}/${name}`, "utf8")
  writeFileSync(`${dist}/${name}`, text.replace(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"'))
}
