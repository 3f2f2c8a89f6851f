/** The keys with scopes of random programs: an operator's and people's. */
import { scopesKnown } from "../rights.ts"
import { hours } from "../values.ts"
import { body, maybe } from "./inputs.ts"
import type { Maker } from "./makers.ts"
import type { Draw } from "./random.ts"

/** A few scopes, which a developer may have or lack. */
const scopesOf = (draw: Draw) => {
  const sets = [["orders:read", "refunds:write"], ["balance:read"], ["webhooks:write"], ["erasures:write"]]
  return draw.of(sets)
}

export const keyMakers: Readonly<Record<string, Maker>> = {
  createKey: (account, draw, oracle) => ({
    method: "POST",
    key: "operator",
    path: `/operator/v1/merchants/${account.merchantId}/api_keys`,
    body: body({
      mode: "sandbox",
      name: draw.of<unknown>(["Accounting", "Shop", "", undefined]) ?? "Shop",
      scopes: draw.once(10)
        ? draw.of<unknown>([[], ["orders:erase"], "orders:read"])
        : scopesKnown.filter(() => draw.once(3)).concat(draw.of(scopesKnown)),
      ip_allowlist: maybe(draw, 6, draw.of(["203.0.113.7", account.address])),
      expires_at: maybe(draw, 4, new Date(oracle.now + draw.of([-1, 2, 2]) * hours).toISOString()),
      scope: maybe(draw, 20, "orders:read")
    })
  }),
  keyByPerson: (account, draw) => ({
    method: "POST",
    key: draw.of(["owner", "owner", "owner", "developer", "developer", "support", "viewer"] as const),
    path: `/console/api/merchants/${account.merchantId}/api_keys`,
    body: { mode: draw.of(["sandbox", "live", "live"]), name: "Ours", scopes: scopesOf(draw) }
  }),
  actByPerson: (account, draw) => {
    const no = account.keys.length === 0 ? "unknown" : draw.of(account.keys.slice(-6)).no.value
    const act = draw.of(["roll", "roll", "revoke"])
    return {
      method: "POST",
      key: draw.of(["owner", "developer", "developer", "finance"] as const),
      path: `/console/api/merchants/${account.merchantId}/api_keys/${no}/${act}`,
      ...(act === "roll" ? { body: { overlap_minutes: 0 } } : {})
    }
  },
  actOnKey: (account, draw) => {
    const no = account.keys.length === 0 ? "unknown" : draw.of(account.keys.slice(-4)).no.value
    const path = `/operator/v1/merchants/${account.merchantId}/api_keys/${no}`
    const act = draw.of([undefined, "roll", "revoke"])
    return {
      key: "operator",
      method: act === undefined ? "GET" : "POST",
      path: act === undefined ? path : `${path}/${act}`,
      ...(act === "roll" ? { body: { overlap_minutes: draw.of<unknown>([0, 60, 1441, "1"]) } } : {})
    }
  }
}
