/**
 * Once for all test files: the program in a few files. A process that loads a thousand modules uses two seconds of the
 * processor until it is ready, and one second with these. The tests start more than a hundred processes.
 */
import { mkdtempSync, mkdirSync, rmSync } from "node:fs"
import path from "node:path"
import type { TestProject } from "vitest/node"
import { bundle } from "../../../scripts/bundle.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The program that a process of the tests runs instead of src/main.ts. */
    readonly program: string
  }
}

const repository = path.resolve(import.meta.dirname, "../../..")

export default async function (project: TestProject) {
  // Below the repository, where the program finds package.json and what it serves.
  const cache = path.join(repository, "node_modules/.cache")
  mkdirSync(cache, { recursive: true })
  const dir = mkdtempSync(path.join(cache, "program-"))
  project.provide("program", await bundle({ sources: repository, dir, sourcemap: true, ending: "mjs" }))
  return () => rmSync(dir, { recursive: true, force: true })
}
