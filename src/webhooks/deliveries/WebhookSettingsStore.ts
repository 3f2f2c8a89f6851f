/**
 * Rows of webhook settings, read fresh to change or to show them, and the one way to change them: load, decide, commit
 * with the answer to the request, and again when another request wrote first (docs/decisions/0021). The next request at
 * this runner meets the new settings. An account's single address is the merchant's own and only shown here.
 */
import { Mode } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { DefaultEndpoint, type SingleAddress, type WebhookSettings } from "@coffer/rules/webhooks/Settings"
import { Context, type DateTime, Effect, Layer, type Result, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { CurrentRecord } from "../../shared/http/CurrentRequest.ts"
import { sealedAnswerOf, withAnswer } from "../../shared/idempotency/Answering.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { settingsIdOf, webhookSettings } from "../../access/merchants/webhookSettings.ts"
import { type Change, NotCommitted, update } from "../../platform/commit/Change.ts"
import { type MakerLeft, makeStillChanges } from "../../access/merchants/stillGives.ts"
import { Transactor } from "../../platform/commit/Transactor.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"

export interface StoredSettings {
  readonly settings: WebhookSettings
  readonly version: number
  /** Undefined where the operator has set none. */
  readonly single: SingleAddress | undefined
}

export class WebhookSettingsStore extends Context.Service<
  WebhookSettingsStore,
  {
    readonly load: (account: Account) => Effect.Effect<StoredSettings>
    /** Whether the person who asks by the console may still do so. */
    readonly checkPerson: (account: Account) => Effect.Effect<void, MakerLeft>
  }
>()("@coffer/webhooks/WebhookSettingsStore") {}

/** The settings after a change, in place of the version that was read. */
const replacement = (account: Account, before: StoredSettings, after: WebhookSettings): Change => {
  const row = { id: settingsIdOf(account), ...account, ...after }
  return update(webhookSettings, before.version, row, { version: before.version + 1 })
}

const Single = Schema.Struct({
  default_notify_url: Schema.NullOr(Schema.String),
  default_endpoint: Schema.NullOr(DefaultEndpoint)
})

export const layer = Layer.effect(
  WebhookSettingsStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const settings = SqlSchema.findOne({
      Request: Schema.String,
      Result: webhookSettings.row,
      execute: (id) => sql`select * from webhook_settings where id = ${id}`
    })
    const single = SqlSchema.findOne({
      Request: Schema.Struct({ merchantId: Schema.String, mode: Mode }),
      Result: Single,
      execute: ({ merchantId, mode }) => sql`select default_notify_url, default_endpoint from merchant_modes
        where merchant_id = ${merchantId} and mode = ${mode}`
    })
    const stillChanges = makeStillChanges(sql)
    return WebhookSettingsStore.of({
      checkPerson: Effect.fnUntraced(function* ({ merchantId }) {
        const { changer } = yield* CurrentRecord
        if (changer !== undefined) yield* sqlDefects(stillChanges(merchantId, changer))
      }),
      load: Effect.fnUntraced(
        function* ({ merchantId, mode }) {
          const row = yield* settings(settingsIdOf({ merchantId, mode }))
          const { default_endpoint, default_notify_url } = yield* single({ merchantId, mode })
          return {
            settings: webhookSettings.read(row),
            version: row.version,
            single:
              default_notify_url === null || default_endpoint === null
                ? undefined
                : { ...default_endpoint, url: default_notify_url }
          }
        },
        // Every merchant has both rows from the start.
        Effect.catchTags({ NoSuchElementError: Effect.die }),
        sqlDefects
      )
    })
  })
)

/** How often one change is decided while others change the same settings: more often than a merchant sends at once. */
const attemptsMax = 64

/** The result of a change. */
interface SettingsChange<Answer> {
  readonly settings: WebhookSettings
  /** The answer to the request. It is stored encrypted, since it may show a secret. */
  readonly answer: Answer
}

export const makeChangeSettings = Effect.gen(function* () {
  const store = yield* WebhookSettingsStore
  const transactor = yield* Transactor
  const merchants = yield* Merchants
  const secrets = yield* Secrets

  return Effect.fnUntraced(function* <Answer extends object, Refusal>(
    account: Account,
    decide: (stored: StoredSettings, now: DateTime.Utc) => Result.Result<SettingsChange<Answer>, Refusal>
  ) {
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const before = yield* store.load(account)
      // After the settings were read: revoking a person's right changes their version.
      yield* store.checkPerson(account)
      const { answer, settings } = yield* Effect.fromResult(decide(before, yield* currentTime))
      const changes = [replacement(account, before, settings)]
      const committed = withAnswer((request) =>
        transactor.commit(settingsIdOf(account), [...changes, ...sealedAnswerOf(request, answer, secrets.encrypt)])
      )
      const outcome = yield* Effect.result(Effect.ensuring(committed, merchants.forget(account.merchantId)))
      if (outcome._tag === "Success") return answer
      const { failure } = outcome
      switch (failure._tag) {
        case "NotCommitted":
          return yield* failure
        case "AlreadyExists":
          return yield* Effect.die(failure)
        case "StaleVersion":
          // The stale row is the request's claim: another request has taken it over.
          if (failure.table !== "webhook_settings") return yield* new NotCommitted({ reason: "overloaded" })
      }
    }
    return yield* new NotCommitted({ reason: "overloaded" })
  })
})
