/** The mail about a leaked key, in English. It never contains the key. Pure. */
import { isoText } from "@coffer/model/isoText"
import type { Message } from "../../shared/mail/Mailer.ts"
import { plainMail } from "../../shared/mail/plainMail.ts"
import type { Merchant } from "../merchants/Merchants.ts"
import type { ApiKey } from "./ApiKeyStore.ts"
import type { LeakMail } from "./LeakStore.ts"

export const leakMail = (leak: LeakMail, merchant: Merchant, to: string, key: ApiKey | null): Message => {
  const which = key === null ? `the main ${leak.mode} key` : `the ${leak.mode} key "${key.name}" (${key.key_id})`
  return plainMail({
    id: leak.id,
    to,
    subject: `An API key of ${merchant.name} was leaked`,
    paragraphs: [
      `A secret of ${which} of ${merchant.name} was found in public and reported at ${isoText(leak.reported_at)}.`,
      ...(key === null ? mainKey : key.revoked_at === null ? oldSecret : revoked),
      "Check the recent calls in your API logs, and remove the secret from where it was found."
    ]
  })
}

const mainKey = [
  "The key still works, since a reset would stop your shop without warning.",
  "Ask the operator of this service to reset it as soon as your programs can switch to the new one."
]
const revoked = ["The key was revoked immediately and no longer works. Programs that use it need a new key."]
const oldSecret = ["This old secret was revoked immediately. The key's current secret keeps working."]
