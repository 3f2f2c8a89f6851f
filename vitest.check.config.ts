/** How `npm run check` runs: only tests that need nothing, so no Postgres is started for them. */
import { defineConfig } from "vitest/config"

export const ofCheck = ["test/tidy.test.ts", "test/rules/**/*.test.ts", "test/sdk/generated.test.ts"]

export default defineConfig({
  test: {
    include: ofCheck,
    testTimeout: 600_000,
    maxWorkers: 2,
    isolate: false
  }
})
