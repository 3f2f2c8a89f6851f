/**
 * The one way to change webhook settings: load, decide, commit with the answer to the request, and again when somebody
 * else wrote first (docs/decisions/0021). The next question to this runner meets the new settings.
 */
import type { Account } from "@coffer/model/Account"
import type { WebhookSettings } from "@coffer/rules/webhooks/Settings"
import { type DateTime, Effect, type Result } from "effect"
import { answering, sealedAnswerOf } from "../idempotency/Answering.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { settingsIdOf } from "../merchants/webhookSettings.ts"
import { NotCommitted } from "../platform/commit/Change.ts"
import { Transactor } from "../platform/commit/Transactor.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { Secrets } from "../platform/runtime/Secrets.ts"
import { replacement, type StoredSettings, WebhookSettingsStore } from "./WebhookSettingsStore.ts"

/** How often one change is decided while others change the same settings: more often than a merchant sends at once. */
const attemptsMax = 64

/** What a change comes to. */
export interface SettingsChange<Answer> {
  readonly settings: WebhookSettings
  /** What the request is answered. It is stored encrypted, since it may show a secret. */
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
      const { answer, settings } = yield* Effect.fromResult(decide(before, yield* currentTime))
      const changes = [replacement(account, before, settings)]
      const committed = answering((request) =>
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
          // Of the request's claim it means that somebody else has taken the request over.
          if (failure.table !== "webhook_settings") return yield* new NotCommitted({ reason: "overloaded" })
      }
    }
    return yield* new NotCommitted({ reason: "overloaded" })
  })
})
