/**
 * A scheduled job for the shop: reads what was paid and refunded at Coffer, and enters what Medusa has missed, such as
 * while it was down. What is known changes nothing. In the shop, as `src/jobs/coffer.ts`:
 * `export { default, config } from "@coffer/medusa/reconcile"`.
 */
import type { Event, Refund } from "@coffer/sdk"
import { processPaymentWorkflow, refundPaymentWorkflow } from "@medusajs/medusa/core-flows"
import type { MedusaContainer, PaymentSessionDTO } from "@medusajs/framework/types"
import { ContainerRegistrationKeys, Modules, PaymentActions } from "@medusajs/framework/utils"
import { isUnderWay } from "../../shops/src/Account.ts"
import { CofferProvider, majorOf } from "./CofferProvider.ts"

export const config: { readonly name: string; readonly schedule: string } = {
  name: "coffer-reconcile",
  schedule: "*/10 * * * *"
}

const missedDays = 3
const dayMillis = 86_400_000

export default async function reconcile(container: MedusaContainer): Promise<void> {
  const logger = container.resolve(ContainerRegistrationKeys.LOGGER)
  const since = new Date(Date.now() - missedDays * dayMillis)
  for (const provider of CofferProvider.started) {
    for await (const event of provider.account.since(since)) {
      await enter(container, provider, event).catch((error: Error) =>
        logger.error(`Coffer ${event.id}: ${error.message}`)
      )
    }
  }
}

const enter = async (container: MedusaContainer, provider: CofferProvider, event: Event): Promise<void> => {
  const { data, type } = event
  const sessions = await container
    .resolve(Modules.PAYMENT)
    .listPaymentSessions(
      { id: data.object.out_trade_no.replace(/\.\d+$/, "") },
      { relations: ["payment", "payment.refunds", "payment.captures"] }
    )
  const [session] = sessions
  // Of another shop of the account.
  if (session === undefined) return
  if (type === "payment.succeeded" || type === "payment.authorized")
    await enterPayment(container, provider, session, data.object.trade_no)
  else if (type === "refund.succeeded") await enterRefund(container, provider, session, data.object)
}

const enterPayment = async (
  container: MedusaContainer,
  provider: CofferProvider,
  session: PaymentSessionDTO,
  tradeNo: string
): Promise<void> => {
  const { captures = [], refunds = [] } = session.payment ?? {}
  const isPlaced = session.payment !== undefined && (await hasOrder(container, session))
  if (refunds.length > 0 || (isPlaced && captures.length > 0)) return
  const input = provider.actionOf(await provider.account.read(tradeNo))
  const isNew = input.action === PaymentActions.SUCCESSFUL || (input.action === PaymentActions.AUTHORIZED && !isPlaced)
  if (isNew) await processPaymentWorkflow(container).run({ input })
}

/** Whether the cart has become an order. A payment without a cart has none to wait for. */
const hasOrder = async (container: MedusaContainer, { payment_collection_id }: PaymentSessionDTO): Promise<boolean> => {
  const { data } = await container.resolve(ContainerRegistrationKeys.QUERY).graph({
    entity: "cart_payment_collection",
    fields: ["cart.completed_at"],
    filters: { payment_collection_id }
  })
  return data.every(({ cart }) => cart?.completed_at != null)
}

/** A refund that was made at Coffer, or whose answer was lost. */
const enterRefund = async (
  container: MedusaContainer,
  provider: CofferProvider,
  { payment }: PaymentSessionDTO,
  then: Refund
): Promise<void> => {
  if (payment === undefined || isKnown(then, payment.refunds ?? [])) return
  const refund = await provider.account.coffer.refunds.get(then.refund_no)
  if (isKnown(refund, payment.refunds ?? []) || isUnderWay(refund) || refund.status !== "succeeded") return
  provider.entering.set(refund.trade_no, refund.refund_no)
  try {
    const note = refund.reason ?? "Made at Coffer"
    const input = { payment_id: payment.id, amount: majorOf(refund.amount), note }
    await refundPaymentWorkflow(container).run({ input })
  } finally {
    provider.entering.delete(refund.trade_no)
  }
}

/** Each refund at Coffer names the row of Medusa's books that it is. */
const isKnown = ({ metadata }: Refund, rows: ReadonlyArray<{ readonly id: string }>): boolean =>
  rows.some(({ id }) => id === metadata["shop_refund"])
