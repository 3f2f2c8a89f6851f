/**
 * Flags for V8, set before it has run anything else. A property access that sees more than four object shapes is looked
 * up in a table each time, and the fiber interpreter sees a dozen kinds of steps. With room for sixteen shapes a
 * payment takes about a tenth less CPU, and nothing takes more (docs/performance-notes.md).
 *
 * Node has its own modules in compiled form. V8 takes that form only while no flag differs, so a service loads them
 * first (docs/decisions/0202). Then V8 compiles each file whole when it is loaded, so that the next start has all
 * functions of it in compiled form (docs/decisions/0202).
 *
 * V8 records which allocation sites make long-lived objects, and allocates later objects of these sites in the old
 * generation. A site used during the start may also make objects for each request: everything they point to would
 * become old with them (docs/decisions/0210).
 *
 * V8 lets the heap grow to several times of what is in use before it collects all of it. It collects when the old
 * objects have grown by 55 % here, which keeps a busy service at two thirds of the memory (docs/decisions/0210).
 */
import { argv } from "node:process"
import { setFlagsFromString } from "node:v8"
import { ofService } from "./nodesModules.ts"

if (argv[2] === "serve") {
  await Promise.all(ofService.map((name) => import(name)))
  setFlagsFromString("--no-lazy")
  setFlagsFromString("--no-enable-lazy-source-positions")
}
setFlagsFromString("--max-valid-polymorphic-map-count=16")
setFlagsFromString("--no-allocation-site-pretenuring")
setFlagsFromString("--heap-growing-percent=55")
