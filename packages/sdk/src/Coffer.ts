/** The client: the methods of the merchant API, for one key. Make one and share it. */
import { Resources } from "./generated/resources.ts"
import type { CofferOptions } from "./options.ts"
import { Transport } from "./Transport.ts"
import { webhooks } from "./webhooks.ts"

/** The key is in a place that nothing prints. */
export class Coffer extends Resources {
  readonly webhooks = webhooks

  /** Fails with a `TypeError` that names the option which is wrong. */
  constructor(options: CofferOptions) {
    super(new Transport(options))
  }
}
