/** Handlers of the operator's `channels` group (docs/architecture.md, section 7). */
import type { ChannelResource } from "@coffer/contract/Channels"
import * as Wire from "@coffer/contract/Errors"
import { OperatorApi } from "@coffer/contract/Operator"
import type { Mode } from "@coffer/model/Ids"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { channelRefusals } from "../../channel/channelRefusals.ts"
import { CurrentRecord } from "../../http/CurrentRequest.ts"
import { commonRefusals, refuseAs } from "../../http/refusals.ts"
import { reply } from "../../http/replies.ts"
import { merchantRefusals } from "../../merchants/merchantRefusals.ts"
import { type ClockMoved as Moved, type Merchant, Merchants } from "../../merchants/Merchants.ts"
import { JustDone, NeedsSecondOperator } from "../../operators/approvals.ts"
import { SecondOperator } from "../../operators/SecondOperator.ts"
import { span } from "../../platform/runtime/span.ts"
import { Accounts, type AccountInUse as InUse } from "./Accounts.ts"
import { countMax } from "./AccountUses.ts"
import { webhookAddresses } from "./webhookAddress.ts"

export const layer = HttpApiBuilder.group(
  OperatorApi,
  "channels",
  Effect.fnUntraced(function* (handlers) {
    const merchants = yield* Merchants
    const accounts = yield* Accounts
    const addresses = yield* webhookAddresses
    const second = yield* SecondOperator
    const { InvalidField } = commonRefusals
    const { MerchantNotFound } = merchantRefusals
    const { ChannelUnreachable } = channelRefusals

    const AccountInUse = refuseAs(Wire.Conflict, (inUse: InUse) => ({ message: inUseMessage(inUse) }))

    const ClockMoved = refuseAs(Wire.Conflict, (_: Moved) => ({ message: clockMovedMessage }))

    const view = ({ merchant_id, modes }: Merchant, mode: Mode): ChannelResource => {
      const { stripe } = modes[mode]
      return {
        object: "channel",
        merchant_id,
        mode,
        channel: stripe?.isActive === true ? "stripe" : mode === "sandbox" ? "sandbox" : "none",
        account: stripe?.account ?? null,
        has_keys: stripe !== null,
        set_at: stripe?.setAt ?? null,
        webhook_url: addresses.of({ merchantId: merchant_id, mode })
      }
    }

    const refused = { AccountInUse, ChannelUnreachable, ClockMoved, InvalidField, MerchantNotFound }
    const ofTwo = { JustDone, NeedsSecondOperator }

    return handlers.handleAll({
      retrieve: span("channels.retrieve")(function* ({ params }) {
        return yield* reply(view(yield* merchants.find(params.merchant_id), params.mode))
      }, Effect.catchTags({ MerchantNotFound })),

      set: span("channels.set")(
        function* ({ params: { merchant_id, mode }, payload }) {
          const before = view(yield* merchants.find(merchant_id), mode)
          yield* second.confirm({ act: "channels.set", target: `${merchant_id}/${mode}`, content: payload })
          const after = view(yield* accounts.set(merchant_id, mode, payload), mode)
          const record = yield* CurrentRecord
          record.change = { before, after }
          return yield* reply(after)
        },
        Effect.catchTags({ ...refused, ...ofTwo })
      )
    })
  })
)

const clockMovedMessage =
  "The clock of this sandbox was moved, and Stripe's time cannot be: its checkout sessions would end at other times " +
  "than the orders. A clock goes forward only, so take a merchant whose sandbox keeps real time. Nothing was changed."

const inUseMessage = ({ isActive, uses }: InUse): string => {
  const counts = Object.entries(uses)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count >= countMax ? `${countMax} or more` : count} ${what}`)
  const needs = counts.length === 0 ? "" : ` It is still needed for: ${counts.join(", ")}.`
  const off = isActive
    ? " Set the channel to none, in the sandbox to sandbox, and wait until its sessions have ended."
    : ""
  return (
    `These keys are of another account at Stripe than the one before.${needs}${off} Money that was paid there can be ` +
    "refunded and disputed there alone. To take payments with the new account now, make another merchant for it " +
    "(docs/going-live.md, section 4). Nothing was changed."
  )
}
