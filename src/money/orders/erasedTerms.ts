/** The texts of an order that a repeated create is compared with, as they are kept once the order is erased. */
import type { Secrets } from "../../platform/runtime/Secrets.ts"
import { jsonText } from "../../platform/runtime/codecs.ts"

export interface ErasedTerms {
  readonly subject: string | null
  readonly notify_url: string | null
}

export const termsHashOf = ({ keyHash }: Secrets["Service"], { notify_url, subject }: ErasedTerms): string =>
  keyHash(`terms ${jsonText([subject, notify_url])}`)
