/**
 * A key with scopes as the cache holds it for calls (docs/decisions/0090). The room of keys writes it
 * (`src/access/keys`).
 */
import { Mode } from "@coffer/model/Ids"
import { type DateTime, Schema } from "effect"
import { TimeColumn } from "../../platform/runtime/codecs.ts"

const times = {
  /** When the key ends; null: never. */
  expires_at: Schema.NullOr(TimeColumn),
  /** The end of the sent secret; null while it is the newest. */
  ends_at: Schema.NullOr(TimeColumn),
  revoked_at: Schema.NullOr(TimeColumn)
}

/** The owner of a key, main or with scopes. Without a number it is the main key, and the rest is null. */
export const KeyOwner = Schema.Struct({
  merchant_id: Schema.String,
  mode: Mode,
  key_id: Schema.NullOr(Schema.String),
  scopes: Schema.NullOr(Schema.Array(Schema.String)),
  ip_allowlist: Schema.NullOr(Schema.String),
  ...times
})
export type KeyOwner = typeof KeyOwner.Type

export interface ScopedKey extends Pick<KeyOwner, keyof typeof times> {
  readonly key_id: string
  readonly scopes: ReadonlyArray<string>
  readonly ip_allowlist: string
}

export const scopedKeyOf = ({ ip_allowlist, key_id, scopes, ...times }: KeyOwner): ScopedKey | undefined =>
  key_id === null ? undefined : { key_id, scopes: scopes ?? [], ip_allowlist: ip_allowlist ?? "", ...times }

/** Whether the secret that was sent works at this moment of real time, in milliseconds since 1970. */
export const works = ({ ends_at, expires_at, revoked_at }: ScopedKey, at: number): boolean =>
  revoked_at === null && isAhead(expires_at, at) && isAhead(ends_at, at)

const isAhead = (end: DateTime.Utc | null, at: number) => end === null || at < end.epochMilliseconds
