/** How `npm run test:shops` runs: real shop systems in processes of their own, which it has installed before. */
import { defineConfig } from "vitest/config"
import { resolve, test } from "./vitest.config.ts"

const { globalSetup: _, setupFiles: __, ...common } = test

export default defineConfig({
  resolve,
  test: { ...common, include: ["test/shops/*.test.ts"], exclude: [], testTimeout: 60_000, hookTimeout: 120_000 }
})
