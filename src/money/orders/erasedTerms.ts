/** The hash of an erased order's texts, with which a repeated create is compared. */
import type { Secrets } from "../../platform/runtime/Secrets.ts"
import { jsonText } from "../../platform/runtime/codecs.ts"

export interface ErasedTerms {
  readonly subject: string | null
  readonly notify_url: string | null
}

export const termsHashOf = ({ keyHash }: Secrets["Service"], { notify_url, subject }: ErasedTerms): string =>
  keyHash(`terms ${jsonText([subject, notify_url])}`)
