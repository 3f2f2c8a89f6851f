/** The options of a start, and the shape of a started Coffer, for both ways in. */

export interface Options {
  /** Where it listens, on 127.0.0.1; a free port unless given. */
  readonly port?: number
  /**
   * Whether the sandbox of a merchant begins with one paid sample order in each currency, as that of any new merchant
   * does. Without them a first full refund is refused with `insufficient_balance`, since fees are not returned. True
   * unless given.
   */
  readonly seed?: boolean
  /** The service's settings by their names in the environment, such as `PUBLIC_URL`: see the README of Coffer. */
  readonly settings?: Readonly<Record<string, string>>
  /** Writes what the service logs to standard error, a line of JSON each. */
  readonly log?: boolean
}

export interface Merchant {
  /** `mer_…` */
  readonly id: string
  /** `svc_test_…` opens its sandbox. */
  readonly sandboxKey: string
  /** `svc_live_…` opens live, where no money moves unless the operator connects a channel. */
  readonly liveKey: string
}

/** A delivery as it came in. */
export interface Received {
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The body, byte for byte: the signature is over it. */
  readonly raw: string
  /** The body as an object: `event.type`, `event.data.object`. */
  // oxlint-disable-next-line no-explicit-any -- a test reads what it expects
  readonly event: any
}

/** A webhook endpoint of a merchant's sandbox that keeps what it is sent. */
export interface Hooks {
  /** `we_…` */
  readonly endpointId: string
  readonly url: string
  /** `whsec_…` has signed each delivery. */
  readonly secret: string
  /** All deliveries so far, in the order in which they came. */
  readonly received: ReadonlyArray<Received>
  /** The status that is answered from now on; 200 at first. */
  readonly answer: (status: number) => void
}

export interface HooksOptions {
  /** Its merchant; the first one unless given. */
  readonly merchant?: Merchant
  /** Which types of events it takes; all unless given. */
  readonly types?: ReadonlyArray<string>
}

/** Where it is and who is there. */
export interface Place {
  /** `http://127.0.0.1:2345`, without a slash at the end. */
  readonly url: string
  /** The merchant API: `url` with `/v1`. */
  readonly baseUrl: string
  /** The merchant's sandbox key, for `X-Api-Key`. */
  readonly key: string
  readonly merchant: Merchant
  /** Opens `/operator/v1`. */
  readonly operatorToken: string
}
