/**
 * Rotates `SECRET_KEY` while the service runs (docs/decisions/0017; silences: U16, U17). While `SECRET_KEY_PREVIOUS` is
 * set, this worker waits until all processes on the database have the new key. Then the new key encrypts, and texts of
 * the previous one are encrypted again, page by page. Runners take turns, and after a crash it continues where it was.
 */
import { DateTime, Effect, Layer, Metric, Option } from "effect"
import { Workers } from "../../platform/jobs/Workers.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { KeyStore } from "./KeyStore.ts"

/** How soon to check again whether the others have the key, or the progress of another runner. */
const soon = "5 seconds"
const tellEvery = "10 seconds"

const resealed = Metric.counter("coffer_secrets_resealed_total", {
  description: "Secrets that were encrypted again with a changed SECRET_KEY",
  incremental: true
})
const underWay = Metric.gauge("coffer_secret_key_change", {
  description:
    "1 while secrets may be encrypted with SECRET_KEY_PREVIOUS: keep that setting until it is 0 on all runners"
})

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* Metric.update(resealed, 0)
    yield* Metric.update(underWay, 0)
    const { secretKeyPrevious } = yield* Settings
    if (secretKeyPrevious === undefined) return
    const workers = yield* Workers
    const work = yield* makeWork
    yield* workers.supervise(() => work)
  })
)

const makeWork = Effect.gen(function* () {
  const store = yield* KeyStore
  const secrets = yield* Secrets
  const tell = makeTeller()
  let next: Option.Option<DateTime.Utc> = Option.none()

  const walk = Effect.fnUntraced(function* (now: DateTime.Utc) {
    secrets.sealWithCurrent()
    const step = yield* store.step(now)
    if (Option.isNone(step)) return 0
    yield* Metric.update(resealed, step.value.resealed)
    yield* tell.progress(now, step.value.resealed)
    next = Option.filter(step.value.next, (at) => DateTime.isGreaterThan(at, now))
    return Option.isNone(next) ? 1 : 0
  })

  const run = span("Keys.change")(function* () {
    const now = yield* currentTime
    next = Option.some(DateTime.addDuration(now, soon))
    const stage = yield* store.stage
    yield* Metric.update(underWay, stage === "done" ? 0 : 1)
    if (stage === "done") {
      secrets.sealWithCurrent()
      yield* tell.once("done", "no secret is encrypted with SECRET_KEY_PREVIOUS any more: remove that setting")
      return 0
    }
    const known = yield* store.keyIsWith
    if (known === "unknown") return 0
    if (known === "some") {
      yield* tell.once(
        "waits",
        "a runner on this database does not have the new SECRET_KEY: secrets keep the previous one"
      )
      return 0
    }
    if (stage === "walks") return yield* walk(now)
    yield* store.move(now)
    yield* tell.once("moved", "all runners have the new SECRET_KEY: secrets are sealed with it from now on")
    return 1
  })

  return { name: "key change", run: run(), next: Effect.sync(() => next) }
})

/** Logs each step once, and the progress every ten seconds. */
const makeTeller = () => {
  const logged = new Set<string>()
  let total = 0
  let loggedAt: DateTime.Utc | undefined
  return {
    once: (what: string, line: string) =>
      Effect.suspend(() => {
        if (logged.has(what)) return Effect.void
        logged.add(what)
        return Effect.logInfo(line)
      }),
    progress: (now: DateTime.Utc, more: number) =>
      Effect.suspend(() => {
        total += more
        if (loggedAt !== undefined && DateTime.isLessThan(now, DateTime.addDuration(loggedAt, tellEvery)))
          return Effect.void
        loggedAt = now
        return Effect.annotateLogs(Effect.logInfo("secrets are encrypted again"), { resealed: total })
      })
  }
}
