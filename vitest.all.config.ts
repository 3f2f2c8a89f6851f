/** How `npm run test:all` runs: every test but two folders that are run alone: `npm run test:chaos`
 * and `npm run test:shops`. */
import { configDefaults, defineConfig } from "vitest/config"
import { resolve, test } from "./vitest.config.ts"

export default defineConfig({
  resolve,
  test: {
    ...test,
    include: [...test.include!, "examples/*/test/*.test.ts"],
    exclude: [...configDefaults.exclude, "test/{chaos,shops}/**"]
  }
})
