/** Which statements wait for the end of an outage, and which are sent again after it (docs/decisions/0265). */
import { Cause, Context, Exit, type Fiber, Option } from "effect"
import { leftIn } from "../runtime/Deadline.ts"
import { troubleOf } from "./trouble.ts"

/** For the command of another runner's request: it waits for the end of an outage, as a request does. */
export const HeldInOutage = Context.Reference<boolean>("@coffer/platform/HeldInOutage", { defaultValue: () => false })
/** Work that no request waits for fails at once and is tried again. */
export const isHeld = (fiber: Fiber.Fiber<unknown, unknown>): boolean =>
  leftIn(fiber, Infinity) < Infinity || fiber.getRef(HeldInOutage)

export const isOfOutage = (exit: Exit.Exit<unknown, unknown>): boolean => {
  if (Exit.isSuccess(exit)) return false
  const trouble = troubleOf(Option.getOrUndefined(Cause.findErrorOption(exit.cause)))
  return trouble === "lost" || trouble === "readOnly"
}

/** A statement that may be sent twice. A locking read gives its locks back at its end. */
export const isRead = (text: string): boolean =>
  /^\s*(?:select|with)\b/i.test(text) && !/\b(?:insert|update|delete)\s/i.test(text)
