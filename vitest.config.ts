/**
 * How `npm test` runs: with nothing but Node and the embedded Postgres that the global set-up starts once. A test's place
 * says what it costs. Browsers, packages, Python, Stripe's simulator and several runners have folders, and a file that
 * alone takes seventeen seconds of a worker is a `.long.test.ts`: `npm run test:all` runs them too.
 */
import path from "node:path"
import { configDefaults, defineConfig, type TestUserConfig } from "vitest/config"
import { useMemory } from "./packages/testkit/src/memoryFolder.ts"
import { redFiles } from "./test/kit/run/redFiles.ts"
import { stuckFiles } from "./test/kit/run/stuckFiles.ts"

useMemory()

export const test: TestUserConfig = {
  include: ["test/**/*.test.ts"],
  exclude: [
    ...configDefaults.exclude,
    "test/{bench,chaos,cli,cluster,console,models,ops,pages,python,shops,simulation,stripe,testkit}/**",
    "test/**/*.long.test.ts"
  ],
  globalSetup: ["test/kit/run/globalSetup.ts", "test/kit/program/program.ts"],
  setupFiles: ["test/kit/run/freshMetrics.ts", "test/kit/run/yieldsOften.ts"],
  // A time-out is no verdict: it says how busy the machine is. This one only ends what would hang for ever.
  testTimeout: 600_000,
  reporters: ["default", stuckFiles({ stuckMillis: 900_000 }), redFiles(process.env["RUN_OUTCOME_FILE"])],
  hookTimeout: 180_000,
  // On two cores: a third of the time a test waits, for Postgres, a browser or a process.
  maxWorkers: 4,
  // Fibers make much that is soon garbage: with room for it a test takes a seventh less of the processor.
  execArgv: ["--max-semi-space-size=64"],
  // Modules are loaded once per worker and not once per file, which would take half of all the time.
  isolate: false
}

/** The packages' exports name what their builds make. */
export const resolve = {
  alias: {
    "@coffer/sdk": path.resolve("packages/sdk/src/index.ts"),
    "@coffer/testkit/effect": path.resolve("packages/testkit/src/effect.ts"),
    "@coffer/testkit": path.resolve("packages/testkit/src/index.ts")
  }
}

export default defineConfig({ test, resolve })
