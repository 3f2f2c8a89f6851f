/** The client: the methods of the merchant API, for one key. Create one and share it. */
import { Resources } from "./generated/resources.ts"
import type { CofferOptions } from "./options.ts"
import { Transport } from "./Transport.ts"
import { webhooks } from "./webhooks.ts"

/** The key is stored where nothing prints it. */
export class Coffer extends Resources {
  readonly webhooks = webhooks

  /** Throws a `TypeError` that names the invalid option. */
  constructor(options: CofferOptions) {
    super(new Transport(options))
  }
}
