/** The main keys of a merchant in the console: reset by its people, with an overlap. */
import { keyOverlapMinutesMax, oldKeySecretsMax } from "@coffer/model/Limits"
import { optional, withoutNulls } from "@coffer/model/optional"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decoding, PersonSession } from "./Caller.ts"
import { enveloped } from "./Envelope.ts"
import { Conflict } from "./Errors.ts"
import { anyMode, kind, ofMerchant, orNull, text, withExample } from "./fields.ts"

const MainKeyResource = withExample(
  Schema.Struct({
    object: kind("main_key"),
    mode: anyMode,
    previous_until: orNull(Schema.String, "Until when a key before this one works; null if none does."),
    previous_ends: Schema.Array(Schema.String).annotate({
      description: "When each key before this one ends that still works, the next end first; empty if none works."
    })
  }).annotate({ description: "The main key." }),
  { object: "main_key", mode: "live", previous_until: null, previous_ends: [] }
)

export class MainKeysGroup extends HttpApiGroup.make("main_keys")
  .add(
    HttpApiEndpoint.post("reset", "/console/api/merchants/:merchant_id/main_keys/:mode/reset", {
      params: { ...ofMerchant, mode: anyMode },
      payload: withoutNulls(
        Schema.Struct({
          overlap_minutes: optional(
            Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: keyOverlapMinutesMax })),
            "How long the present key keeps working: 0 to 1440 minutes. Default: 0."
          )
        }).annotate({ examples: [{ overlap_minutes: 60 }] })
      ),
      success: enveloped(
        Schema.Struct({
          key: text("The new key, shown only this once.").annotate({ examples: [`svc_live_${"x".repeat(49)}`] })
        }).annotate({ description: "The key." })
      ),
      error: Conflict
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Reset the main key of an environment",
        description:
          "The old key is refused at once, or after the overlap; keys before it by then, too. Needs a session " +
          `younger than 15 minutes. 409: ${oldKeySecretsMax} old keys still work.`
      })
    ),
    HttpApiEndpoint.get("get", "/console/api/merchants/:merchant_id/main_keys/:mode", {
      params: { ...ofMerchant, mode: anyMode },
      success: enveloped(MainKeyResource)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the main key of an environment, without its secret",
        description: "It says until when the key before it works."
      })
    ),
    HttpApiEndpoint.post("endPrevious", "/console/api/merchants/:merchant_id/main_keys/:mode/end_previous", {
      params: { ...ofMerchant, mode: anyMode },
      success: enveloped(MainKeyResource)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "End the main keys before the present one",
        description: "They are refused immediately on all runners. Without any nothing changes."
      })
    )
  )
  .middleware(Decoding)
  .middleware(PersonSession)
  .annotate(OpenApi.Description, "The main keys of a merchant, one in each environment.") {}
