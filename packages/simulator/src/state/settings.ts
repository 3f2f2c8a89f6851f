/** The settings with which the simulator is started. Those left out are the default. */

export interface Settings {
  /** The base URL of its pages, without a trailing slash. Known once the server listens. */
  readonly url: string
  /** Requests a second of one account; 0 for any number. Stripe: 100 live, 25 in test mode. */
  readonly rateLimit: number
  /** For each payment: hundredths of a per cent, and minor units. */
  readonly feePermyriad: number
  readonly feeFixed: number
  /** The fee of a dispute, in minor units. It is not refunded. */
  readonly disputeFee: number
  /** Seconds from a charge to its balance transaction; 0 for at once. Until then a charge shows null. */
  readonly chargeBookedAfter: number
  /**
   * Seconds until a pending or failing refund is decided. A chargeback fails younger ones.
   */
  readonly refundDecidedAfter: number
  /** Seconds that a dispute waits for evidence. */
  readonly disputeDue: number
  /** Seconds from test evidence until it has decided the dispute. */
  readonly disputeDecides: number
  /** Whether answers are validated against the table of facts. */
  readonly check: boolean
}

export const defaults: Omit<Settings, "url"> = {
  rateLimit: 0,
  feePermyriad: 290,
  feeFixed: 30,
  disputeFee: 1_500,
  chargeBookedAfter: 2,
  refundDecidedAfter: 60,
  disputeDue: 7 * 86_400,
  disputeDecides: 5,
  check: true
}
