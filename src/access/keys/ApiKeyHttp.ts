/** Handlers of `api_keys`, for operators and the console, and of the console's `main_keys` (docs/architecture.md). */
import { CurrentPerson } from "@coffer/contract/Caller"
import { OperatorApi } from "@coffer/contract/Operator"
import type { Mode } from "@coffer/model/Ids"
import { type DateTime, Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentRecord } from "../../shared/http/CurrentRequest.ts"
import { consoleGroup } from "../../shared/http/granting.ts"
import { commonRefusals } from "../../shared/http/refusals.ts"
import { reply, replyList } from "../../shared/http/replies.ts"
import { keySecretRefusals, makerRefusals, merchantRefusals } from "../merchants/merchantRefusals.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { type Maker, operatorWhoAsks } from "../merchants/stillGives.ts"
import { JustDone, NeedsSecondOperator } from "../operators/approvals.ts"
import { SecondOperator } from "../operators/SecondOperator.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { span } from "../../platform/runtime/span.ts"
import { apiKeyRefusals } from "./apiKeyRefusals.ts"
import { type ApiKey, ApiKeys, type WithSecret } from "./ApiKeys.ts"
import { apiKeyView, oldSecretsView } from "./ApiKeyView.ts"

const { InvalidField } = commonRefusals
const { MakerLeft } = makerRefusals
const { MerchantNotFound } = merchantRefusals
const { TooManyOldSecrets } = keySecretRefusals
const { ApiKeyEnded, ApiKeyNotFound, TooManyKeys } = apiKeyRefusals
const rollRefusals = { ApiKeyEnded, ApiKeyNotFound, MakerLeft, TooManyOldSecrets }

const view = (key: ApiKey) => Effect.map(currentTime, (now) => apiKeyView(key, now))

/** The audit log gets the key before and after, without its secret. */
const noteChange = Effect.fnUntraced(function* (after: ApiKey, before?: ApiKey) {
  const record = yield* CurrentRecord
  const shown = yield* view(after)
  record.change = { ...(before === undefined ? {} : { before: yield* view(before) }), after: shown }
  return shown
})

const replyWithSecret = Effect.fnUntraced(function* ({ key, secret }: WithSecret, code: number, before?: ApiKey) {
  return yield* reply({ ...(yield* noteChange(key, before)), key: secret }, code)
})

const keyOf = ({ key_id, merchant_id }: { readonly key_id: string; readonly merchant_id: string }) => ({
  merchantId: merchant_id,
  keyId: key_id
})

const operators = HttpApiBuilder.group(
  OperatorApi,
  "api_keys",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* ApiKeys
    const merchants = yield* Merchants
    const second = yield* SecondOperator

    return handlers.handleAll({
      create: span("api_keys.create")(
        function* ({ params, payload }) {
          const { merchant_id: merchantId } = yield* merchants.find(params.merchant_id)
          yield* second.confirm({ act: "api_keys.create", target: merchantId, content: payload })
          const { mode, ...terms } = payload
          return yield* replyWithSecret(yield* keys.create({ merchantId, mode }, terms, yield* operatorWhoAsks), 201)
        },
        Effect.catchTags({
          InvalidField,
          JustDone,
          MakerLeft,
          MerchantNotFound,
          NeedsSecondOperator,
          TooManyKeys
        })
      ),

      list: span("api_keys.list")(function* ({ params, query: { mode, ...query } }) {
        const { merchant_id: merchantId } = yield* merchants.find(params.merchant_id)
        const page = yield* keys.list({ merchantId, mode }, query)
        const now = yield* currentTime
        const url = `/operator/v1/merchants/${merchantId}/api_keys`
        return yield* replyList("api_key", url, page, (key) => apiKeyView(key, now))
      }, Effect.catchTags({ InvalidField, MerchantNotFound })),

      get: span("api_keys.get")(function* ({ params }) {
        return yield* reply(yield* view(yield* keys.find(keyOf(params))))
      }, Effect.catchTags({ ApiKeyNotFound })),

      update: span("api_keys.update")(
        function* ({ params, payload }) {
          const before = yield* keys.find(keyOf(params))
          const { key_id: target, mode } = before
          yield* second.confirm({ act: "api_keys.update", target, content: payload, of: { ...payload, mode } })
          return yield* reply(
            yield* noteChange(yield* keys.update(keyOf(params), payload, yield* operatorWhoAsks), before)
          )
        },
        Effect.catchTags({
          ApiKeyEnded,
          ApiKeyNotFound,
          InvalidField,
          JustDone,
          MakerLeft,
          NeedsSecondOperator
        })
      ),

      roll: span("api_keys.roll")(
        function* ({ params, payload }) {
          const before = yield* keys.find(keyOf(params))
          const { key_id: target, mode } = before
          yield* second.confirm({ act: "api_keys.roll", target, content: payload, of: { mode } })
          const rolled = yield* keys.roll(keyOf(params), payload.overlap_minutes, yield* operatorWhoAsks)
          return yield* replyWithSecret(rolled, 200, before)
        },
        Effect.catchTags({ ...rollRefusals, JustDone, NeedsSecondOperator })
      ),

      revoke: span("api_keys.revoke")(function* ({ params }) {
        const before = yield* keys.find(keyOf(params))
        return yield* reply(yield* noteChange(yield* keys.revoke(keyOf(params)), before))
      }, Effect.catchTags({ ApiKeyNotFound }))
    })
  })
)

/** The session's middleware has checked that the person may do this for the merchant of the path. */
const people = consoleGroup(
  "api_keys",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* ApiKeys
    const merchants = yield* Merchants

    return handlers.handleAll({
      create: span("api_keys.create")(
        function* ({ params, payload: { mode, ...terms } }) {
          const { merchant_id: merchantId } = yield* merchants.find(params.merchant_id)
          return yield* replyWithSecret(yield* keys.create({ merchantId, mode }, terms, yield* caller), 201)
        },
        Effect.catchTags({ InvalidField, MakerLeft, MerchantNotFound: Effect.die, TooManyKeys })
      ),

      list: span("api_keys.list")(
        function* ({ params, query: { mode, ...query } }) {
          const { merchant_id: merchantId } = yield* merchants.find(params.merchant_id)
          const page = yield* keys.list({ merchantId, mode }, query)
          const now = yield* currentTime
          const url = `/console/api/merchants/${merchantId}/api_keys`
          return yield* replyList("api_key", url, page, (key) => apiKeyView(key, now))
        },
        Effect.catchTags({ InvalidField, MerchantNotFound: Effect.die })
      ),

      update: span("api_keys.update")(function* ({ params, payload }) {
        const before = yield* keys.find(keyOf(params))
        return yield* reply(yield* noteChange(yield* keys.update(keyOf(params), payload, yield* caller), before))
      }, Effect.catchTags({ ApiKeyEnded, ApiKeyNotFound, InvalidField, MakerLeft })),

      roll: span("api_keys.roll")(function* ({ params, payload }) {
        const before = yield* keys.find(keyOf(params))
        const rolled = yield* keys.roll(keyOf(params), payload.overlap_minutes, yield* caller)
        return yield* replyWithSecret(rolled, 200, before)
      }, Effect.catchTags(rollRefusals)),

      endPrevious: span("api_keys.endPrevious")(function* ({ params }) {
        const before = yield* keys.find(keyOf(params))
        return yield* reply(yield* noteChange(yield* keys.endPrevious(keyOf(params)), before))
      }, Effect.catchTags({ ApiKeyEnded, ApiKeyNotFound })),

      revoke: span("api_keys.revoke")(function* ({ params }) {
        const before = yield* keys.find(keyOf(params))
        return yield* reply(yield* noteChange(yield* keys.revoke(keyOf(params)), before))
      }, Effect.catchTags({ ApiKeyNotFound }))
    })
  }),
  // Only callers with all of a key's rights may change it.
  Effect.map(
    ApiKeys,
    (keys) => (params: Parameters<typeof keyOf>[0]) =>
      keys.find(keyOf(params)).pipe(
        Effect.map((key) => ({ is: "key", ...key }) as const),
        Effect.catchTags({ ApiKeyNotFound })
      )
  )
)

/** The person who is signed in. */
const caller = Effect.map(CurrentPerson, ({ personId, sessionId, shown }): Maker => ({
  personIds: [personId],
  sessionId,
  email: shown.person.email
}))

const mainKeyView = (mode: Mode, oldEnds: ReadonlyArray<DateTime.Utc>) => ({
  object: "main_key" as const,
  mode,
  ...oldSecretsView(oldEnds)
})

/** An owner's act needs no second person, as for keys with scopes. */
const mainKeys = consoleGroup(
  "main_keys",
  Effect.fnUntraced(function* (handlers) {
    const merchants = yield* Merchants

    return handlers.handleAll({
      get: span("main_keys.get")(
        function* ({ params: { merchant_id, mode } }) {
          return yield* reply(mainKeyView(mode, yield* merchants.oldKeyEnds(merchant_id, mode)))
        },
        Effect.catchTags({ MerchantNotFound: Effect.die })
      ),
      reset: span("main_keys.reset")(
        function* ({ params: { merchant_id, mode }, payload: { overlap_minutes } }) {
          return yield* reply({ key: yield* merchants.resetKey(merchant_id, mode, yield* caller, overlap_minutes) })
        },
        Effect.catchTags({ MakerLeft, MerchantNotFound: Effect.die, TooManyOldSecrets })
      ),
      endPrevious: span("main_keys.endPrevious")(
        function* ({ params: { merchant_id, mode } }) {
          yield* merchants.endOldKeys(merchant_id, mode)
          return yield* reply(mainKeyView(mode, yield* merchants.oldKeyEnds(merchant_id, mode)))
        },
        Effect.catchTags({ MerchantNotFound: Effect.die })
      )
    })
  })
)

export const layer = Layer.mergeAll(people, mainKeys)
export const layerOperator = operators
