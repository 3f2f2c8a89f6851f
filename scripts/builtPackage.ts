/**
 * A package whose sources this repository runs directly, as npm publishes it. Node does not run TypeScript inside
 * `node_modules`, so `npm pack` first compiles the package and points its manifest to the compiled files, and points it
 * back to the sources afterwards. npm has no setting for that.
 */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"

const sources = { "./*": "./src/*.ts" }
export const built = { "./*": { types: "./dist/*.d.ts", default: "./dist/*.js" } }

/** `home`: the folder of the package. `tsc` is on npm's path. */
export const compile = (home: string): void => {
  const dist = path.join(home, "dist")
  rmSync(dist, { recursive: true, force: true })
  const { error, status } = spawnSync("tsc", ["-p", home], { stdio: ["ignore", "inherit", "inherit"] })
  if (error !== undefined || status !== 0) throw error ?? new Error(`tsc ended with ${status}`)
  for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".d.ts")) continue
    const file = path.join(dist, name)
    // The compiler does it for modules only.
    writeFileSync(file, readFileSync(file, "utf8").replace(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"'))
  }
}

export const nameExports = (home: string, exports: object = sources): void => {
  const file = path.join(home, "package.json")
  const manifest = { ...JSON.parse(readFileSync(file, "utf8")), exports }
  writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`)
}
