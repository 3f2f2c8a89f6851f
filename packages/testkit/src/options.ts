/** The options of a start, and the type of a started Coffer, for both interfaces. */

export interface Options {
  /** The port, on 127.0.0.1; default: a free port. */
  readonly port?: number
  /**
   * Whether a merchant's sandbox starts with one paid sample order in each currency, like that of any new merchant.
   * Without them a first full refund is refused with `insufficient_balance`, since fees are not returned. Default:
   * true.
   */
  readonly seed?: boolean
  /** The service's settings as environment variables, such as `PUBLIC_URL`: see the README of Coffer. */
  readonly settings?: Readonly<Record<string, string>>
  /** Writes the service's log to standard error, as JSON lines. */
  readonly log?: boolean
}

export interface Merchant {
  /** `mer_…` */
  readonly id: string
  /** `svc_test_…`, the sandbox key. */
  readonly sandboxKey: string
  /** `svc_live_…`, the live key. No money moves unless the operator connects a channel. */
  readonly liveKey: string
}

/** A received delivery. */
export interface Received {
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The body, byte for byte: the signature is over it. */
  readonly raw: string
  /** The body as an object: `event.type`, `event.data.object`. */
  // oxlint-disable-next-line no-explicit-any -- a test reads what it expects
  readonly event: any
}

/** A webhook endpoint of a merchant's sandbox that records its deliveries. */
export interface Hooks {
  /** `we_…` */
  readonly endpointId: string
  readonly url: string
  /** `whsec_…`, the secret that signs each delivery. */
  readonly secret: string
  /** All deliveries so far, in order of arrival. */
  readonly received: ReadonlyArray<Received>
  /** Sets the status to answer with; initially 200. */
  readonly answer: (status: number) => void
}

export interface HooksOptions {
  /** Its merchant; default: the first one. */
  readonly merchant?: Merchant
  /** The event types that it receives; default: all. */
  readonly types?: ReadonlyArray<string>
}

/** Its address and its merchants. */
export interface Place {
  /** `http://127.0.0.1:2345`, without a trailing slash. */
  readonly url: string
  /** The merchant API: `url` with `/v1`. */
  readonly baseUrl: string
  /** The merchant's sandbox key, for `X-Api-Key`. */
  readonly key: string
  readonly merchant: Merchant
  /** The operator token, for `/operator/v1`. */
  readonly operatorToken: string
}
