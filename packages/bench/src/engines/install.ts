/**
 * Installs the durable engines beside this file, from their own lock file, when the bench first needs them: a server of
 * 216 MB is nothing that `npm ci` of the repository should bring. Their install scripts are not run.
 */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import path from "node:path"
import { say } from "../say.ts"

const folder = import.meta.dirname

export const installEngines = (): void => {
  if (existsSync(path.join(folder, "node_modules/.package-lock.json"))) return
  say("Installing Restate and DBOS")
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" })
}
