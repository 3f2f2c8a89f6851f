/** An object that needs attention, as the operator API answers it. With `--json` its fields are printed unchanged. */
export const heldKinds = [
  "refund",
  "dispute",
  "payout",
  "delivery",
  "hold",
  "unapplied_payment",
  "stray_session",
  "mail",
  "report"
] as const

export interface Held {
  readonly kind: (typeof heldKinds)[number]
  readonly id: string
  readonly merchant_id: string
  readonly mode: string
  readonly status: string
  /** In minor units of the currency; both are null if there is not one amount. */
  readonly amount: number | null
  readonly currency: string | null
  readonly due_by: string | null
  readonly text: string
  readonly since: string
  readonly attempts: number | null
  readonly last_error: string | null
  readonly next_attempt_at: string | null
}
