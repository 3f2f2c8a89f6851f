/** Settings of a merchant that operators change: currencies, fees, quotas, note, keys, and each environment. */
import type { MerchantResource } from "@coffer/contract/Merchants"
import type { UpdateMerchant } from "@coffer/contract/Operator"
import {
  csvExportsPerMinuteMax,
  helpersPerMinuteMax,
  readsPerMinuteMax,
  writesPerMinuteMax
} from "@coffer/model/Limits"
import { sent } from "../api/sent.ts"
import { type ActProps, Field, TextField } from "../parts/act.tsx"
import { Facts } from "../parts/ObjectPage.tsx"
import { Amount, methodText, minorOf, spanText, Time, typedOf } from "../parts/values.tsx"
import { feeText } from "../merchant/moneyWords.ts"
import { useLanguage, useWords } from "../parts/words.ts"
import { TypedWord, typedIn } from "../parts/typed.tsx"
import { Download } from "./Download.tsx"
import { type Mode, ModeMark, OperatorAct, useModeWords } from "./operator.tsx"
import { DetailFields, typedDetails, useDetailFacts } from "../parts/shopDetails.tsx"

const texts = {
  en: {
    live: "Live payments and fees",
    currencies: "Live currencies",
    edit: "Edit",
    editCurrencies: "Edit currencies",
    editFees: "Edit fees",
    fee: "Payment fee",
    ofService: "default",
    lines: "custom rules",
    feeLines: "Fee schedule (JSON list)",
    feeHint:
      'The first matching rule applies: {"mode":"live","method":"card","currency":"USD","basis_points":290,"fixed":30}. A criterion that is left out matches everything.',
    badJson: "This is not a valid JSON list.",
    disputeFee: "Dispute fee",
    payoutFee: "Payout fee",
    quotas: "Rate limits per minute",
    quotasSays: "Leave a field empty to use the default.",
    writes: "Writes",
    reads: "Reads",
    csv: "CSV files",
    helpers: "Test helpers",
    profile: "Profile",
    name: "Name",
    domain: "Custom checkout domain",
    created: "Created",
    note: "Note",
    noteSays: "Visible to operators only, never to the merchant.",
    environment: "Environment",
    allowlist: "API key IP allowlist",
    anywhere: "any address",
    address: "Default event URL",
    nowhere: "none",
    methods: "Payment methods",
    ahead: "Test clock ahead by",
    secrets: "Keys and secrets",
    reset: "Reset main key",
    resetSays:
      "The old key stops working immediately on all runners: the shop can't take payments until its program uses the new one.",
    show: "Show signing secret",
    showSays: "Every view is recorded in the audit log.",
    end: "Closing and migration",
    close: "Close permanently",
    closeSays:
      "The merchant can no longer create orders, links or endpoints. Its keys can read, refund and respond to disputes for 90 more days. This can't be undone.",
    exported: "Export for migration",
    exportedSays: "A tar archive of everything the merchant has, without secrets. It is streamed as it is read."
  },
  zh: {
    live: "正式付款与费率",
    currencies: "正式环境货币",
    edit: "修改",
    editCurrencies: "修改货币",
    editFees: "修改费率",
    fee: "付款手续费",
    ofService: "默认",
    lines: "条自定义规则",
    feeLines: "费率表（JSON 列表）",
    feeHint:
      '应用第一条匹配的规则：{"mode":"live","method":"card","currency":"USD","basis_points":290,"fixed":30}。省略的条件表示不限。',
    badJson: "不是有效的 JSON 列表。",
    disputeFee: "争议费",
    payoutFee: "提现费",
    quotas: "每分钟请求数",
    quotasSays: "留空则使用默认值。",
    writes: "写入",
    reads: "读取",
    csv: "CSV 文件",
    helpers: "测试工具",
    profile: "资料",
    name: "名称",
    domain: "自有收银台域名",
    created: "创建时间",
    note: "备注",
    noteSays: "仅运营人员可见，商户看不到。",
    environment: "环境",
    allowlist: "API 密钥 IP 白名单",
    anywhere: "不限制",
    address: "默认事件 URL",
    nowhere: "无",
    methods: "支付方式",
    ahead: "测试时钟超前",
    secrets: "密钥",
    reset: "重置主密钥",
    resetSays: "旧密钥将立即在所有节点上失效：程序更换为新密钥之前，店铺无法收款。",
    show: "显示签名密钥",
    showSays: "每次查看都会记入审计日志。",
    end: "关闭与迁移",
    close: "永久关闭",
    closeSays: "商户将无法再创建订单、链接或端点。其密钥在 90 天内仍可读取、退款和回应争议。此操作无法撤销。",
    exported: "导出（用于迁移）",
    exportedSays: "包含商户全部数据（不含密钥）的 tar 归档文件，边读取边发送。"
  }
}
type Texts = typeof texts.en
const currencies = ["USD", "HKD", "CNY"] as const

interface Props {
  readonly merchant: MerchantResource
  readonly mode: Mode
}

const MerchantSettings = ({ merchant, mode }: Props) => {
  const words = useWords(texts)
  const language = useLanguage()
  const details = useDetailFacts(merchant)
  const { default_fee, dispute_fee, fees, live_currencies, payout_fee, quotas } = merchant
  const inAll = (fee: MerchantResource["dispute_fee"]) =>
    currencies.map((currency, index) => (
      <span key={currency}>
        {index > 0 && " · "}
        <Amount minor={fee[currency]} currency={currency} />
      </span>
    ))
  return (
    <div className="halves">
      <section className="card">
        <header className="head">
          <h2>{words.live}</h2>
          <div className="acts">
            <Currencies merchant={merchant} words={words} />
            <Fees merchant={merchant} words={words} />
          </div>
        </header>
        <Facts
          facts={[
            [words.currencies, live_currencies.join(", ") || "–"],
            [
              words.fee,
              `${feeText(default_fee, language)} · ${
                fees.length === 0 ? words.ofService : `${fees.length} ${words.lines}`
              }`
            ],
            [words.disputeFee, inAll(dispute_fee)],
            [words.payoutFee, inAll(payout_fee)]
          ]}
        />
      </section>
      <section className="card">
        <header className="head">
          <h2>{words.quotas}</h2>
          <Quotas merchant={merchant} words={words} />
        </header>
        <Facts
          facts={(["writes", "reads", "csv", "helpers"] as const).map((kind) => [
            words[kind],
            quotas[kind].toLocaleString()
          ])}
        />
      </section>
      <section className="card">
        <header className="head">
          <h2>{words.secrets}</h2>
          <div className="acts">
            <Secrets key={mode} merchant={merchant} mode={mode} words={words} />
          </div>
        </header>
      </section>
      <section className="card">
        <header className="head">
          <h2>{words.profile}</h2>
          <Profile merchant={merchant} words={words} />
        </header>
        <Facts
          facts={[
            [words.name, merchant.name],
            ...details,
            [words.domain, merchant.checkout_domain?.host ?? "–"],
            [words.created, <Time key="c" at={merchant.created_at} />],
            [words.note, merchant.note ?? "–"]
          ]}
        />
      </section>
      <section className="card">
        <header className="head">
          <h2>
            {words.environment} <ModeMark mode={mode} />
          </h2>
        </header>
        <Facts
          facts={[
            [words.allowlist, merchant[mode].ip_allowlist || words.anywhere],
            [words.address, merchant[mode].default_notify_url ?? words.nowhere],
            [words.methods, merchant[mode].payment_methods.map((each) => methodText(each, language)).join(", ")],
            ...(mode === "sandbox" && merchant.sandbox.clock_ahead_ms > 0
              ? [[words.ahead, spanText(merchant.sandbox.clock_ahead_ms, language)] as const]
              : [])
          ]}
        />
      </section>
      <section className="card">
        <header className="head">
          <h2>{words.end}</h2>
          <div className="acts">
            <Download
              act="exports.merchant"
              name={words.exported}
              says={words.exportedSays}
              file={`${merchant.merchant_id}-${mode}.tar`}
              read={(client) =>
                client.exports.merchant({ params: { merchant_id: merchant.merchant_id }, payload: { mode } })
              }
            />
            {merchant.closed_at === null && (
              <OperatorAct
                act="merchants.close"
                name={words.close}
                endangers={merchant.name}
                says={words.closeSays}
                fields={<TypedWord word={merchant.name} />}
                request={() => ({ params: { merchant_id: merchant.merchant_id } })}
              />
            )}
          </div>
        </header>
      </section>
    </div>
  )
}

interface PartProps {
  readonly merchant: MerchantResource
  readonly words: Texts
}

/** Fields of the merchant by the contract's names, with what was typed. */
type Patch = { readonly [Name in keyof UpdateMerchant]?: unknown }

interface ChangeProps extends Pick<ActProps, "fields" | "name" | "says"> {
  readonly merchant: MerchantResource
  readonly patchOf: (typed: FormData) => Patch
}

/** A change of some fields of the merchant. */
const Change = ({ merchant: { merchant_id }, patchOf, ...shown }: ChangeProps) => (
  <OperatorAct
    {...shown}
    act="merchants.update"
    request={(typed) => ({ params: { merchant_id }, payload: sent(patchOf(typed)) })}
    shown={(typed) => ({ params: { merchant_id }, payload: patchOrNothing(patchOf, typed) })}
  />
)

/** While it is being typed it may not be valid JSON yet. */
const patchOrNothing = (patchOf: (typed: FormData) => Patch, typed: FormData): Patch => {
  try {
    return patchOf(typed)
  } catch {
    return {}
  }
}

const Currencies = ({ merchant, words }: PartProps) => (
  <Change
    merchant={merchant}
    name={words.editCurrencies}
    fields={
      <fieldset className="checks">
        <legend className="small">{words.currencies}</legend>
        {currencies.map((currency) => (
          <label key={currency}>
            <input
              type="checkbox"
              name="currency"
              value={currency}
              defaultChecked={merchant.live_currencies.includes(currency)}
            />
            {currency}
          </label>
        ))}
      </fieldset>
    }
    patchOf={(typed) => ({ live_currencies: typed.getAll("currency").map(String) })}
  />
)

const isList = (text: string): boolean => {
  try {
    return Array.isArray(JSON.parse(text))
  } catch {
    return false
  }
}

const Fees = ({ merchant, words }: PartProps) => {
  const perCurrency = (typed: FormData, name: string) =>
    Object.fromEntries(currencies.map((each) => [each, minorOf(typedIn(typed, `${name}_${each}`) ?? "0") ?? 0]))
  return (
    <Change
      merchant={merchant}
      name={words.editFees}
      fields={
        <>
          <Field label={words.feeLines} hint={words.feeHint}>
            {(id, described) => (
              <textarea
                id={id}
                name="fees"
                className="lines"
                aria-describedby={described}
                defaultValue={JSON.stringify(merchant.fees, null, 1)}
                onInput={({ currentTarget }) =>
                  currentTarget.setCustomValidity(isList(currentTarget.value) ? "" : words.badJson)
                }
              />
            )}
          </Field>
          {(["dispute_fee", "payout_fee"] as const).map((name) => (
            <div className="three" key={name}>
              {currencies.map((currency) => (
                <TextField
                  key={currency}
                  label={`${name === "dispute_fee" ? words.disputeFee : words.payoutFee} (${currency})`}
                  name={`${name}_${currency}`}
                  initial={typedOf(merchant[name][currency])}
                  inputMode="decimal"
                />
              ))}
            </div>
          ))}
        </>
      }
      patchOf={(typed) => ({
        fees: JSON.parse(typedIn(typed, "fees") ?? "[]"),
        dispute_fee: perCurrency(typed, "dispute_fee"),
        payout_fee: perCurrency(typed, "payout_fee")
      })}
    />
  )
}

/** The default numbers, which are not quotas of its own. */
const usual = {
  writes: writesPerMinuteMax,
  reads: readsPerMinuteMax,
  csv: csvExportsPerMinuteMax,
  helpers: helpersPerMinuteMax
}

const Quotas = ({ merchant, words }: PartProps) => (
  <Change
    merchant={merchant}
    name={words.edit}
    says={words.quotasSays}
    fields={(["writes", "reads", "csv", "helpers"] as const).map((kind) => (
      <TextField
        key={kind}
        label={words[kind]}
        name={kind}
        inputMode="numeric"
        initial={String(merchant.quotas[kind])}
      />
    ))}
    patchOf={(typed) => ({
      quotas: Object.fromEntries(
        (["writes", "reads", "csv", "helpers"] as const).flatMap((kind) => {
          const number = typedIn(typed, kind)
          return number === undefined || Number(number) === usual[kind] ? [] : [[kind, Number(number)]]
        })
      )
    })}
  />
)

const Profile = ({ merchant, words }: PartProps) => (
  <Change
    merchant={merchant}
    name={words.edit}
    fields={
      <>
        <TextField label={words.name} name="name" isRequired initial={merchant.name} maxLength={255} />
        <DetailFields details={merchant} />
        <Field label={words.note} hint={words.noteSays}>
          {(id, described) => (
            <textarea
              id={id}
              name="note"
              maxLength={2_000}
              defaultValue={merchant.note ?? ""}
              aria-describedby={described}
            />
          )}
        </Field>
      </>
    }
    patchOf={(typed) => ({
      name: typedIn(typed, "name"),
      ...typedDetails(typed),
      note: typedIn(typed, "note") ?? null
    })}
  />
)

const Secrets = ({ merchant, mode, words }: PartProps & { readonly mode: Mode }) => {
  const modeWords = useModeWords()
  const { merchant_id, name } = merchant
  const params = { merchant_id, mode }
  return (
    <>
      <OperatorAct
        act="merchants.resetKey"
        name={`${words.reset} (${modeWords[mode]})`}
        endangers={name}
        isOnce
        says={words.resetSays}
        fields={<TypedWord word={name} />}
        request={() => ({ params })}
        secret={({ key }) => key}
      />
      <OperatorAct
        act="merchants.signingSecret"
        name={`${words.show} (${modeWords[mode]})`}
        says={words.showSays}
        request={() => ({ params })}
        secret={({ secret }) => secret}
      />
    </>
  )
}

export default MerchantSettings
