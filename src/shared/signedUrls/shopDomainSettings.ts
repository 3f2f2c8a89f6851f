/**
 * The operator's setting for shops' own hosts (docs/decisions/0201): their target. It also enables the feature, since a
 * host needs a proxy that answers for it with a certificate.
 */
import { Config, Effect, Option, Result } from "effect"
import { NetAddress } from "effect/net"
import { BadSetting } from "../../platform/runtime/places.ts"
import { roomSettings } from "../../platform/runtime/roomSettings.ts"

export interface ShopDomainSettings {
  /** Names, or addresses, of the proxy that answers for shops' hosts. None: no merchant has a host of its own. */
  readonly pointTo: ReadonlyArray<string>
}

/** Merchants see all of them. */
const pointToMax = 8

const isName = (text: string) => text.includes(".") && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(text)
export const isAddress = (text: string): boolean => Result.isSuccess(NetAddress.ipFromString(text))

export const shopDomainSettings = roomSettings<ShopDomainSettings>({
  secrets: [],
  read: Effect.fnUntraced(function* () {
    const read = yield* Config.option(Config.NonEmptyString("SHOP_DOMAINS_POINT_TO"))
    const pointTo = Option.getOrElse(read, () => "")
      .split(/[\s,]+/)
      .filter((each) => each !== "")
      .map((each) => each.toLowerCase().replace(/(?<=[a-z\d])\.$/, ""))
    if (pointTo.length > pointToMax || !pointTo.every((each) => isAddress(each) || isName(each))) {
      return yield* new BadSetting({
        message:
          "SHOP_DOMAINS_POINT_TO must look like shops.pay.example, or 203.0.113.7,2001:db8::7: where the proxy for " +
          `custom domains is, up to ${pointToMax} names or addresses.`
      })
    }
    return { pointTo }
  })
})
