/**
 * Starts the program with the code that an earlier start has compiled, which halves the processor time of a start.
 * Modules that are imported statically are compiled before the first line here runs, so the program itself is imported
 * dynamically.
 */
import { existsSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { env } from "node:process"
import { fileURLToPath } from "node:url"
import { findQuickly } from "./quickModules.ts"
import "./v8.ts"

// Next to the installed packages, not in a folder for temporary files, where others could place code for us to run. The
// published program is next to its package.json.
const folder = existsSync(new URL("./package.json", import.meta.url)) ? "./" : "../"
enableCompileCache(fileURLToPath(new URL(`${folder}node_modules/.cache/coffer`, import.meta.url)))
// Node's own way tells a watching parent which files were read.
if (import.meta.filename.endsWith(".ts") && env["WATCH_REPORT_DEPENDENCIES"] === undefined) findQuickly()
await import("./commandLine.ts")
