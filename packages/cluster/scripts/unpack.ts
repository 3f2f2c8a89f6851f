/** `npm pack` runs it after it has packed: the manifest names the sources again, which this repository runs. */
import { namePublished } from "./manifest.ts"

namePublished(false)
