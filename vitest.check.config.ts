/** How `npm run check` runs: only tests that need nothing, so no Postgres is started for them. */
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/tidy.test.ts", "test/rules/**/*.test.ts", "test/sdk/generated.test.ts"],
    testTimeout: 600_000,
    maxWorkers: 2,
    isolate: false
  }
})
