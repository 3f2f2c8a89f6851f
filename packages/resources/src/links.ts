/** Payment links, of which visits make orders. */
import { LinkId } from "@coffer/model/Ids"
import { Metadata } from "@coffer/model/Metadata"
import { Minor } from "@coffer/model/Money"
import { Schema } from "effect"
import { code, field, fixed, listed, money } from "./listed.ts"
import { forNobody, shown } from "./Resource.ts"
import { currency, merchantId, mode } from "./shared.ts"

export const paymentLinks = listed(
  "payment_links",
  {
    link_id: field(LinkId, shown("none"), ["Link ID", "链接 ID", "Number of the link; begins with `plink_`."], {
      ...fixed,
      ...code
    }),
    merchant_id: merchantId,
    url: field(
      Schema.String,
      shown("none"),
      ["URL", "URL", "Give this address to buyers. Each visit makes a new order."],
      { made: "unstored" }
    ),
    mode,
    amount: field(Minor, shown("none"), ["Amount", "金额", "The amount that each buyer pays, in minor units."], {
      ...fixed,
      ...money
    }),
    currency,
    subject: field(Schema.NullOr(Schema.String), shown("words"), [
      "Subject",
      "商品标题",
      "The title that the buyer reads at checkout."
    ]),
    status: field(
      Schema.Literals(["active", "inactive"]),
      shown("none"),
      ["Status", "状态", "Visits to an `inactive` link make no order."],
      { look: "state" }
    ),
    max_uses: field(Schema.NullOr(Schema.Int), shown("none"), [
      "Maximum number of orders",
      "订单数上限",
      "How many orders visits may make; null for any number."
    ]),
    used_count: field(Schema.Int, shown("none"), [
      "Orders created",
      "已创建订单",
      "Orders that visits have made, paid or not."
    ]),
    notify_url: field(
      Schema.NullOr(Schema.String),
      shown("mentions"),
      ["Events sent to", "事件发送至", "Where the events of the orders go, instead of to your endpoints."],
      fixed
    ),
    return_url: field(
      Schema.NullOr(Schema.String),
      shown("mentions"),
      ["Return URL", "返回 URL", "Where buyers go after the payment."],
      fixed
    ),
    expires_at: field(Schema.NullOr(Schema.DateTimeUtc), shown("none"), [
      "Expires",
      "过期时间",
      "From when on visits make no order; null for never."
    ]),
    metadata: field(Metadata, shown("words", "map"), [
      "Metadata",
      "元数据",
      "Your own keys and values; each order gets them."
    ]),
    created_at: field(Schema.DateTimeUtc, shown("none"), ["Created", "创建时间", "When the link was made."], fixed),
    capture: field(
      Schema.Literals(["manual"]),
      shown("none"),
      ["Capture", "扣款", "`manual`: you charge the held amount of each order yourself. Only such links have it."],
      { look: "state", made: "stored", omitted: "capture" }
    ),
    version: forNobody("none"),
    recent_visits: forNobody("none")
  },
  {
    object: "payment_link",
    label: { en: "Payment links", zh: "支付链接" },
    list: {
      amount: "shown",
      status: "shown",
      subject: "shown",
      used_count: "wide",
      url: "wide",
      expires_at: "hidden",
      link_id: "hidden",
      created_at: "wide"
    },
    brief: ["link_id", "status", "amount", "used_count", "created_at", "url"],
    facts: [
      "subject",
      "used_count",
      "max_uses",
      "expires_at",
      "capture",
      "notify_url",
      "return_url",
      "created_at",
      "metadata"
    ],
    filters: {}
  }
)
