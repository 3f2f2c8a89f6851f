/**
 * The addresses to which an acquirer sends what happens at a merchant's account. Each is signed, so that a request to
 * an address that we never issued costs no look-up.
 */
import type { Account } from "@coffer/model/Account"
import { MerchantId, Mode } from "@coffer/model/Ids"
import { Effect, Option, Schema } from "effect"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"

const isMerchantId = Schema.is(MerchantId)
const isMode = Schema.is(Mode)

/** `use`: of the signature. It stays as it is, since the addresses are in acquirers' settings. */
export const webhookAddresses = Effect.fnUntraced(function* (channel: string, use: string) {
  const secrets = yield* Secrets
  const { publicUrl } = yield* Settings
  return {
    of: ({ merchantId, mode }: Pick<Account, "merchantId" | "mode">): string => {
      const payload = `${merchantId}.${mode}`
      return `${publicUrl}/channels/${channel}/${payload}.${secrets.sign(use + payload)}`
    },
    /** The account of the address with this token; none if the signature is not ours. */
    read: (token: string): Option.Option<Account> => {
      const [merchantId = "", mode = ""] = token.split(".", 2)
      const payload = `${merchantId}.${mode}`
      return isMerchantId(merchantId) &&
        isMode(mode) &&
        secrets.isSigned(use + payload, token.slice(payload.length + 1))
        ? Option.some({ merchantId, mode })
        : Option.none()
    }
  }
})
