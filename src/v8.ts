/**
 * How the engine is set up, before it has run anything else. An access that meets more than four shapes of objects is
 * looked up in a table each time, and the interpreter of fibers meets a dozen kinds of steps. With room for sixteen a
 * payment takes about a tenth less of the processor, and nothing else takes more (docs/performance-notes.md).
 *
 * Node has its own modules in compiled form. V8 takes that form only while no flag differs, so a service loads them
 * first (docs/decisions/0202). Then V8 compiles each file whole when it is loaded, so that the next start has all
 * functions of it in compiled form (docs/decisions/0202).
 *
 * V8 notes which places of the program make objects that live long, and makes later ones of these places old from the
 * beginning. A place that has served the start may make objects for each request, too: all that these point to would
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
