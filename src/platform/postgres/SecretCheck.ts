/**
 * Refuses to start with another `SECRET_KEY` than the database was made with: no API key would be found, and no webhook
 * secret could be read. The first start keeps a value derived from the key, from which the key cannot be found.
 */
import { hkdfSync } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { BadSetting, Settings } from "../runtime/Settings.ts"

/** What the database keeps of the key. */
export const secretCheckOf = (secretKey: Redacted.Redacted): string => {
  const secret = Buffer.from(Redacted.value(secretKey), "base64")
  return Buffer.from(hkdfSync("sha256", secret, "", "coffer/secret-check", 32)).toString("hex")
}

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { secretKey } = yield* Settings
    const sql = yield* SqlClient.SqlClient
    const value = secretCheckOf(secretKey)
    // Of two first starts at once one keeps its value, and the other compares itself with it.
    yield* sql`insert into secret_check (value) values (${value}) on conflict do nothing`
    const [kept] = yield* sql<{ readonly value: string }>`select value from secret_check`
    if (kept?.value !== value) {
      return yield* new BadSetting({
        message:
          "SECRET_KEY is not the one that this database was made with. Start with that one, or on a new database."
      })
    }
  })
)
