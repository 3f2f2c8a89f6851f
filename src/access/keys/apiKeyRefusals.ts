/** Errors of keys with scopes as errors on the wire (docs/architecture.md, section 7). */
import * as Wire from "@coffer/contract/Errors"
import { scopedKeysMax } from "@coffer/model/Limits"
import { refuseAs } from "../../shared/http/refusals.ts"
import type { ApiKeyEnded, ApiKeyNotFound } from "./ApiKeys.ts"
import type { MakerLeft, TooManyKeys } from "./ApiKeyStore.ts"

export const apiKeyRefusals = {
  ApiKeyNotFound: refuseAs(Wire.ApiKeyNotFound, ({ keyId }: ApiKeyNotFound) => ({
    message: `This merchant has no key ${keyId}.`
  })),
  ApiKeyEnded: refuseAs(Wire.Conflict, ({ keyId }: ApiKeyEnded) => ({
    message: `The key ${keyId} was revoked or has expired, so it stays as it is.`
  })),
  MakerLeft: refuseAs(Wire.Forbidden, (_: MakerLeft) => ({ message: "You have no role at this merchant." })),
  TooManyKeys: refuseAs(Wire.Conflict, (_: TooManyKeys) => ({
    message: `This environment has ${scopedKeysMax} keys that work. Revoke one that is not needed any more.`
  }))
}
