/**
 * The plugin of Vendure: a payment method "Coffer", the address for its events, and a task that asks for missed ones.
 * Its decorators are called as functions, so that no compiler has to be told about them.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import {
  EventBus,
  HistoryService,
  type Injector,
  LanguageCode,
  Logger,
  OrderService,
  OrderStateTransitionEvent,
  PaymentMethodHandler,
  PluginCommonModule,
  RequestContextService,
  type RuntimeVendureConfig,
  ScheduledTask,
  TransactionalConnection,
  type Type,
  VendurePlugin
} from "@vendure/core"
import { WebhookVerificationError } from "@coffer/sdk"
import { Account, type AccountOptions } from "../../shops/src/Account.ts"
import { CofferPayments, handlerCode, loggerCtx, pendingProcess } from "./CofferPayments.ts"

export interface CofferPluginOptions extends AccountOptions {
  /** The path of `webhookUrl` in this server. Default: `coffer/events`. */
  readonly webhookPath?: string | undefined
}

const missedDays = 3
const dayMillis = 86_400_000
const bytesMax = 1_048_576

/** Set when the server starts: a handler of Vendure is made before there are services. */
let payments: CofferPayments
let options: CofferPluginOptions

/** The handler of the payment method, to choose in the dashboard under *Payment methods*. */
export const cofferHandler: PaymentMethodHandler = new PaymentMethodHandler({
  code: handlerCode,
  description: [{ languageCode: LanguageCode.en, value: "Coffer checkout" }],
  args: {},
  init: (injector: Injector) => {
    payments = injector.get(CofferPayments)
  },
  createPayment: (ctx, order, amount) => payments.create(ctx, order, amount),
  settlePayment: (ctx, _order, payment) => payments.settle(ctx, payment),
  cancelPayment: (_ctx, _order, payment) => payments.cancel(payment),
  createRefund: (ctx, input, amount, _order, payment) => payments.refund(ctx, payment, amount, input.reason)
})

/** Ask for what was missed, such as while the server was down. Events that are known change nothing. */
export const reconcileTask: ScheduledTask = new ScheduledTask({
  id: "coffer-reconcile",
  description: "Reads the payments and refunds at Coffer whose events this shop may have missed",
  schedule: (cron) => cron.every(10).minutes(),
  execute: async ({ injector }) => {
    const read = await injector.get(CofferPayments).reconcile(new Date(Date.now() - missedDays * dayMillis))
    return { read }
  }
})

/** Before Vendure parses bodies: the signature is of the bytes. 5xx makes Coffer post the event again. */
const hear = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const answer = (status: number, text = "") => void response.writeHead(status).end(text)
  if (request.method !== "POST") return answer(405)
  try {
    const chunks: Array<Uint8Array> = []
    let bytes = 0
    for await (const chunk of request) {
      bytes += chunk.length
      if (bytes > bytesMax) return answer(413)
      chunks.push(chunk)
    }
    await payments.hear(await payments.verify(Buffer.concat(chunks), request.headers))
    answer(200)
  } catch (error) {
    if (error instanceof WebhookVerificationError) return answer(400, error.code)
    Logger.error(error instanceof Error ? error.message : String(error), loggerCtx)
    answer(500)
  }
}

const configuration = (config: RuntimeVendureConfig): RuntimeVendureConfig => {
  const route = `/${options.webhookPath ?? "coffer/events"}`.replace(/^\/+/, "/")
  config.paymentOptions.paymentMethodHandlers.push(cofferHandler)
  ;(config.paymentOptions.process ??= []).push(pendingProcess)
  config.apiOptions.middleware.push({ route, handler: hear, beforeListen: true })
  ;(config.schedulerOptions.tasks ??= []).push(reconcileTask)
  return config
}

// oxlint-disable-next-line no-extraneous-class -- Vendure makes one itself
export class CofferPlugin {
  /** Throws a `TypeError` that names the option that is wrong. */
  static init(settings: CofferPluginOptions): Type<CofferPlugin> {
    options = settings
    account = new Account(settings)
    return CofferPlugin
  }
}
let account: Account

const makePayments = (
  connection: TransactionalConnection,
  orders: OrderService,
  history: HistoryService,
  contexts: RequestContextService,
  bus: EventBus
): CofferPayments => {
  const made = new CofferPayments({ account, connection, orders, history, contexts })
  bus.ofType(OrderStateTransitionEvent).subscribe(({ ctx, order, toState }) => {
    if (toState === "AddingItems" || toState === "Cancelled") void made.abandon(ctx, order)
  })
  return made
}

VendurePlugin({
  imports: [PluginCommonModule],
  compatibility: "^3.3.0",
  providers: [
    {
      provide: CofferPayments,
      inject: [TransactionalConnection, OrderService, HistoryService, RequestContextService, EventBus],
      useFactory: makePayments
    }
  ],
  configuration
})(CofferPlugin)
