/**
 * The files of `migrations/`, each loaded when it is needed. A bundle of the program has no such folder, so the bundler
 * puts a module with the same names in place of this one (`test/kit/program.ts`).
 */
import { readdirSync } from "node:fs"
import path from "node:path"

const folder = path.join(import.meta.dirname, "migrations")

/** By file name: `0001_main_job.ts`. */
export const migrationFiles: Readonly<Record<string, () => Promise<unknown>>> = Object.fromEntries(
  readdirSync(folder).map((file) => [file, () => import(path.join(folder, file))])
)
