/** The time that a service gives its requests, which stands still until a test moves it. */
import { Layer } from "effect"
import { graceMillis, RequestTime, type Time } from "../../../src/platform/runtime/Deadline.ts"

/** `isPatient`: the grace never ends, so each request answers by itself or not at all. */
export const requestTime = (isPatient = false) => {
  let now = 0
  const timers = new Set<{ readonly at: number; readonly run: () => void }>()
  const time: Time = {
    millis: () => now,
    after: (millis, run) => {
      const timer = { at: isPatient && millis === graceMillis ? Infinity : now + millis, run }
      timers.add(timer)
      return () => void timers.delete(timer)
    }
  }
  const move = (millis: number) => {
    now += millis
    for (const timer of timers) {
      if (timer.at > now) continue
      timers.delete(timer)
      timer.run()
    }
  }
  return { time, move, layer: Layer.succeed(RequestTime, time) }
}
