/** `coffer links`: payment links, each visit of which creates an order. */
import { CaptureMethod } from "@coffer/model/PaymentMethod"
import { paymentLinks as declared } from "@coffer/resources/links"
import { Effect } from "effect"
import { Command } from "effect/cli"
import type { PaymentLink } from "../../sdk/src/index.ts"
import { connectToWrite } from "./client.ts"
import { columnsOf } from "./declared.ts"
import { amount, currency, metadata, number, oneOf, text } from "./flags.ts"
import { command } from "./frame.ts"
import { withoutNone } from "./withoutNone.ts"
import { printObject } from "./output.ts"
import { getCommand, listCommand, tailCommand, type Tailed } from "./resource.ts"

const links: Tailed<PaymentLink, {}> = {
  called: "payment links",
  idOf: ({ link_id }) => link_id,
  columns: columnsOf(declared, {
    used_count: ({ max_uses, used_count }) => `${used_count}${max_uses === null ? "" : ` of ${max_uses}`}`
  }),
  filters: {},
  list: (coffer, cursors) => [coffer.paymentLinks.list(cursors)],
  followed: ({ paymentLinks }) => [(after, options) => paymentLinks.follow({ after }, options)]
}

const create = command(
  "create",
  {
    does: "Create a payment link, and print it with its address",
    example: "coffer links create --amount 1999 --max-uses 3"
  },
  {
    amount,
    currency,
    subject: text("subject", "Shown to the buyer at checkout"),
    maxUses: number("max-uses", "Maximum number of orders; no limit by default"),
    expiresAt: text("expires-at", "When it expires, such as 2026-12-31T23:59:59Z"),
    notifyUrl: text("notify-url", "Where the events of its orders go"),
    returnUrl: text("return-url", "Where the buyer goes after the payment"),
    metadata,
    capture: oneOf("capture", CaptureMethod.literals, "manual: hold the amount of each order, and charge it yourself")
  },
  ({ amount, capture, currency, expiresAt, maxUses, metadata, notifyUrl, returnUrl, subject }) =>
    Effect.gen(function* () {
      const { ask } = yield* connectToWrite()
      const terms = withoutNone({
        currency,
        subject,
        max_uses: maxUses,
        expires_at: expiresAt,
        notify_url: notifyUrl,
        return_url: returnUrl,
        metadata,
        capture
      })
      yield* printObject(yield* ask((coffer) => coffer.paymentLinks.create({ amount, ...terms })))
    })
)

export const linksCommand = Command.make("links").pipe(
  Command.withDescription("Payment links: create, get, list, tail"),
  Command.withSubcommands([
    create,
    getCommand("payment links", "link-id", (coffer, ref) => coffer.paymentLinks.get(ref)),
    listCommand(links),
    tailCommand(links)
  ])
)
