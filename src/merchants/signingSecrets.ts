/**
 * The secrets that sign webhooks, as they are stored: encrypted, and bound to their merchant and environment, so that
 * one copied to another row is worthless.
 */
import type { Mode } from "@coffer/model/Ids"
import { Effect } from "effect"
import { Secrets, unboundForm } from "../platform/runtime/Secrets.ts"
import { type MerchantRow, MerchantStore, type SealedRow } from "./MerchantStore.ts"

type Crypto = Secrets["Service"]

const useOf = (merchantId: string, mode: Mode) => `${merchantId}/${mode}/signing_secret`

/** A new secret, encrypted. */
export const newSigningSecret = (secrets: Crypto, merchantId: string, mode: Mode) =>
  Effect.map(secrets.random(32), (text) => secrets.encrypt(`whsec_${text}`, useOf(merchantId, mode)))

export const openSigningSecret = (secrets: Crypto, { merchant_id, modes }: MerchantRow, mode: Mode): string =>
  secrets.decrypt(modes[mode].signing_secret, useOf(merchant_id, mode))

/**
 * Encrypts again the secrets from before they were bound to their rows. A service of that older version cannot open
 * them afterwards.
 */
export const bindSigningSecrets = Effect.gen(function* () {
  const store = yield* MerchantStore
  const secrets = yield* Secrets
  let after: SealedRow | undefined
  while (true) {
    const rows: ReadonlyArray<SealedRow> = yield* store.sealedAs(unboundForm, after)
    after = rows.at(-1)
    if (after === undefined) return
    for (const row of rows) {
      const use = useOf(row.merchant_id, row.mode)
      yield* Effect.sync(() => secrets.encrypt(secrets.decrypt(row.signing_secret, use), use)).pipe(
        Effect.flatMap((fresh) => store.reseal(row, fresh)),
        Effect.catchCause((cause) => Effect.logError("a signing secret cannot be encrypted again", use, cause))
      )
    }
  }
}).pipe(Effect.catchCause((cause) => Effect.logWarning("signing secrets will be bound at the next start", cause)))
