/**
 * Handlers of the `webhook_endpoints` group, and its errors as errors on the wire (spec: Endpoints, Webhook endpoints,
 * Errors; silences: W2, W4, W6).
 */
import * as Wire from "@coffer/contract/Errors"
import { endpointsMax } from "@coffer/model/Limits"
import type * as rules from "@coffer/rules/webhooks/decide"
import { Api } from "@coffer/contract/Api"
import { Caller } from "@coffer/contract/Caller"
import type { Account } from "@coffer/model/Account"
import { Effect, identity } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerCodes, answeredWith } from "../../shared/idempotency/Answering.ts"
import { commonRefusals, refuseAs, unavailable } from "../../shared/http/refusals.ts"
import { replacedVersion } from "../../shared/http/replaced.ts"
import { reply, replyList } from "../../shared/http/replies.ts"
import { makerRefusals } from "../../access/merchants/merchantRefusals.ts"
import { AuditLog } from "../../access/operators/AuditLog.ts"
import { span } from "../../platform/runtime/span.ts"
import {
  type SecretManaged as NoOwnSecret,
  type SingleAddressManaged as SingleAddress,
  WebhookEndpoints
} from "./WebhookEndpoints.ts"

const webhookEndpointRefusals = {
  EndpointNotFound: refuseAs(Wire.EndpointNotFound, ({ id }: rules.EndpointNotFound) => ({
    message: `No webhook endpoint ${id}.`
  })),
  EndpointChanged: refuseAs(Wire.Conflict, (_: rules.EndpointChanged) => ({
    message: "The endpoint has changed since you read it. Read it again and reapply your changes."
  })),
  EndpointLimitReached: refuseAs(Wire.Conflict, (_: rules.EndpointLimitReached) => ({
    message: `Endpoint limit reached (${endpointsMax}). Delete an endpoint first.`
  })),
  SingleAddressManaged: refuseAs(Wire.Conflict, (_: SingleAddress) => ({
    message: "The account's default URL is set in the settings."
  })),
  SecretManaged: refuseAs(Wire.DefaultEndpointSecretManaged, (_: NoOwnSecret) => ({
    message: "This URL uses the account's signing secret: rotate it with POST /v1/webhook_signing_secret/rotate."
  }))
}

const newEndpoint = answerCodes(201)

export const layer = HttpApiBuilder.group(
  Api,
  "webhook_endpoints",
  Effect.fnUntraced(function* (handlers) {
    const endpoints = yield* WebhookEndpoints
    const log = yield* AuditLog
    const { InvalidField } = commonRefusals
    const { NotCommitted } = unavailable
    const { MakerLeft } = makerRefusals
    const { EndpointChanged, EndpointLimitReached, EndpointNotFound, SecretManaged, SingleAddressManaged } =
      webhookEndpointRefusals

    /** The answer shows a secret: the audit log records that before the answer is sent. */
    const secretShown = ({ merchantId, mode }: Account, act: string, target: string) => {
      const actor = { id: merchantId, name: merchantId, role: "merchant" }
      return { actor, act, phase: "seen", target: `${mode}/${target}` } as const
    }
    /** Each roll of a live secret gets an entry. A sandbox could roll its secret without limit. */
    const noteSecret = (account: Account, act: string, target: string) =>
      account.mode === "live"
        ? log.write(secretShown(account, act, target))
        : log.writeOnce(secretShown(account, act, target))

    return handlers.handleAll({
      create: span("webhook_endpoints.create")(function* ({ payload }) {
        const created = yield* answeredWith(newEndpoint, endpoints.create(yield* Caller, payload))
        return yield* reply(created, newEndpoint.usual)
      }, Effect.catchTags({ EndpointLimitReached, InvalidField, MakerLeft, NotCommitted })),

      list: span("webhook_endpoints.list")(function* ({ query }) {
        const page = yield* endpoints.page(yield* Caller, query)
        return yield* replyList("webhook_endpoint", "/v1/webhook_endpoints", page, identity)
      }, Effect.catchTags({ InvalidField })),

      get: span("webhook_endpoints.get")(function* ({ params }) {
        return yield* reply(yield* endpoints.find(yield* Caller, params.endpoint_id))
      }, Effect.catchTags({ EndpointNotFound })),

      update: span("webhook_endpoints.update")(
        function* ({ params: { endpoint_id: id }, payload }) {
          return yield* reply(yield* endpoints.update(yield* Caller, id, payload, yield* replacedVersion))
        },
        Effect.catchTags({
          EndpointChanged,
          EndpointNotFound,
          InvalidField,
          MakerLeft,
          NotCommitted,
          SingleAddressManaged
        })
      ),

      delete: span("webhook_endpoints.delete")(function* ({ params }) {
        return yield* reply(yield* endpoints.remove(yield* Caller, params.endpoint_id))
      }, Effect.catchTags({ EndpointNotFound, MakerLeft, NotCommitted, SingleAddressManaged })),

      rotateSecret: span("webhook_endpoints.rotateSecret")(function* ({ params }) {
        const account = yield* Caller
        const shown = yield* endpoints.rotateSecret(account, params.endpoint_id)
        yield* noteSecret(account, "webhook_endpoints.rotate_secret", params.endpoint_id)
        return yield* reply(shown)
      }, Effect.catchTags({ EndpointNotFound, MakerLeft, NotCommitted, SecretManaged })),

      signingSecret: span("webhook_endpoints.signingSecret")(function* () {
        const account = yield* Caller
        const shown = yield* endpoints.signingSecret(account)
        yield* log.writeOnce(secretShown(account, "webhook_signing_secret.get", "webhook_signing_secret"))
        return yield* reply(shown)
      }),

      rotateSigningSecret: span("webhook_endpoints.rotateSigningSecret")(function* () {
        const account = yield* Caller
        const shown = yield* endpoints.rotateSigningSecret(account)
        yield* noteSecret(account, "webhook_signing_secret.rotate", "webhook_signing_secret")
        return yield* reply(shown)
      }, Effect.catchTags({ MakerLeft, NotCommitted })),

      endPreviousSecrets: span("webhook_endpoints.endPreviousSecrets")(function* ({ params }) {
        return yield* reply(yield* endpoints.endPreviousSecrets(yield* Caller, params.endpoint_id))
      }, Effect.catchTags({ EndpointNotFound, MakerLeft, NotCommitted, SecretManaged })),

      endPreviousSigningSecrets: span("webhook_endpoints.endPreviousSigningSecrets")(function* () {
        return yield* reply(yield* endpoints.endPreviousSigningSecrets(yield* Caller))
      }, Effect.catchTags({ MakerLeft, NotCommitted }))
    })
  })
)
