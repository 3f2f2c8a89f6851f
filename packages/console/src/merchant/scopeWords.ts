/** The permissions of keys in words. The machine's names stand beside them. */
import type { Scope } from "@coffer/model/Scopes"
import { type Language, wordsIn } from "../parts/words.ts"

/** What a permission is about: the first word of its machine name. */
export type ScopeResource = Scope extends `${infer Resource}:${string}` ? Resource : never

const resources: Readonly<Record<ScopeResource, { readonly en: string; readonly zh: string }>> = {
  orders: { en: "Orders", zh: "订单" },
  refunds: { en: "Refunds", zh: "退款" },
  disputes: { en: "Disputes", zh: "争议" },
  payment_links: { en: "Payment links", zh: "支付链接" },
  balance: { en: "Balance", zh: "余额" },
  reports: { en: "Reports", zh: "报表" },
  events: { en: "Events", zh: "事件" },
  logs: { en: "API log", zh: "API 日志" },
  erasures: { en: "Erasure of buyers' data", zh: "买家数据删除" },
  exports: { en: "Export of buyers' data", zh: "买家数据导出" },
  webhooks: { en: "Webhooks", zh: "Webhook" },
  test_helpers: { en: "Sandbox actions", zh: "沙盒操作" }
}

const rights = {
  read: { en: "read", zh: "读取" },
  write: { en: "read and write", zh: "读写" }
}

export const resourceText = (resource: ScopeResource, language: Language): string =>
  wordsIn(resources[resource], language)

/** A permission, such as "Orders: read and write". One of a newer version is its machine name. */
export const scopeText = (scope: string, language: Language): string => {
  const [resource, right] = scope.split(":") as [ScopeResource, keyof typeof rights]
  if (resources[resource] === undefined || rights[right] === undefined) return scope
  return resourceText(resource, language) + wordsIn({ en: ": ", zh: "：" }, language) + wordsIn(rights[right], language)
}
