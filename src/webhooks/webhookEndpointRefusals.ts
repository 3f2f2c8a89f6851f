/** How the errors of webhook endpoints are told to the caller (spec: Errors; silences: W2, W4). */
import * as Wire from "@coffer/contract/Errors"
import { endpointsMax } from "@coffer/model/Limits"
import type { EndpointLimitReached, EndpointNotFound } from "@coffer/rules/webhooks/decide"
import { refuseAs } from "../http/refusals.ts"
import type { SecretManaged, SingleAddressManaged } from "./WebhookEndpoints.ts"

export const webhookEndpointRefusals = {
  EndpointNotFound: refuseAs(Wire.EndpointNotFound, ({ id }: EndpointNotFound) => ({
    message: `No webhook endpoint ${id}.`
  })),
  EndpointLimitReached: refuseAs(Wire.Conflict, (_: EndpointLimitReached) => ({
    message: `There are ${endpointsMax} webhook endpoints already; delete one first.`
  })),
  SingleAddressManaged: refuseAs(Wire.Conflict, (_: SingleAddressManaged) => ({
    message: "The account's single address is set elsewhere."
  })),
  SecretManaged: refuseAs(Wire.DefaultEndpointSecretManaged, (_: SecretManaged) => ({
    message: "This address is signed with the account's secret: POST /v1/webhook_signing_secret/rotate rotates it."
  }))
}
