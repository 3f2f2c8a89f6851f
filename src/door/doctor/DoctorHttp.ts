/**
 * Handler of the operator's `doctor` group: the checks of `coffer doctor`, made by the runner that answers. Other
 * runners may have other disks and networks, so the report names the runner.
 */
import { isoText } from "@coffer/model/isoText"
import { OperatorApi } from "@coffer/contract/Operator"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { reply } from "../../shared/http/replies.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { type ChannelChecks, diagnose, docsOf } from "./doctor.ts"
import { served } from "./Installation.ts"
import { worstOf } from "./Finding.ts"

/** Calls within this time share one report, so that reading it does not cause more outside calls. */
const keptFor = "10 seconds"

export const layer = (ofChannels: ChannelChecks) =>
  HttpApiBuilder.group(
    OperatorApi,
    "doctor",
    Effect.fnUntraced(function* (handlers) {
      const { host, port, runner } = yield* Settings
      const context = yield* Effect.context<Effect.Services<typeof served>>()

      const look = Effect.gen(function* () {
        const installation = yield* Effect.provideContext(served, context)
        const at = yield* currentTime
        const findings = yield* diagnose(installation, ofChannels)
        return {
          object: "doctor_report" as const,
          runner: runner === undefined ? `${host}:${port}` : `${runner.host}:${runner.port}`,
          looked_at: isoText(at),
          status: worstOf(findings),
          findings: findings.map((finding) => ({ ...finding, docs: docsOf(finding) }))
        }
      })
      // A caller that leaves does not interrupt the report for others. Each check ends by itself.
      const report = yield* Effect.cachedWithTTL(Effect.uninterruptible(look), keptFor)

      return handlers.handleAll({
        get: span("doctor.get")(function* () {
          return yield* reply(yield* sqlDefects(report))
        })
      })
    })
  )
