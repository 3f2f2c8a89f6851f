/**
 * How the tests run. Folder = cost: `rules` needs nothing; `http`, `store` and `cluster` need the embedded
 * Postgres that the global set-up starts once; `pages` needs Chromium as well.
 */
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/kit/globalSetup.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Two cores: more workers only make every test slower.
    maxWorkers: 2
  }
})
