/**
 * `npm pack` of a shop's plugin runs it in the plugin's folder: makes `dist` of its files and of ours. The types of the
 * shop system are not installed here, so nothing is checked; `npm run test:shops` does that (docs/decisions/0278).
 */
import { compile } from "../../../scripts/builtPackage.ts"

compile(process.cwd())
