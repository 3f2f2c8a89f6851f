/** How `npm run test:all` runs: all that `npm test` runs, and `cluster`. `chaos` is alone: `npm run test:chaos`. */
import { configDefaults, defineConfig } from "vitest/config"
import { resolve, test } from "./vitest.config.ts"

export default defineConfig({
  resolve,
  test: { ...test, exclude: [...configDefaults.exclude, "test/chaos/**"] }
})
