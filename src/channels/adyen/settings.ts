/** The settings of calls to Adyen, and the addresses of its services. */
import type { Mode } from "@coffer/model/Ids"
import { Config, Effect, Option } from "effect"
import { BadSetting, isLoopback } from "../../platform/runtime/places.ts"
import { roomSettings } from "../../platform/runtime/roomSettings.ts"

export interface AdyenSettings {
  /** A simulator of all of Adyen's services; undefined for Adyen itself. */
  readonly api: URL | undefined
}

export const adyenSettings = roomSettings<AdyenSettings>({
  secrets: [],
  read: Effect.fnUntraced(function* () {
    const read = yield* Config.option(Config.URL("ADYEN_API"))
    if (Option.isNone(read)) return { api: undefined }
    const { hash, hostname, password, pathname, protocol, search, username } = read.value
    const isBare = pathname === "/" && search === "" && hash === "" && username === "" && password === ""
    if (!isBare || (protocol !== "https:" && !(protocol === "http:" && isLoopback(hostname)))) {
      return yield* new BadSetting({
        message: "ADYEN_API must look like https://adyen.example; http is only for a simulator on this machine."
      })
    }
    return { api: read.value }
  })
})

export type Service = "checkout" | "disputes" | "reports"

const paths: Readonly<Record<Service, string>> = {
  checkout: "/v72",
  disputes: "/ca/services/DisputeService/v30",
  reports: "/reports/download/MerchantAccount"
}

/** The start of the addresses of a service. `prefix`: of live calls of a company. */
export const addressOf = (
  { api }: AdyenSettings,
  service: Service,
  { mode, prefix }: { readonly mode: Mode; readonly prefix: string | null }
): string => {
  if (api !== undefined) return api.origin + paths[service]
  const isLive = mode === "live"
  if (service === "checkout") {
    return isLive
      ? `https://${prefix ?? ""}-checkout-live.adyenpayments.com/checkout${paths.checkout}`
      : `https://checkout-test.adyen.com${paths.checkout}`
  }
  return `https://ca-${isLive ? "live" : "test"}.adyen.com${paths[service]}`
}
