/**
 * The key that was sent, as the cache holds it for calls (docs/decisions/0090, 0241). The room of keys writes those
 * with scopes (`src/access/keys`).
 */
import { Mode } from "@coffer/model/Ids"
import { type DateTime, Schema } from "effect"
import { TimeColumn } from "../../platform/runtime/codecs.ts"

const times = {
  /** When the key ends; null: never. */
  expires_at: Schema.NullOr(TimeColumn),
  revoked_at: Schema.NullOr(TimeColumn)
}

/** The owner of a key, main or with scopes. Without a number it is the main key, and the rest is null. */
export const KeyOwner = Schema.Struct({
  merchant_id: Schema.String,
  mode: Mode,
  key_id: Schema.NullOr(Schema.String),
  scopes: Schema.NullOr(Schema.Array(Schema.String)),
  ip_allowlist: Schema.NullOr(Schema.String),
  /** The end of the sent secret; null while it is the newest. */
  ends_at: Schema.NullOr(TimeColumn),
  ...times
})
export type KeyOwner = typeof KeyOwner.Type

export interface ScopedKey extends Pick<KeyOwner, keyof typeof times> {
  readonly key_id: string
  readonly scopes: ReadonlyArray<string>
  readonly ip_allowlist: string
}

export const scopedKeyOf = ({
  expires_at,
  ip_allowlist,
  key_id,
  revoked_at,
  scopes
}: KeyOwner): ScopedKey | undefined =>
  key_id === null
    ? undefined
    : { key_id, scopes: scopes ?? [], ip_allowlist: ip_allowlist ?? "", expires_at, revoked_at }

/** What a call was sent with: a key, main (undefined) or with scopes, and the end of this secret of it. */
export interface SentKey {
  readonly key: ScopedKey | undefined
  readonly ends_at: DateTime.Utc | null
}

/** Whether the secret that was sent works at this moment of real time, in milliseconds since 1970. */
export const works = ({ ends_at, key }: SentKey, at: number): boolean =>
  isAhead(ends_at, at) && (key === undefined || (key.revoked_at === null && isAhead(key.expires_at, at)))

const isAhead = (end: DateTime.Utc | null, at: number) => end === null || at < end.epochMilliseconds
