/**
 * The keys of this process, and whether they match the database. A start with another `SECRET_KEY` is refused: no API
 * key would be found, and no webhook secret could be read. The row `secret_check` has a value that is derived from the
 * key, from which the key cannot be found. During a rotation it has the value of the previous key, too
 * (docs/decisions/0017).
 */
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { jsonText } from "../runtime/codecs.ts"
import { bytesOf, checkOf, derive, seal, SecretKeys, tryUnseal } from "../runtime/Secrets.ts"
import { BadSetting, Settings } from "../runtime/Settings.ts"

export const layer = Layer.effect(
  SecretKeys,
  Effect.gen(function* () {
    const { secretKey, secretKeyPrevious } = yield* Settings
    const sql = yield* SqlClient.SqlClient
    const current = bytesOf(secretKey)
    const previous = secretKeyPrevious === undefined ? undefined : bytesOf(secretKeyPrevious)
    // One of two first starts at once keeps its value, and the other compares itself with it.
    yield* sql`insert into secret_check (value) values (${checkOf(current)}) on conflict do nothing`
    const [row] = yield* decodeRow(yield* sql`select value, previous, kept from secret_check`)
    const problem = problemOf(row!, checkOf(current), previous === undefined ? undefined : checkOf(previous))
    if (problem !== undefined) return yield* new BadSetting({ message: problem })
    const isMoved = row!.value === checkOf(current)
    const sealers = { current: sealerOf(current), previous: previous === undefined ? undefined : sealerOf(previous) }
    const kept = row!.kept === null ? keptOf(isMoved ? current : previous!) : yield* openKept(sealers, row!.kept)
    return SecretKeys.of({
      ...sealers,
      sealsWithCurrent: isMoved && row!.previous === null,
      apiKeys: Buffer.from(kept.apiKeys, "base64"),
      links: Buffer.from(kept.links, "base64")
    })
  })
)

const Row = Schema.Struct({
  value: Schema.String,
  previous: Schema.NullOr(Schema.String),
  kept: Schema.NullOr(Schema.String)
})
const decodeRow = Schema.decodeUnknownEffect(Schema.Array(Row))

/** `value`: of the key that encrypts. `previous`: of the previous key, while texts may be encrypted with it. */
const problemOf = ({ kept, previous, value }: typeof Row.Type, own: string, ownPrevious: string | undefined) => {
  if (own === ownPrevious) return "SECRET_KEY_PREVIOUS is the same as SECRET_KEY: unset it, or change SECRET_KEY."
  if (value === own) {
    if (previous === null || previous === ownPrevious) return undefined
    return (
      "Secrets in this database may still be encrypted with the previous key. " +
      "Set SECRET_KEY_PREVIOUS to it until the log says that none are."
    )
  }
  if (previous === own) {
    return "SECRET_KEY was changed for this database. Start with the new one, and this one as SECRET_KEY_PREVIOUS."
  }
  if (value !== ownPrevious) {
    if (kept !== null) {
      return (
        "SECRET_KEY is not this database's current key: it was changed. Start with the newest key. " +
        "An older one only opens backups from before the change."
      )
    }
    return "SECRET_KEY is not the one this database was created with. Start with that one, or with a new database."
  }
  return previous === null
    ? undefined
    : "The change to the key that is SECRET_KEY_PREVIOUS here is not finished. Finish it before the next one."
}

/** The key that encrypts texts. */
const sealerOf = (secret: Buffer) => derive(secret, "webhook-secrets")

/** Keys that stay when `SECRET_KEY` changes. Otherwise API keys would not be found, and links in mails would fail. */
const Kept = Schema.Struct({ apiKeys: Schema.String, links: Schema.String })
const use = "secret_check/kept"

const keptOf = (secret: Buffer): typeof Kept.Type => ({
  apiKeys: derive(secret, "api-keys").toString("base64"),
  links: derive(secret, "links").toString("base64")
})

/** The stored form since the first rotation of `SECRET_KEY`. */
export const sealKept = ({ apiKeys, current, links }: SecretKeys["Service"]): string =>
  seal(current, jsonText({ apiKeys: apiKeys.toString("base64"), links: links.toString("base64") }), use)

const openKept = Effect.fnUntraced(function* (
  { current, previous }: Pick<SecretKeys["Service"], "current" | "previous">,
  kept: string
) {
  const opened = Option.orElse(tryUnseal(current, kept, use), () =>
    previous === undefined ? Option.none() : tryUnseal(previous, kept, use)
  )
  if (Option.isSome(opened)) return yield* Effect.orElseSucceed(decodeKept(opened.value), () => keptOf(current))
  return yield* new BadSetting({ message: "The keys in this database can't be decrypted with SECRET_KEY." })
})
const decodeKept = Schema.decodeUnknownEffect(Schema.fromJsonString(Kept))
