/**
 * `POST /leaked_keys`: anybody who finds a key in public reports it here, without a key of his own (docs/security.md;
 * silences: U29). The answer is the same for every text, and comes no sooner for a guess than for a key that works.
 */
import { leakReportsMax } from "@coffer/model/Limits"
import { Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { CurrentRecord } from "../http/CurrentRequest.ts"
import { busy, refuseField } from "../http/replies.ts"
import { Leaks } from "../keys/Leaks.ts"
import { parseJson } from "../platform/runtime/codecs.ts"
import { onRealTime } from "../platform/runtime/realTime.ts"
import * as PublicAdmission from "./PublicAdmission.ts"
import { makeLimitOfVisitors } from "./Quotas.ts"
import { leakedKeysPath } from "./routes.ts"

/** An answer takes at least this long, so that the time of a revocation does not show. */
const answeredAfter = "150 millis"

const decodeReport = Schema.decodeUnknownOption(Schema.Struct({ key: Schema.String }))

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const leaks = yield* Leaks
    const limit = yield* makeLimitOfVisitors
    const through = yield* PublicAdmission.make

    const report = Effect.gen(function* () {
      yield* limit("leaks", leakReportsMax, `More than ${leakReportsMax} reports within a minute.`)
      const { requestId, text } = yield* CurrentRecord
      const body = Option.flatMap(parseJson(yield* text), decodeReport)
      if (Option.isNone(body)) return yield* refuseField("key", "Expected the text that was found")
      yield* Effect.all([leaks.report(body.value.key), onRealTime(Effect.sleep(answeredAfter))], {
        concurrency: "unbounded",
        discard: true
      })
      const data = { object: "leak_report", status: "received" }
      return HttpServerResponse.jsonUnsafe(
        { code: 202, message: "accepted", request_id: requestId, data },
        { status: 202 }
      )
    })
    const refused = Effect.catch(Effect.die)
    yield* router.add("POST", leakedKeysPath, through(refused(report), refused(busy)))
  })
)
