/** The mail about a key that was found in public, in English. It never holds the key. Pure. */
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
    subject: `A key of ${merchant.name} was found in public`,
    paragraphs: [
      `Somebody has found a secret of ${which} of ${merchant.name} in public, and reported it at ` +
        `${isoText(leak.reported_at)}.`,
      ...(key === null ? mainKey : key.revoked_at === null ? oldSecret : revoked),
      "Look at the calls of the last days in your API logs, and remove the secret from where it was found."
    ]
  })
}

const mainKey = [
  "The key still works: a reset would stop your shop without warning.",
  "Ask the operator of this service to reset it as soon as your programs can take the new one."
]
const revoked = ["The key was revoked at once and does not work any more. Programs that use it need another key."]
const oldSecret = ["This old secret was ended at once. The key's newest secret goes on working."]
