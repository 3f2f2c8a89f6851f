/** The pages of operators. */
import type { OperatorActName } from "@coffer/contract/acts"
import type { PageGroup } from "../parts/pages.ts"
import { attention } from "../parts/attention.ts"

export const operatorPages: ReadonlyArray<PageGroup<OperatorActName>> = [
  {
    pages: [
      { path: "", load: () => import("./Overview.tsx"), reads: "lookup.overview", name: { en: "Overview", zh: "概览" } }
    ]
  },
  {
    title: { en: "Money", zh: "资金" },
    pages: [
      {
        path: "/held-up",
        load: () => import("./HeldUp.tsx"),
        reads: "held_up.list",
        name: { en: attention.en.title, zh: attention.zh.title }
      },
      {
        path: "/payouts",
        load: () => import("./Payouts.tsx"),
        reads: "payouts.list",
        name: { en: "Payouts", zh: "提现" }
      },
      { path: "/payouts/:number", load: () => import("./Payout.tsx"), reads: "payouts.get" },
      {
        path: "/approvals",
        load: () => import("./Approvals.tsx"),
        reads: "approvals.list",
        name: { en: "Approvals", zh: "待批准" }
      },
      {
        path: "/reconciliation",
        load: () => import("./Reconciliation.tsx"),
        reads: "reconciliation.list",
        name: { en: "Reconciliation", zh: "对账" }
      }
    ]
  },
  {
    title: { en: "Merchants", zh: "商户" },
    pages: [
      {
        path: "/merchants",
        load: () => import("./Merchants.tsx"),
        reads: "merchants.list",
        name: { en: "Merchants", zh: "商户" }
      },
      {
        path: "/merchants/:merchantId/:mode/orders/:number",
        load: () => import("./MerchantOrder.tsx"),
        reads: "timelines.get"
      },
      { path: "/merchants/:merchantId/:mode?/:tab?", load: () => import("./Merchant.tsx"), reads: "merchants.get" },
      { path: "/deliveries/:number", load: () => import("./Delivery.tsx"), reads: "webhook_deliveries.get" },
      {
        path: "/buyers",
        load: () => import("./Buyers.tsx"),
        reads: "erasures.list",
        name: { en: "Buyer data", zh: "买家数据" }
      }
    ]
  },
  {
    title: { en: "System", zh: "系统" },
    pages: [
      {
        path: "/cluster",
        load: () => import("./Cluster.tsx"),
        reads: "cluster.get",
        name: { en: "Cluster", zh: "集群" }
      },
      { path: "/people", load: () => import("./People.tsx"), reads: "people.list", name: { en: "People", zh: "人员" } },
      {
        path: "/tokens",
        load: () => import("./Tokens.tsx"),
        reads: "operators.list",
        name: { en: "Tokens", zh: "令牌" }
      },
      {
        path: "/audit",
        load: () => import("./AuditLog.tsx"),
        reads: "audit_log.list",
        name: { en: "Audit log", zh: "审计日志" }
      }
    ]
  },
  {
    pages: [
      {
        path: "/search",
        load: () => import("./Search.tsx"),
        reads: "lookup.search",
        name: { en: "Search", zh: "搜索" },
        isHidden: true
      }
    ]
  }
]
