/** A merchant's keys with scopes, as operators keep them (docs/architecture.md, section 7; silences: U26 to U28). */
import { keyNameLengthMax, keyOverlapMinutesMax, oldKeySecretsMax, scopedKeysMax } from "@coffer/model/Limits"
import { optional, withoutNulls } from "@coffer/model/optional"
import { Scope } from "@coffer/model/Scopes"
import { OneLine } from "@coffer/model/Text"
import { wireFields } from "@coffer/resources/listed"
import { apiKeys } from "@coffer/resources/merchants"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken, PersonSession } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { ApiKeyNotFound, Conflict, InvalidRequest, MerchantNotFound } from "./Errors.ts"
import { anyMode, merchantId, ofMerchant, text, withExample } from "./fields.ts"
import { ListQuery } from "./Lists.ts"
import { needsApproval } from "./Operators.ts"
import { sampleIds } from "./sampleIds.ts"

const resource = wireFields(apiKeys, { merchant_id: merchantId })
const sample = {
  object: "api_key",
  key_id: sampleIds.apiKey,
  merchant_id: sampleIds.merchant,
  mode: "live",
  name: "Accounting",
  scopes: ["balance:read", "refunds:read"],
  ip_allowlist: "203.0.113.7",
  status: "active",
  created_at: "2026-11-20T08:00:00.000Z",
  expires_at: "2027-11-20T08:00:00.000Z",
  rolled_at: null,
  previous_until: null,
  previous_ends: [],
  revoked_at: null,
  last_used_at: "2026-11-21T09:29:40.117Z",
  last_used_ip: "203.0.113.7",
  created_by: "ada@shop.example",
  rolled_by: null
} as const

export const ApiKeyResource = withExample(
  Schema.Struct(resource).annotate({ identifier: "ApiKey", description: "A key with scopes, without its secret." }),
  sample
)
export type ApiKeyResource = typeof ApiKeyResource.Encoded

/** The only answers that hold the secret. */
export const withSecret = enveloped(
  withExample(
    Schema.Struct({
      ...resource,
      key: text("The secret, for the header `X-Api-Key`. It is shown only this once.")
    }).annotate({ description: "The key and its secret." }),
    { ...sample, key: `svc_live_${"x".repeat(49)}` }
  )
)

const name = OneLine(1, keyNameLengthMax)
const allowlist = OneLine(0, 10_000)
const allowlistText =
  "IPv4 addresses, IPv4 ranges and IPv6 addresses from which it is accepted, out of those that the environment " +
  "allows; empty: all of them."

export const CreateApiKey = withoutNulls(
  Schema.Struct({
    mode: anyMode,
    name: name.annotate({ description: "Its purpose." }),
    scopes: Schema.Array(Scope)
      .check(Schema.isMinLength(1), Schema.isMaxLength(Scope.literals.length))
      .annotate({
        description:
          "Its scopes. They cannot be changed: create another key instead. A live key cannot have the test helpers' " +
          "scope."
      }),
    ip_allowlist: optional(allowlist, allowlistText),
    expires_at: optional(
      Schema.String.annotate({ format: "date-time" }),
      "When it stops working, in the future. Default: never. It cannot be changed."
    )
  }).annotate({
    examples: [{ mode: "live", name: "Accounting", scopes: ["balance:read", "refunds:read"] }]
  })
)
export type CreateApiKey = typeof CreateApiKey.Type

export const UpdateApiKey = withoutNulls(
  Schema.Struct({
    name: optional(name, "Its purpose."),
    ip_allowlist: optional(allowlist, allowlistText)
  }).annotate({ examples: [{ name: "Accounting of the shop" }] })
)
export type UpdateApiKey = typeof UpdateApiKey.Type

export const RollApiKey = Schema.Struct({
  overlap_minutes: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: keyOverlapMinutesMax })).annotate({
    description: "How long the secret before this one keeps working: 0 to 1440 minutes, which is 24 hours."
  })
}).annotate({ examples: [{ overlap_minutes: 60 }] })
export type RollApiKey = typeof RollApiKey.Type

/** Each environment has its own list. */
export const ApiKeyQuery = Schema.Struct({ ...ListQuery, mode: anyMode })
export type ApiKeyQuery = typeof ApiKeyQuery.Type

const collection = "/operator/v1/merchants/:merchant_id/api_keys"
const one = `${collection}/:key_id` as const
const params = { ...ofMerchant, key_id: text("The key's number.") }
const twoOperators = "202: a live key needs two operators, and another one has to send the same request."

export class ApiKeysGroup extends HttpApiGroup.make("api_keys")
  .add(
    HttpApiEndpoint.post("create", collection, {
      params: ofMerchant,
      payload: CreateApiKey,
      success: [withSecret.pipe(HttpApiSchema.status(201)), needsApproval],
      error: [Conflict, InvalidRequest, MerchantNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Create a key with scopes; its secret is shown once",
        description:
          `In addition to the merchant's main key. 409: the environment has ${scopedKeysMax} active keys. ` +
          twoOperators
      })
    ),
    HttpApiEndpoint.get("list", collection, {
      params: ofMerchant,
      query: ApiKeyQuery,
      success: listed(ApiKeyResource),
      error: [InvalidRequest, MerchantNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List a merchant's keys with scopes, newest first",
        description: "In the environment that `mode` names, including expired and revoked ones, without their secrets."
      })
    ),
    HttpApiEndpoint.get("get", one, {
      params,
      success: enveloped(ApiKeyResource),
      error: ApiKeyNotFound
    }).annotateMerge(OpenApi.annotations({ summary: "Read a key with scopes", description: "Without its secret." })),
    HttpApiEndpoint.post("update", one, {
      params,
      payload: UpdateApiKey,
      success: [enveloped(ApiKeyResource), needsApproval],
      error: [ApiKeyNotFound, Conflict, InvalidRequest]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Change a key's name or its addresses",
        description:
          "Omitted fields are unchanged. The change takes effect immediately on all runners. 409: the key has " +
          "expired or was revoked. 202: changing the addresses of a live key needs two operators, and another one " +
          "has to send the same request."
      })
    ),
    HttpApiEndpoint.post("roll", `${one}/roll`, {
      params,
      payload: RollApiKey,
      success: [withSecret, needsApproval],
      error: [ApiKeyNotFound, Conflict]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Give a key a new secret, which is shown once",
        description:
          "The previous secret expires after the overlap, or earlier if it already had an earlier expiry. 409: the " +
          `key has ended, or ${oldKeySecretsMax} old secrets still work. ${twoOperators}`
      })
    ),
    HttpApiEndpoint.post("revoke", `${one}/revoke`, {
      params,
      success: enveloped(ApiKeyResource),
      error: ApiKeyNotFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Revoke a key with scopes",
        description:
          "All its secrets are refused immediately and permanently on all runners. Repeating the request changes " +
          "nothing."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "A merchant's keys with scopes, in addition to its main key in each environment.") {}

const ofConsole = "/console/api/merchants/:merchant_id/api_keys"
const oneOfConsole = `${ofConsole}/:key_id` as const

/** The same for a person of the merchant. A person's act with keys takes no second one, and is in the audit log. */
export class ConsoleApiKeysGroup extends HttpApiGroup.make("api_keys")
  .add(
    HttpApiEndpoint.post("create", ofConsole, {
      params: ofMerchant,
      payload: CreateApiKey,
      success: withSecret.pipe(HttpApiSchema.status(201)),
      error: [Conflict, InvalidRequest]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Create a key with scopes; its secret is shown once",
        description: `409: the environment has ${scopedKeysMax} active keys.`
      })
    ),
    HttpApiEndpoint.get("list", ofConsole, {
      params: ofMerchant,
      query: ApiKeyQuery,
      success: listed(ApiKeyResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({ summary: "Keys with scopes, newest first", description: "Without their secrets." })
    ),
    HttpApiEndpoint.post("update", oneOfConsole, {
      params,
      payload: UpdateApiKey,
      success: enveloped(ApiKeyResource),
      error: [ApiKeyNotFound, Conflict, InvalidRequest]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Change a key's name or its addresses",
        description: "Omitted fields are unchanged."
      })
    ),
    HttpApiEndpoint.post("roll", `${oneOfConsole}/roll`, {
      params,
      payload: RollApiKey,
      success: withSecret,
      error: [ApiKeyNotFound, Conflict]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Give a key a new secret, which is shown once",
        description:
          "The previous secret expires after the overlap, and earlier ones by then, too. 409: the key has ended, or " +
          `${oldKeySecretsMax} old secrets still work.`
      })
    ),
    HttpApiEndpoint.post("endPrevious", `${oneOfConsole}/end_previous`, {
      params,
      success: enveloped(ApiKeyResource),
      error: [ApiKeyNotFound, Conflict]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "End the secrets of a key before its present one",
        description: "They are refused immediately on all runners. Without any nothing changes."
      })
    ),
    HttpApiEndpoint.post("revoke", `${oneOfConsole}/revoke`, {
      params,
      success: enveloped(ApiKeyResource),
      error: ApiKeyNotFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Revoke a key",
        description: "It is refused immediately and permanently on all runners."
      })
    )
  )
  .middleware(Decoding)
  .middleware(PersonSession)
  .annotate(OpenApi.Description, "Keys of a merchant with scopes.") {}
