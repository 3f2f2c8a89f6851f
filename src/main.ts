/**
 * Starts the program with the code that an earlier start has compiled, which halves the processor time of a start.
 * Modules that are imported statically are compiled before the first line here runs, so the program itself is imported
 * dynamically.
 */
import { enableCompileCache } from "node:module"
import { fileURLToPath } from "node:url"
import "./v8.ts"

// Beside the installed packages, and not in a folder for temporary files, where others could put code for us to run.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/coffer", import.meta.url)))
await import("./commandLine.ts")
