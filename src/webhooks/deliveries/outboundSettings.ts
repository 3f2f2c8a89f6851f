/** The operator's setting for outgoing webhooks. */
import { Config, Effect, type Redacted } from "effect"
import { proxyAddress } from "../../platform/runtime/places.ts"
import { roomSettings } from "../../platform/runtime/roomSettings.ts"

export interface OutboundSettings {
  /** `http://user:pass@host:port`: the proxy for webhooks; undefined for direct connections. */
  readonly webhookProxy: Redacted.Redacted | undefined
}

export const outboundSettings = roomSettings<OutboundSettings>({
  secrets: ["WEBHOOK_PROXY"],
  read: Effect.fnUntraced(function* () {
    const read = yield* Config.option(Config.Redacted("WEBHOOK_PROXY"))
    return { webhookProxy: yield* proxyAddress("WEBHOOK_PROXY", read) }
  })
})
