/** How V8 is set up for objects that live as long as a request (`src/v8.ts`). */
import { execFile } from "node:child_process"
import { fileURLToPath, pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { assert, it } from "@effect/vitest"
import { oldBytesMax } from "../kit/run/heap.ts"

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Bytes that became old of what lives for a moment, in a process with these flags of Node. */
const oldBytesWith = async (...flags: ReadonlyArray<string>): Promise<number> => {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, at("test/kit/program/longThenShort.ts")])
  return (JSON.parse(stdout) as { readonly old: number }).old
}

it("an object of a request begins young, also where the start has made many that live as long as the process", async () => {
  for (let run = 0; run < 3; run++) {
    assert.isBelow(await oldBytesWith("--import", pathToFileURL(at("src/v8.ts")).href), oldBytesMax)
  }
  // Otherwise the rule would hold without us. V8 decides it when it compiles, which comes too late in some processes.
  let without = 0
  for (let run = 0; run < 10 && without <= oldBytesMax; run++) without = await oldBytesWith()
  assert.isAbove(without, oldBytesMax)
}, 60_000)
