/** The operator's own API, under `/operator/v1` (docs/architecture.md, section 7). Same envelope, same errors. */
import { FeeByCurrency, FeeSchedule } from "@coffer/model/Fees"
import { Mode, Text } from "@coffer/model/Ids"
import { urlLengthMax } from "@coffer/model/Limits"
import { Currency, Minor } from "@coffer/model/Money"
import { QuotaOverrides } from "@coffer/model/Quotas"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken } from "./Caller.ts"
import { enveloped } from "./Envelope.ts"
import { InvalidRequest, MerchantNotFound } from "./Errors.ts"
import { FilesGroup } from "./Files.ts"
import { PayoutsGroup } from "./Payouts.ts"

import { knownParametersOnly } from "./Lists.ts"
const ModeSettings = Schema.Struct({
  ip_allowlist: Schema.String,
  default_notify_url: Schema.NullOr(Schema.String)
})

const InEachCurrency = Schema.Struct({ USD: Minor, HKD: Minor, CNY: Minor })

export const MerchantResource = Schema.Struct({
  object: Schema.tag("merchant"),
  merchant_id: Schema.String,
  name: Schema.String,
  approved: Schema.Boolean,
  live_currencies: Schema.Array(Currency),
  fees: FeeSchedule,
  /** Minor units, as they hold for this merchant: for a lost dispute, and for a payout. */
  dispute_fee: InEachCurrency,
  payout_fee: InEachCurrency,
  /** Requests a minute that hold for this merchant, its own or everybody's. */
  quotas: Schema.Struct({ writes: Schema.Int, reads: Schema.Int, csv: Schema.Int }),
  sandbox: ModeSettings,
  live: ModeSettings,
  created_at: Schema.String
}).annotate({ identifier: "Merchant" })
export type MerchantResource = typeof MerchantResource.Encoded

const ModePatch = Schema.Struct({
  ip_allowlist: Schema.optionalKey(Text(0, 10_000)),
  default_notify_url: Schema.optionalKey(Schema.NullOr(Text(1, urlLengthMax)))
})

export const UpdateMerchant = Schema.Struct({
  name: Schema.optionalKey(Text(1, 255)),
  approved: Schema.optionalKey(Schema.Boolean),
  live_currencies: Schema.optionalKey(Schema.Array(Currency)),
  fees: Schema.optionalKey(FeeSchedule),
  /** By currency; a currency that is left out stays as it is. */
  dispute_fee: Schema.optionalKey(FeeByCurrency),
  payout_fee: Schema.optionalKey(FeeByCurrency),
  quotas: Schema.optionalKey(QuotaOverrides),
  sandbox: Schema.optionalKey(ModePatch),
  live: Schema.optionalKey(ModePatch)
})
export type UpdateMerchant = typeof UpdateMerchant.Type

const params = { merchant_id: Schema.String }

export class MerchantsGroup extends HttpApiGroup.make("merchants")
  .add(
    HttpApiEndpoint.post("create", "/operator/v1/merchants", {
      payload: Schema.Struct({ name: Text(1, 255) }),
      success: enveloped(
        Schema.Struct({
          merchant_id: Schema.String,
          name: Schema.String,
          approved: Schema.Boolean,
          sandbox_key: Schema.String,
          live_key: Schema.String
        })
      ).pipe(HttpApiSchema.status(201))
    }).annotate(OpenApi.Summary, "Create a merchant; its keys are shown once"),
    HttpApiEndpoint.get("retrieve", "/operator/v1/merchants/:merchant_id", {
      params,
      success: enveloped(MerchantResource),
      error: MerchantNotFound
    }),
    HttpApiEndpoint.post("update", "/operator/v1/merchants/:merchant_id", {
      params,
      payload: UpdateMerchant,
      success: enveloped(MerchantResource),
      error: [InvalidRequest, MerchantNotFound]
    }),
    HttpApiEndpoint.post("resetKey", "/operator/v1/merchants/:merchant_id/keys/:mode/reset", {
      params: { ...params, mode: Mode },
      success: enveloped(Schema.Struct({ key: Schema.String })),
      error: MerchantNotFound
    }),
    HttpApiEndpoint.get("signingSecret", "/operator/v1/merchants/:merchant_id/signing_secret/:mode", {
      params: { ...params, mode: Mode },
      success: enveloped(Schema.Struct({ secret: Schema.String })),
      error: MerchantNotFound
    })
  )
  .middleware(Decoding)
  .middleware(OperatorToken) {}

export class OperatorApi extends HttpApi.make("coffer-operator")
  .add(MerchantsGroup)
  .add(FilesGroup)
  .add(PayoutsGroup)
  .annotate(HttpApi.QueryParseOptions, knownParametersOnly) {}
