/** Handlers of the operator's `merchants` group (docs/architecture.md, section 7). */
import { OperatorApi } from "@coffer/contract/Operator"
import { settingsWithoutWords } from "@coffer/rules/operator/loggedBody"
import { Effect, Predicate } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentOperator } from "@coffer/contract/Caller"
import { span } from "../../platform/runtime/span.ts"
import { CurrentRecord } from "../../shared/http/CurrentRequest.ts"
import { grantingByOperator } from "../../shared/http/granting.ts"
import { commonRefusals, unavailable } from "../../shared/http/refusals.ts"
import { reply, replyList } from "../../shared/http/replies.ts"
import { ConfirmedAddresses } from "../../shared/mail/ConfirmedAddresses.ts"
import { JustDone, NeedsSecondOperator } from "../operators/approvals.ts"
import { SecondOperator } from "../operators/SecondOperator.ts"
import { MerchantClocks } from "../../platform/runtime/MerchantClocks.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { ShopHosts } from "../../shared/signedUrls/ShopHosts.ts"
import { Logos } from "./Logos.ts"
import { makerRefusals, merchantRefusals } from "./merchantRefusals.ts"
import { type Merchant, Merchants } from "./Merchants.ts"
import { merchantView } from "./MerchantView.ts"
import { NewSandbox } from "./NewSandbox.ts"
import { operatorWhoAsks } from "./stillGives.ts"

const { InvalidField } = commonRefusals
const { MakerLeft } = makerRefusals
const { MerchantNotFound } = merchantRefusals
const { NotCommitted } = unavailable
/** Without an overlap no old key keeps working. */
const resetRefusals = { MakerLeft, MerchantNotFound, JustDone, NeedsSecondOperator, TooManyOldSecrets: Effect.die }

const operatorWhoUpdates = Effect.map(CurrentOperator, (asker) => ({
  asker,
  operatorsAct: "merchants.update" as const
}))

export const layer = HttpApiBuilder.group(
  OperatorApi,
  "merchants",
  Effect.fnUntraced(function* (handlers) {
    const merchants = yield* Merchants
    const sandbox = yield* NewSandbox
    const logos = yield* Logos
    const clocks = yield* MerchantClocks
    const trustAddresses = yield* makeTrustAddresses
    const { pointTo } = yield* ShopHosts
    const { twoOperators } = yield* Settings
    const second = yield* SecondOperator

    const view = (merchant: Merchant) =>
      merchantView(merchant, {
        logoUrl: logos.urlOf,
        pointTo,
        ahead: clocks.offsetOf({ merchantId: merchant.merchant_id, mode: "sandbox" })
      })

    /** The audit log gets the merchant before and after. */
    const changed = <E>(merchantId: string, change: Effect.Effect<Merchant, E>) =>
      Effect.gen(function* () {
        const before = view(yield* merchants.find(merchantId))
        const after = view(yield* change)
        ;(yield* CurrentRecord).change = { before: settingsWithoutWords(before), after: settingsWithoutWords(after) }
        return yield* reply(after)
      })

    return grantingByOperator(handlers, "merchants").handleAll({
      create: span("merchants.create")(function* ({ payload }) {
        const { liveKey, merchant, sandboxKey } = yield* merchants.create(payload.name)
        const { approved, merchant_id, name } = merchant
        if (payload.seed !== false) yield* sandbox.seed(merchant_id)
        // A single operator may not see a live key.
        const live_key = twoOperators.liveKeys === true ? null : liveKey
        return yield* reply({ merchant_id, name, approved, sandbox_key: sandboxKey, live_key }, 201)
      }),

      get: span("merchants.get")(function* ({ params }) {
        return yield* reply(view(yield* merchants.find(params.merchant_id)))
      }, Effect.catchTags({ MerchantNotFound })),

      list: span("merchants.list")(function* ({ query }) {
        return yield* replyList("merchant", "/operator/v1/merchants", yield* merchants.list(query), view)
      }, Effect.catchTags({ InvalidField })),

      update: span("merchants.update")(
        function* ({ params, payload }) {
          const { logo_url, ...patch } = payload
          const { merchant_id } = yield* merchants.find(params.merchant_id)
          yield* second.confirm({ act: "merchants.update", target: merchant_id, content: payload })
          const logo = logo_url ? yield* logos.nameOf(merchant_id, logo_url) : logo_url
          const change = logo === undefined ? patch : { ...patch, logo }
          const written = merchants.update(merchant_id, change, { by: yield* operatorWhoUpdates })
          const update = Effect.tap(written, () => trustAddresses(merchant_id, payload))
          return yield* changed(merchant_id, update)
        },
        Effect.catchTags({
          InvalidField,
          MakerLeft,
          MerchantChanged: Effect.die,
          MerchantNotFound,
          JustDone,
          NeedsSecondOperator,
          NotCommitted
        })
      ),

      suspend: span("merchants.suspend")(function* ({ params }) {
        return yield* changed(params.merchant_id, merchants.suspend(params.merchant_id))
      }, Effect.catchTags({ MerchantNotFound })),

      resume: span("merchants.resume")(function* ({ params }) {
        return yield* changed(params.merchant_id, merchants.resume(params.merchant_id))
      }, Effect.catchTags({ MerchantNotFound })),

      close: span("merchants.close")(function* ({ params }) {
        const { merchant_id } = yield* merchants.find(params.merchant_id)
        yield* second.confirm({ act: "merchants.close", target: merchant_id, content: {} })
        return yield* changed(merchant_id, merchants.close(merchant_id))
      }, Effect.catchTags({ MerchantNotFound, JustDone, NeedsSecondOperator })),

      resetKey: span("merchants.resetKey")(function* ({ params: { merchant_id, mode } }) {
        yield* merchants.find(merchant_id)
        yield* second.confirm({ act: "merchants.resetKey", target: merchant_id, content: { mode } })
        return yield* reply({ key: yield* merchants.resetKey(merchant_id, mode, yield* operatorWhoAsks) })
      }, Effect.catchTags(resetRefusals)),

      signingSecret: span("merchants.signingSecret")(function* ({ params: { merchant_id, mode } }) {
        yield* merchants.find(merchant_id)
        yield* second.confirm({ act: "merchants.signingSecret", target: merchant_id, content: { mode } })
        return yield* reply({ secret: yield* merchants.signingSecret(merchant_id, mode) })
      }, Effect.catchTags({ MerchantNotFound, JustDone, NeedsSecondOperator }))
    })
  })
)

/** An address that operators set counts as confirmed for mails. */
const makeTrustAddresses = Effect.map(
  ConfirmedAddresses,
  ({ trust }) =>
    (merchantId: string, set: { readonly contact_email?: string | null; readonly support_email?: string | null }) =>
      Effect.forEach(
        [set.contact_email, set.support_email].filter(Predicate.isString),
        (email) => trust(merchantId, email),
        { discard: true }
      )
)
