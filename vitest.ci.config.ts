/** How `npm run test:ci` runs: every test of `npm run test:all` but those that `npm run check` has run before it. */
import { defineConfig } from "vitest/config"
import all from "./vitest.all.config.ts"
import { ofCheck } from "./vitest.check.config.ts"

const { test } = all

export default defineConfig({ ...all, test: { ...test, exclude: [...test!.exclude!, ...ofCheck] } })
