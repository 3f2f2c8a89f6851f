/**
 * Once for all test files: the program in a few files. A process that loads a thousand modules uses two seconds of the
 * processor until it is ready, and one second with these. The tests start more than a hundred processes.
 */
import { mkdtempSync, mkdirSync, rmSync } from "node:fs"
import path from "node:path"
import { build } from "rolldown"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** The program that a process of the tests runs instead of src/main.ts. */
    readonly program: string
  }
}

const repository = path.resolve(import.meta.dirname, "../../..")

export default async function (project: TestProject) {
  // In a folder as deep as src/platform/runtime, from which the program looks for package.json and node_modules.
  const cache = path.join(repository, "node_modules/.cache")
  mkdirSync(cache, { recursive: true })
  const dir = mkdtempSync(path.join(cache, "program-"))
  await build({
    input: path.join(repository, "src/main.ts"),
    platform: "node",
    logLevel: "warn",
    output: { dir, sourcemap: true }
  })
  project.provide("program", path.join(dir, "main.js"))
  return () => rmSync(dir, { recursive: true, force: true })
}
