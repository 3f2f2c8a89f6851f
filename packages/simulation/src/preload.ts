/**
 * Loaded before everything (`node --import`). While a world runs, time, chance, turns, files and sockets come from it,
 * and from the machine otherwise. Patched here and not through Effect's services, so that clocks which modules keep
 * when they are loaded and timers of libraries follow as well.
 */
// A world is mostly the service, with its flags for V8.
import "../../../src/v8.ts"
import { syncBuiltinESMExports } from "node:module"
import { patchChance } from "./globals/chance.ts"
import { patchDisk } from "./globals/disk.ts"
import { patchNetwork } from "./globals/network.ts"
import { patchProcess } from "./globals/process.ts"
import { rewriteSources } from "./globals/sources.ts"
import { patchTime } from "./globals/time.ts"

patchTime()
patchChance()
patchProcess()
patchDisk()
patchNetwork()
rewriteSources((process.env["PLANTED_FAULT"] ?? "").split(",").filter((name) => name !== ""))
syncBuiltinESMExports()
