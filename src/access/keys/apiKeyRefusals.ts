/** Errors of keys with scopes as errors on the wire (docs/architecture.md, section 7). */
import * as Wire from "@coffer/contract/Errors"
import { scopedKeysMax } from "@coffer/model/Limits"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { ApiKeyEnded, ApiKeyNotFound } from "./ApiKeys.ts"
import type { TooManyKeys } from "./ApiKeyStore.ts"

export const apiKeyRefusals = {
  ApiKeyNotFound: refuseAs(Wire.ApiKeyNotFound, ({ keyId }: ApiKeyNotFound) => ({
    message: `No API key ${keyId}.`
  })),
  ApiKeyEnded: refuseAs(Wire.Conflict, ({ keyId }: ApiKeyEnded) => ({
    message: `The key ${keyId} was revoked or has expired, so it can't be changed.`
  })),
  TooManyKeys: refuseAs(Wire.Conflict, (_: TooManyKeys) => ({
    message: `Key limit reached (${scopedKeysMax} active keys). Revoke a key you no longer need.`
  }))
}
