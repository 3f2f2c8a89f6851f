/**
 * The secrets that sign webhooks, shown and stored. Stored they are encrypted, and bound to their merchant, environment
 * and endpoint, so that one copied to another row is worthless.
 *
 * spec: Events; silences: W1, W9, W10, W16.
 */
import type { Account } from "@coffer/model/Account"
import { signingNow } from "@coffer/rules/webhooks/decide"
import type { StoredSecrets } from "@coffer/rules/webhooks/Settings"
import { type DateTime, Effect, Option } from "effect"
import { Secrets, unboundForm } from "../../platform/runtime/Secrets.ts"
import { MerchantStore, type SealedRow } from "./MerchantStore.ts"

type Crypto = Secrets["Service"]

const secretBytes = 32

/** `endpointId`: null for the account's own secret. */
export const useOf = ({ merchantId, mode }: Account, endpointId: string | null) =>
  endpointId === null ? `${merchantId}/${mode}/signing_secret` : `${merchantId}/${mode}/${endpointId}/signing_secret`

export interface FreshSecret {
  /** As the merchant sees it. */
  readonly secret: string
  /** As it is stored. */
  readonly sealed: string
}

export const newSecret = (secrets: Crypto, account: Account, endpointId: string | null): Effect.Effect<FreshSecret> =>
  Effect.map(drawSecret(secrets), (secret) => ({
    secret,
    sealed: secrets.encrypt(secret, useOf(account, endpointId))
  }))

/** As the merchant sees it, for an endpoint that has no id yet. */
export const drawSecret = (secrets: Crypto): Effect.Effect<string> =>
  Effect.map(secrets.random(secretBytes, "base64"), (text) => `whsec_${text}`)

/** The account's current secret. Throws when it cannot be opened. */
export const openAccountSecret = (secrets: Crypto, account: Account, { current }: StoredSecrets): string =>
  secrets.decrypt(current, useOf(account, null))

/**
 * The secrets that sign at this time, the current one first. None if the current one cannot be decrypted: a receiver
 * with the new secret would refuse signatures of only old ones. Old ones that cannot be decrypted are left out.
 */
export const openSigners = (
  secrets: Pick<Crypto, "decrypt">,
  account: Account,
  endpointId: string | null,
  stored: StoredSecrets,
  now: DateTime.Utc
): Option.Option<ReadonlyArray<string>> => {
  const open = Option.liftThrowable((sealed: string) => secrets.decrypt(sealed, useOf(account, endpointId)))
  const [current, ...old] = signingNow(stored, now).map(open)
  return Option.map(current!, (secret) => [secret, ...old.flatMap(Option.toArray)])
}

/**
 * Encrypts again the accounts' secrets from before they were bound to their rows. A service of that older version
 * cannot open them afterwards.
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
      const use = useOf(row, null)
      yield* Effect.sync(() => secrets.encrypt(secrets.decrypt(row.current, use), use)).pipe(
        Effect.flatMap((fresh) => store.reseal(row, fresh)),
        Effect.catchCause((cause) => Effect.logError("a signing secret cannot be encrypted again", use, cause))
      )
    }
  }
}).pipe(Effect.catchCause((cause) => Effect.logWarning("signing secrets will be bound at the next start", cause)))
