/**
 * Once for all test files: the program in a few files. A process that loads a thousand modules uses two seconds of the
 * processor until it is ready, and one second with these. The tests start more than a hundred processes.
 */
import { mkdtempSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import path from "node:path"
import { build, type Plugin } from "rolldown"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** What a process of the tests runs instead of src/main.ts. */
    readonly program: string
  }
}

const repository = path.resolve(import.meta.dirname, "../..")

/** A bundle has no folder of migrations: each is imported by its name. */
const migrationsByName: Plugin = {
  name: "migrations by name",
  load: (file) => {
    if (!file.endsWith("src/platform/postgres/migrationFiles.ts")) return undefined
    const names = readdirSync(path.join(path.dirname(file), "migrations"))
    const entries = names.map((name) => `${JSON.stringify(name)}: () => import("./migrations/${name}")`)
    return `export const migrationFiles = {${entries.join(",")}}`
  }
}

export default async function (project: TestProject) {
  // In a folder as deep as src/platform/runtime, from which the program looks for package.json and node_modules.
  const cache = path.join(repository, "node_modules/.cache")
  mkdirSync(cache, { recursive: true })
  const dir = mkdtempSync(path.join(cache, "program-"))
  await build({
    input: path.join(repository, "src/main.ts"),
    platform: "node",
    logLevel: "warn",
    plugins: [migrationsByName],
    output: { dir, sourcemap: true }
  })
  project.provide("program", path.join(dir, "main.js"))
  return () => rmSync(dir, { recursive: true, force: true })
}
