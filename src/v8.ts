/**
 * How the engine is set up, before it has run anything else. An access that meets more than four shapes of objects is
 * looked up in a table each time, and the interpreter of fibers meets a dozen kinds of steps. With room for sixteen a
 * payment takes about a tenth less of the processor, and nothing else takes more (docs/performance-notes.md).
 */
import { setFlagsFromString } from "node:v8"

setFlagsFromString("--max-valid-polymorphic-map-count=16")
