/**
 * With `MAX_OPS_BEFORE_YIELD` every fiber of the tests gives way after so few steps, and so between any two that belong
 * together: what must not be interrupted has to be one synchronous block. Without it Effect's own limit holds.
 */
import { MaxOpsBeforeYield } from "effect/Scheduler"

const steps = process.env["MAX_OPS_BEFORE_YIELD"]
if (steps !== undefined) {
  Object.defineProperty(MaxOpsBeforeYield, "defaultValue", { value: () => Number(steps) })
  // Effect remembers the first answer on the reference itself.
  for (const key of Object.keys(MaxOpsBeforeYield).filter((key) => key.endsWith("/defaultValue"))) {
    Object.defineProperty(MaxOpsBeforeYield, key, { value: Number(steps), writable: true })
  }
}
