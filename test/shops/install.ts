/**
 * `npm run test:shops` begins with it: installs each shop system by its own lock file, and into it the SDK and the
 * plugin as they are published, and checks the plugin's types against the shop's. Scripts of packages are not run, so
 * nothing comes from anywhere but npm.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"

const root = path.resolve(import.meta.dirname, "../..")
const archives = mkdtempSync(path.join(tmpdir(), "coffer-shops-"))
const run = (cwd: string, program: string, ...words: ReadonlyArray<string>) =>
  execFileSync(program, words, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim()
const pack = (name: string) =>
  path.join(archives, run(path.join(root, "packages", name), "npm", "pack", "--silent", "--pack-destination", archives))

try {
  const sdk = pack("sdk")
  for (const name of ["vendure", "medusa"]) {
    const home = path.join(import.meta.dirname, name)
    const quietly = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    run(home, "npm", "ci", ...quietly)
    run(home, "npm", "install", "--no-save", ...quietly, sdk, pack(name))
    run(home, "tsc", "-p", home)
  }
} finally {
  rmSync(archives, { recursive: true })
}
