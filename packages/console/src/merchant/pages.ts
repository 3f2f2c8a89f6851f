/** The pages of a merchant in one environment. */
import type { ConsoleActName, Operation } from "@coffer/contract/acts"
import type { PageGroup } from "../parts/pages.ts"

export const merchantPages: ReadonlyArray<PageGroup<Operation | ConsoleActName>> = [
  {
    pages: [{ path: "", load: () => import("./Home.tsx"), reads: "overview.get", name: { en: "Home", zh: "首页" } }]
  },
  {
    title: { en: "Payments", zh: "支付" },
    pages: [
      { path: "/orders", load: () => import("./Orders.tsx"), reads: "orders.list", name: { en: "Orders", zh: "订单" } },
      { path: "/orders/:number", load: () => import("./Order.tsx"), reads: "orders.get" },
      {
        path: "/refunds",
        load: () => import("./Refunds.tsx"),
        reads: "refunds.list",
        name: { en: "Refunds", zh: "退款" }
      },
      { path: "/refunds/:number", load: () => import("./Refund.tsx"), reads: "refunds.get" },
      {
        path: "/disputes",
        load: () => import("./Disputes.tsx"),
        reads: "disputes.list",
        name: { en: "Disputes", zh: "争议" }
      },
      { path: "/disputes/:number", load: () => import("./Dispute.tsx"), reads: "disputes.get" },
      {
        path: "/links",
        load: () => import("./Links.tsx"),
        reads: "payment_links.list",
        name: { en: "Payment links", zh: "支付链接" }
      },
      { path: "/links/:number", load: () => import("./PaymentLink.tsx"), reads: "payment_links.get" },
      {
        path: "/receipts",
        load: () => import("./Receipts.tsx"),
        reads: "orders.list",
        name: { en: "Receipts", zh: "收据" }
      }
    ]
  },
  {
    title: { en: "Money", zh: "资金" },
    pages: [
      {
        path: "/ledger",
        load: () => import("./Ledger.tsx"),
        reads: "balance.transactions",
        name: { en: "Ledger", zh: "账本" }
      },
      { path: "/ledger/:number", load: () => import("./LedgerRow.tsx"), reads: "balance.transactions" },
      {
        path: "/payouts",
        load: () => import("./Payouts.tsx"),
        reads: "payouts.list",
        name: { en: "Payouts", zh: "提现" }
      },
      { path: "/payouts/:number", load: () => import("./Payout.tsx"), reads: "payouts.get" },
      {
        path: "/reports",
        load: () => import("./Reports.tsx"),
        reads: "reports.list",
        name: { en: "Reports", zh: "报表" }
      }
    ]
  },
  {
    title: { en: "Developers", zh: "开发者" },
    pages: [
      {
        path: "/webhooks",
        load: () => import("./Webhooks.tsx"),
        reads: "webhook_endpoints.list",
        name: { en: "Webhooks", zh: "Webhook" }
      },
      { path: "/webhooks/:number", load: () => import("./Webhook.tsx"), reads: "webhook_endpoints.get" },
      {
        path: "/deliveries",
        load: () => import("./Deliveries.tsx"),
        reads: "webhook_deliveries.list",
        name: { en: "Deliveries", zh: "投递" }
      },
      { path: "/deliveries/:number", load: () => import("./Delivery.tsx"), reads: "webhook_deliveries.get" },
      { path: "/events", load: () => import("./Events.tsx"), reads: "events.list", name: { en: "Events", zh: "事件" } },
      { path: "/events/:number", load: () => import("./Event.tsx"), reads: "events.get" },
      { path: "/logs", load: () => import("./Logs.tsx"), reads: "logs.list", name: { en: "API logs", zh: "API 日志" } },
      { path: "/logs/:number", load: () => import("./Log.tsx"), reads: "logs.list" },
      {
        path: "/keys",
        load: () => import("./Keys.tsx"),
        reads: "api_keys.list",
        name: { en: "API keys", zh: "API 密钥" }
      },
      {
        path: "/sandbox",
        load: () => import("./Sandbox.tsx"),
        reads: "test_helpers.clock",
        name: { en: "Sandbox", zh: "沙盒" },
        isOfSandbox: true
      }
    ]
  },
  {
    title: { en: "Merchant", zh: "商户" },
    pages: [
      { path: "/people", load: () => import("./People.tsx"), reads: "people.list", name: { en: "Team", zh: "成员" } },
      {
        path: "/buyers",
        load: () => import("./Buyers.tsx"),
        reads: "exports.buyer",
        name: { en: "Buyer data", zh: "买家数据" }
      },
      {
        path: "/settings",
        load: () => import("./Settings.tsx"),
        reads: "settings.get",
        name: { en: "Settings", zh: "设置" }
      },
      {
        path: "/notifications",
        load: () => import("./Notifications.tsx"),
        reads: "notifications.getSettings",
        name: { en: "Notifications", zh: "通知" }
      },
      {
        path: "/audit",
        load: () => import("./Audit.tsx"),
        reads: "audit_log.list",
        name: { en: "Audit log", zh: "审计日志" }
      }
    ]
  },
  {
    pages: [
      {
        path: "/sessions",
        load: () => import("../parts/Sessions.tsx"),
        reads: "session.list",
        name: { en: "Active sessions", zh: "登录设备" },
        isHidden: true
      },
      {
        path: "/search",
        load: () => import("./Search.tsx"),
        reads: "search.find",
        name: { en: "Search", zh: "搜索" },
        isHidden: true
      }
    ]
  }
]
