/** The rows of an event and of its deliveries, as they are written with the change that caused them. */
import { MerchantId, Mode } from "@coffer/model/Ids"
import { Schema } from "effect"
import { table } from "../../platform/commit/Table.ts"

const shared = { id: Schema.String, merchantId: MerchantId, mode: Mode, createdAt: Schema.DateTimeUtc }

export const events = table("events", {
  place: 100,
  listed: true,
  of: Schema.Struct({
    ...shared,
    type: Schema.String,
    objectId: Schema.String,
    tradeNo: Schema.String,
    /** The body (`eventBodies.ts`). */
    packed: Schema.String
  }),
  key: "id",
  bytes: ["packed"]
})

export const deliveries = table("deliveries", {
  place: 110,
  listed: true,
  of: Schema.Struct({
    ...shared,
    eventId: Schema.String,
    endpointId: Schema.NullOr(Schema.String),
    url: Schema.String,
    destination: Schema.String,
    status: Schema.Literals(["pending"]),
    attempts: Schema.Int,
    nextAttemptAt: Schema.DateTimeUtc,
    /** The delivery that was asked for again; null for one that the event itself brought about. */
    resendOf: Schema.NullOr(Schema.String)
  }),
  key: "id"
})
