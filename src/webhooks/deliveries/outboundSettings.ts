/** The setting of an operator for webhooks on their way out. */
import { Config, Effect, type Redacted } from "effect"
import { proxyAddress } from "../../platform/runtime/places.ts"
import { roomSettings } from "../../platform/runtime/roomSettings.ts"

export interface OutboundSettings {
  /** `http://user:pass@host:port`: what webhooks go through; undefined if they go straight. */
  readonly webhookProxy: Redacted.Redacted | undefined
}

export const outboundSettings = roomSettings<OutboundSettings>({
  secrets: ["WEBHOOK_PROXY"],
  read: Effect.fnUntraced(function* () {
    const read = yield* Config.option(Config.Redacted("WEBHOOK_PROXY"))
    return { webhookProxy: yield* proxyAddress("WEBHOOK_PROXY", read) }
  })
})
