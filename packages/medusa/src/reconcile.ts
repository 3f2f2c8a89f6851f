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
  if (type === "payment.succeeded") await enterPayment(container, session, data.object.amount)
  else if (type === "refund.succeeded") await enterRefund(container, provider, session, data.object.refund_no)
}

const enterPayment = async (container: MedusaContainer, session: PaymentSessionDTO, amount: number): Promise<void> => {
  if (session.payment?.captured_at && (await hasOrder(container, session))) return
  if ((session.payment?.refunds ?? []).length > 0) return
  const input = { action: PaymentActions.SUCCESSFUL, data: { session_id: session.id, amount: majorOf(amount) } }
  await processPaymentWorkflow(container).run({ input })
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
  refundNo: string
): Promise<void> => {
  if (payment === undefined) return
  const refund = await provider.account.coffer.refunds.get(refundNo)
  if (isKnown(refund, payment.refunds ?? []) || isUnderWay(refund) || refund.status !== "succeeded") return
  provider.entering.set(refund.trade_no, refundNo)
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
