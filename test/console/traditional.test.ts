/** Traditional Chinese, which follows from the Chinese texts (`packages/console/scripts/traditional.ts`). */
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { tableFor, textsBelow, traditional } from "../../packages/console/scripts/traditional.ts"
import { converterBy } from "../../packages/console/src/parts/characters.ts"
import { zh } from "../../src/door/checkout/textsZh.ts"
import { zhHant } from "../../src/door/checkout/textsZhHant.ts"

const packages = path.resolve(import.meta.dirname, "../../packages")
const texts = textsBelow(["console/src", "resources/src", "model/src"].map((folder) => path.join(packages, folder)))

describe("traditional characters", () => {
  it("are the same by the browser's small table as by the whole dictionary, for each text of the console", () => {
    assert.isAbove(texts.size, 1_000)
    const convert = converterBy(tableFor(texts))
    const wrong = Array.from(texts).filter((text) => convert(text) !== traditional(text))
    assert.deepStrictEqual(wrong, [])
  })

  it("are the trade's words in Taiwan and Hong Kong", () => {
    const read = {
      订单: "訂單",
      账户: "帳戶",
      账本: "帳本",
      密钥: "金鑰",
      支付链接: "付款連結",
      支付宝和微信支付: "支付寶和微信支付",
      收银台: "結帳頁面",
      元数据: "中繼資料",
      审计日志: "稽核紀錄",
      银行正在审核: "銀行正在審核",
      通过邮件发送: "透過郵件傳送",
      "使用“退款”": "使用「退款」",
      登录: "登入",
      服务器: "伺服器",
      菜单: "選單"
    }
    for (const [from, to] of Object.entries(read)) assert.strictEqual(traditional(from), to)
  })

  it("are those of the checkout, where both have the same text", () => {
    const same = (["subject", "amount", "refunded", "refundedAt", "paidAt", "paidWith", "expiredAt"] as const).map(
      (name) => [traditional(zh.order[name]), zhHant.order[name]] as const
    )
    assert.deepStrictEqual(
      same.filter(([made, written]) => made !== written),
      []
    )
  })
})
