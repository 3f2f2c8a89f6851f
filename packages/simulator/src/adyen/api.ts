/**
 * The calls that a simulated Adyen answers, each in one synchronous step, so that a fault is exactly before or after
 * its effect. A parameter that is not simulated is refused by name.
 */
import type { Bank, Dispute, Modification } from "./Bank.ts"
import {
  type Accepted,
  type Cancel,
  type Capture,
  type Defended,
  known,
  type Link,
  type Methods,
  type NewCancel,
  type NewCapture,
  type NewDocuments,
  type NewLink,
  type NewRefund,
  type NewReversal,
  type Reasons,
  type Refund,
  type Refusal,
  type Reversal,
  type Supplied
} from "./wire.ts"

export interface Reply {
  readonly status: number
  readonly body: object | string
}

const ok = <A extends object>(body: A, status = 200): Reply => ({ status, body })
export const refuse = (status: number, errorCode: string, message: string): Reply => ({
  status,
  body: { status, errorCode, message, errorType: status === 401 ? "security" : "validation" } satisfies Refusal
})

type Body = Readonly<Record<string, unknown>>

/** The name of a parameter that is not simulated. */
const unknownIn = (body: Body, names: ReadonlyArray<string>) => Object.keys(body).find((name) => !names.includes(name))
const notSimulated = (name: string) => refuse(422, "702", `not simulated: the parameter ${name}`)

export const answer = (bank: Bank, method: string, path: string, body: Body): Reply => {
  const call = `${method} ${path}`
  const account = body["merchantAccount"] ?? body["merchantAccountCode"]
  if (account !== undefined && account !== bank.account) return refuse(403, "901", "Invalid Merchant Account")
  for (const [pattern, act] of acts) {
    const match = pattern.exec(call)
    if (match !== null) return act(bank, body, ...match.slice(1))
  }
  return refuse(404, "000", `not simulated: ${call}`)
}

type Act = (bank: Bank, body: Body, ...parts: ReadonlyArray<string>) => Reply

const makeLink: Act = (bank, body) => {
  const unknown = unknownIn(body, known.link)
  if (unknown !== undefined) return notSimulated(unknown)
  const wanted = body as unknown as NewLink
  if (!(wanted.amount.value > 0)) return refuse(422, "137", "Invalid amount specified")
  const id = `PL${bank.next("link")}`
  const link: Link = {
    id,
    url: `https://test.adyen.link/${id}`,
    status: "active",
    merchantAccount: wanted.merchantAccount,
    reference: wanted.reference,
    amount: wanted.amount,
    ...(wanted.description === undefined ? {} : { description: wanted.description }),
    ...(wanted.allowedPaymentMethods === undefined ? {} : { allowedPaymentMethods: wanted.allowedPaymentMethods }),
    ...(wanted.expiresAt === undefined ? {} : { expiresAt: wanted.expiresAt }),
    ...(wanted.returnUrl === undefined ? {} : { returnUrl: wanted.returnUrl }),
    ...(wanted.shopperLocale === undefined ? {} : { shopperLocale: wanted.shopperLocale }),
    ...(wanted.manualCapture === undefined ? {} : { manualCapture: wanted.manualCapture }),
    reusable: false
  }
  bank.links.set(id, link)
  return ok(link, 201)
}

const readLink: Act = (bank, _, id = "") => {
  const link = bank.linkOf(id)
  return link === undefined ? refuse(404, "000", "Payment link not found") : ok(link)
}

const endLink: Act = (bank, body, id = "") => {
  const link = bank.linkOf(id)
  if (link === undefined) return refuse(404, "000", "Payment link not found")
  if (body["status"] !== "expired") return refuse(422, "702", "status must be expired")
  if (link.status === "expired") return ok(link)
  if (link.status !== "active") return refuse(422, "29_002", "The payment link can no longer be changed")
  const ended: Link = { ...link, status: "expired", updatedAt: bank.written() }
  bank.links.set(id, ended)
  return ok(ended)
}

const modify = (
  bank: Bank,
  id: string,
  kind: Modification["kind"],
  reference: string,
  amountOf: (left: number) => number
): Modification | Reply => {
  const payment = bank.payments.get(id)
  if (payment === undefined) return refuse(422, "167", "Original pspReference required for this operation")
  // Whether a hold can be captured or released is decided later, and a notice tells.
  const isOfHold = kind === "CAPTURE" || kind === "CANCELLATION"
  const left = payment.hold === "held" && kind === "REFUND" ? 0 : payment.amount - payment.refunded
  const amount = amountOf(left)
  if ((amount > left && !isOfHold) || amount <= 0) return refuse(422, "137", "Invalid amount specified")
  if (!isOfHold) payment.refunded += amount
  const pspReference = bank.next("modification")
  const one: Modification = { pspReference, payment, kind, amount, reference, state: "asked" }
  bank.modifications.set(pspReference, one)
  return one
}

const refund: Act = (bank, body, id = "") => {
  const unknown = unknownIn(body, known.refund)
  if (unknown !== undefined) return notSimulated(unknown)
  const { amount, merchantAccount, reference = "" } = body as unknown as NewRefund
  const one = modify(bank, id, "REFUND", reference, () => amount.value)
  if ("body" in one) return one
  return ok<Refund>(
    {
      amount,
      merchantAccount,
      paymentPspReference: id,
      pspReference: one.pspReference,
      reference,
      status: "received"
    },
    201
  )
}

const capture: Act = (bank, body, id = "") => {
  const unknown = unknownIn(body, known.capture)
  if (unknown !== undefined) return notSimulated(unknown)
  const { amount, merchantAccount, reference = "" } = body as unknown as NewCapture
  const one = modify(bank, id, "CAPTURE", reference, () => amount.value)
  if ("body" in one) return one
  const { pspReference } = one
  return ok<Capture>(
    { amount, merchantAccount, paymentPspReference: id, pspReference, reference, status: "received" },
    201
  )
}

const cancel: Act = (bank, body, id = "") => {
  const unknown = unknownIn(body, known.cancel)
  if (unknown !== undefined) return notSimulated(unknown)
  const { merchantAccount, reference = "" } = body as unknown as NewCancel
  const one = modify(bank, id, "CANCELLATION", reference, () => bank.payments.get(id)?.amount ?? 0)
  if ("body" in one) return one
  const { pspReference } = one
  return ok<Cancel>({ merchantAccount, paymentPspReference: id, pspReference, reference, status: "received" }, 201)
}

const reverse: Act = (bank, body, id = "") => {
  const unknown = unknownIn(body, known.reversal)
  if (unknown !== undefined) return notSimulated(unknown)
  const { merchantAccount, reference = "" } = body as unknown as NewReversal
  const one = modify(bank, id, "CANCEL_OR_REFUND", reference, (left) => left)
  if ("body" in one) return one
  return ok<Reversal>(
    { merchantAccount, paymentPspReference: id, pspReference: one.pspReference, reference, status: "received" },
    201
  )
}

const methods: Act = () => ok<Methods>({ paymentMethods: [{ name: "Cards", type: "scheme" }] })

const disputed =
  (act: (bank: Bank, dispute: Dispute, body: Body) => Reply): Act =>
  (bank, body) => {
    const dispute = bank.disputes.get(String(body["disputePspReference"]))
    return dispute === undefined ? refuse(422, "702", "Dispute not found") : act(bank, dispute, body)
  }

const failed = (errorMessage: string): Defended & Accepted & Supplied => ({
  disputeServiceResult: { success: false, errorMessage }
})
const done: Defended & Accepted & Supplied = { disputeServiceResult: { success: true } }

/** Whether nobody can answer it any more. */
const isOver = ({ event, isDefended }: Dispute) => isDefended || event === "DISPUTE_DEFENSE_PERIOD_ENDED"

const reasons = disputed((_, dispute) =>
  ok<Reasons>({
    disputeServiceResult: { success: true },
    defenseReasons: isOver(dispute)
      ? []
      : [
          {
            defenseReasonCode: "GoodsOrServicesProvided",
            satisfied: false,
            defenseDocumentTypes: [
              {
                available: dispute.documents.has("DefenseMaterial"),
                defenseDocumentTypeCode: "DefenseMaterial",
                requirementLevel: "Required"
              },
              {
                available: dispute.documents.has("ProofOfDelivery"),
                defenseDocumentTypeCode: "ProofOfDelivery",
                requirementLevel: "Optional"
              }
            ]
          }
        ]
  })
)

const supply = disputed((_, dispute, body) => {
  if (isOver(dispute)) return ok(failed("The dispute can no longer be defended"))
  const { defenseDocuments } = body as unknown as NewDocuments
  for (const { content, defenseDocumentTypeCode } of defenseDocuments) {
    dispute.documents.set(defenseDocumentTypeCode, Buffer.from(content, "base64"))
  }
  return ok(done)
})

const defend = disputed((bank, dispute) => {
  if (isOver(dispute)) return ok(failed("The dispute can no longer be defended"))
  if (!dispute.documents.has("DefenseMaterial")) return ok(failed("A document is missing: DefenseMaterial"))
  dispute.isDefended = true
  bank.supplied(dispute)
  return ok(done)
})

const accept = disputed((bank, dispute) => {
  if (isOver(dispute)) return ok(failed("The dispute can no longer be accepted"))
  bank.end(dispute)
  return ok(done)
})

const report: Act = (bank, _, account = "", batch = "") => {
  const text = account === bank.account ? bank.reports[Number(batch) - 1] : undefined
  return text === undefined ? refuse(404, "000", "Report not found") : { status: 200, body: text }
}

const reports = String.raw`/reports/download/MerchantAccount/([\w-]+)/settlement_detail_report_batch_(\d+)\.csv`
const disputes = "POST /ca/services/DisputeService/v30"

const acts: ReadonlyArray<readonly [call: RegExp, act: Act]> = [
  [/^POST \/v72\/paymentMethods$/, methods],
  [/^POST \/v72\/paymentLinks$/, makeLink],
  [/^GET \/v72\/paymentLinks\/(\w+)$/, readLink],
  [/^PATCH \/v72\/paymentLinks\/(\w+)$/, endLink],
  [/^POST \/v72\/payments\/(\w+)\/refunds$/, refund],
  [/^POST \/v72\/payments\/(\w+)\/captures$/, capture],
  [/^POST \/v72\/payments\/(\w+)\/cancels$/, cancel],
  [/^POST \/v72\/payments\/(\w+)\/reversals$/, reverse],
  [new RegExp(`^${disputes}/retrieveApplicableDefenseReasons$`), reasons],
  [new RegExp(`^${disputes}/supplyDefenseDocument$`), supply],
  [new RegExp(`^${disputes}/defendDispute$`), defend],
  [new RegExp(`^${disputes}/acceptDispute$`), accept],
  [new RegExp(`^GET ${reports}$`), report]
]
