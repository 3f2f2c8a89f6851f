/** How `npm run test:chaos` runs: one file at a time, since each takes the machine for itself. */
import { configDefaults, defineConfig } from "vitest/config"
import { stuckFiles } from "./test/kit/run/stuckFiles.ts"
import { resolve, test } from "./vitest.config.ts"

export default defineConfig({
  resolve,
  test: {
    ...test,
    include: ["test/chaos/*.test.ts"],
    fileParallelism: false,
    exclude: configDefaults.exclude,
    reporters: ["default", stuckFiles({ stuckMillis: 4_000_000 })]
  }
})
