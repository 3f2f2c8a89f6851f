/** Handlers of the console's `settings` and `quotas` groups: a merchant's own people read and change its settings. */
import { CurrentPerson } from "@coffer/contract/Caller"
import * as Wire from "@coffer/contract/Errors"
import type { MerchantSettingsResource } from "@coffer/contract/ConsoleMerchant"
import { InvalidField } from "@coffer/rules/InvalidField"
import { settingsWithoutWords } from "@coffer/rules/operator/loggedBody"
import { forbiddenField, personMayDo } from "@coffer/rules/people/mayDo"
import { normalEmail } from "@coffer/rules/people/signIn"
import { Effect, Layer, Predicate } from "effect"
import { Domains, type NoDomain as NoDomainError } from "../../access/domains/Domains.ts"
import { makeQuotaUse, quotaWindowSeconds } from "../edge/MerchantKey.ts"
import { CurrentRecord } from "../../shared/http/CurrentRequest.ts"
import { consoleGroup } from "../../shared/http/granting.ts"
import { replacedVersion } from "../../shared/http/replaced.ts"
import { commonRefusals, refuseAs, refuseTemporarilyAs, unavailable } from "../../shared/http/refusals.ts"
import { busy, reply } from "../../shared/http/replies.ts"
import { Logos } from "../../access/merchants/Logos.ts"
import { type Merchant, type MerchantChanged as SettingsChanged, Merchants } from "../../access/merchants/Merchants.ts"
import { makerRefusals } from "../../access/merchants/merchantRefusals.ts"
import { merchantView } from "../../access/merchants/MerchantView.ts"
import type { Changer } from "../../access/merchants/stillGives.ts"
import {
  ConfirmedAddresses,
  type TooManyAddresses as TooManyAddressesError
} from "../../shared/mail/ConfirmedAddresses.ts"
import { People } from "../../access/people/People.ts"
import { jsonText } from "../../platform/runtime/codecs.ts"
import { MerchantClocks } from "../../platform/runtime/MerchantClocks.ts"
import { sha256 } from "../../platform/runtime/Secrets.ts"
import { span } from "../../platform/runtime/span.ts"
import { ShopHosts } from "../../shared/signedUrls/ShopHosts.ts"

const { InvalidField: InvalidFieldRefusal } = commonRefusals
const { NotCommitted } = unavailable
const { MakerLeft } = makerRefusals
const MerchantChanged = refuseAs(Wire.Conflict, (_: SettingsChanged) => ({
  message: "The settings have changed since you read them. Read them again and reapply your changes."
}))
const TooManyAddresses = refuseTemporarilyAs(Wire.RateLimited, (_: TooManyAddressesError) => ({
  message: "Too many addresses were entered today. Try again tomorrow, or ask an operator to set one."
}))
const NoDomain = refuseAs(Wire.Conflict, ({ reason }: NoDomainError) => ({ message: noDomainMessages[reason] }))
const noDomainMessages = {
  not_set: "No checkout domain is set.",
  switched_off: "This installation does not offer custom checkout domains.",
  no_outbound: "Outbound calls are disabled on this installation (NO_OUTBOUND)."
} as const

const settings = consoleGroup(
  "settings",
  Effect.fnUntraced(function* (handlers) {
    const merchants = yield* Merchants
    const logos = yield* Logos
    const clocks = yield* MerchantClocks
    const people = yield* People
    const addresses = yield* ConfirmedAddresses
    const domains = yield* Domains
    const { pointTo } = yield* ShopHosts

    const view = (merchant: Merchant): MerchantSettingsResource => {
      const ahead = clocks.offsetOf({ merchantId: merchant.merchant_id, mode: "sandbox" })
      const { note: _, object: __, ...shown } = merchantView(merchant, { logoUrl: logos.urlOf, ahead, pointTo })
      return { object: "merchant_settings", ...shown, version: versionOf(merchant) }
    }
    /**
     * The settings, without the fields that change by themselves: the clock, and the state of the host for checkout.
     */
    const versionOf = (merchant: Merchant): string => {
      const {
        checkout_domain,
        note: _,
        ...settings
      } = merchantView(merchant, { logoUrl: logos.urlOf, ahead: 0, pointTo })
      return sha256(jsonText([settings, checkout_domain?.host])).slice(0, 12)
    }

    /**
     * A sandbox sends mails to confirmed addresses of the merchant (silences: O42): those that operators have set, and
     * those of people who have signed in by a mail to them.
     */
    const checkRecipients = Effect.fnUntraced(function* (merchant: Merchant, wanted: ReadonlyArray<string> = []) {
      const known = merchant.modes.sandbox.mail_recipients
      const fresh = wanted.filter((each) => !known.includes(each))
      if (fresh.length === 0) return
      const present = (yield* people.of(merchant.merchant_id)).filter(({ last_seen_at }) => last_seen_at !== null)
      const emails = new Set(present.map(({ email }) => email))
      if (fresh.every((each) => emails.has(normalEmail(each)))) return
      return yield* new InvalidField({
        param: "sandbox.mail_recipients",
        problem: "must be the address of a team member who has signed in; only operators can set others"
      })
    })

    return handlers.handleAll({
      get: span("settings.get")(
        function* ({ params }) {
          return yield* reply(view(yield* merchants.find(params.merchant_id)))
        },
        Effect.catchTags({ MerchantNotFound: Effect.die })
      ),

      update: span("settings.update")(
        function* ({ params: { merchant_id }, payload }) {
          const { logo_url, ...patch } = payload
          const before = yield* merchants.find(merchant_id)
          yield* checkRecipients(before, payload.sandbox?.mail_recipients)
          const logo = logo_url ? yield* logos.nameOf(merchant_id, logo_url) : logo_url
          for (const email of typedAddresses(before, payload)) yield* addresses.doubt(merchant_id, email)
          const replaces = yield* replacedVersion
          const isCurrent = (merchant: Merchant) => replaces === undefined || replaces === versionOf(merchant)
          const change = logo === undefined ? patch : { ...patch, logo }
          const after = yield* merchants.update(merchant_id, change, { isCurrent, by: yield* changerOf(payload) })
          const record = yield* CurrentRecord
          record.change = { before: settingsWithoutWords(view(before)), after: settingsWithoutWords(view(after)) }
          return yield* reply(view(after))
        },
        Effect.catchTags({
          InvalidField: InvalidFieldRefusal,
          MakerLeft,
          MerchantChanged,
          MerchantNotFound: Effect.die,
          NotCommitted,
          TooManyAddresses
        })
      ),

      checkDomain: span("settings.checkDomain")(
        function* ({ params: { merchant_id } }) {
          yield* domains.check(merchant_id)
          return yield* reply(view(yield* merchants.find(merchant_id)))
        },
        Effect.catchTags({ MerchantNotFound: Effect.die, NoDomain, TooManyLooks: () => busy })
      )
    })
  })
)

/** New addresses that operators have not set. */
const typedAddresses = (
  before: Merchant,
  { contact_email, support_email }: { readonly contact_email?: string | null; readonly support_email?: string | null }
): ReadonlyArray<string> => {
  const kept = [before.contact_email, before.support_email, ...before.modes.sandbox.mail_recipients]
  const known = kept.filter(Predicate.isString).map(normalEmail)
  return [contact_email, support_email].filter(Predicate.isString).filter((each) => !known.includes(normalEmail(each)))
}

/** The person, and the roles that may change these settings: the one that the door has read may be gone. */
const changerOf = (patch: object) =>
  Effect.map(CurrentPerson, ({ personId, sessionId }): Changer => ({
    asker: { personIds: [personId], sessionId },
    may: (role) =>
      personMayDo(role, "settings.update") && forbiddenField("settings.update", role, { ...patch }) === undefined
  }))

const quotas = consoleGroup(
  "quotas",
  Effect.fnUntraced(function* (handlers) {
    const merchants = yield* Merchants
    const useOf = yield* makeQuotaUse

    return handlers.handleAll({
      get: span("quotas.get")(
        function* ({ params, query: { mode } }) {
          const { merchant_id: merchantId, quotas: own } = yield* merchants.find(params.merchant_id)
          const used = yield* useOf({ merchantId, mode }, own)
          return yield* reply({ object: "quotas", mode, window_seconds: quotaWindowSeconds, quotas: used })
        },
        Effect.catchTags({ MerchantNotFound: Effect.die })
      )
    })
  })
)

export const layer = Layer.mergeAll(settings, quotas)
