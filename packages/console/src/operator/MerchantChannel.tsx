/** The channel that takes a merchant's payments in one environment, and how far its books are compared. */
import type { AcquirerAccount, ChannelResource } from "@coffer/contract/Channels"
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { useAtom } from "../api/registry.ts"
import { sent } from "../api/sent.ts"
import { ChoiceField, TextField } from "../parts/act.tsx"
import { Facts } from "../parts/ObjectPage.tsx"
import { Loaded } from "../parts/states.tsx"
import { methodText, Num, Time } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { typedFields, typedIn } from "../parts/typed.tsx"
import { type Mode, OperatorAct } from "./operator.tsx"

const texts = {
  en: {
    channel: "Channel",
    account: "Account",
    ownAccount: "The key's own account",
    keys: "Keys",
    kept: "stored since",
    noKeys: "none",
    webhook: "Webhook URL",
    compared: "Books compared up to",
    next: "Next comparison",
    never: "not yet",
    set: "Set the channel",
    setSays: "The keys are tested with a call to the acquirer before they are stored. They are never shown again.",
    secretKey: "Secret, restricted or API key",
    webhookSecret: "Signing secret or HMAC key",
    accountHint:
      "Stripe: acct_…, only for a platform's key. Adyen: the merchant account. Leave empty to keep the current one.",
    stays: "Leave empty to keep the current one.",
    sandbox: "Simulated bank",
    stripe: "Stripe",
    adyen: "Adyen",
    urlPrefix: "Live URL prefix (Adyen)",
    none: "None",
    rank: "Place",
    rankHint: "1 to 1000, the lowest first. Leave empty for the usual place.",
    usual: "usual",
    methods: "Methods",
    methodsHint: "None ticked: all that the channel takes.",
    every: "all that it takes",
    isOff: "takes no payments",
    route: "Set place and methods",
    routeSays: "A buyer whose channel cannot take the payment pays through the next.",
    begin: "Compare books now",
    beginSays: "Starts within five seconds."
  },
  zh: {
    channel: "渠道",
    account: "关联账户",
    ownAccount: "密钥所属账户",
    keys: "密钥",
    kept: "保存于",
    noKeys: "无",
    webhook: "Webhook URL",
    compared: "账目已比对至",
    next: "下次比对",
    never: "尚未",
    set: "设置渠道",
    setSays: "保存前会先调用收单机构验证密钥，保存后不再显示。",
    secretKey: "私密密钥、受限密钥或 API 密钥",
    webhookSecret: "签名密钥或 HMAC 密钥",
    accountHint: "Stripe：acct_…，仅用于平台密钥。Adyen：商户账户。留空则保持不变。",
    stays: "留空则保持不变。",
    sandbox: "模拟银行",
    stripe: "Stripe",
    adyen: "Adyen",
    urlPrefix: "生产环境 URL 前缀（Adyen）",
    none: "无",
    rank: "顺序",
    rankHint: "1 到 1000，数字小的优先。留空则为默认顺序。",
    usual: "默认",
    methods: "支付方式",
    methodsHint: "一项不选即为该渠道支持的全部方式。",
    every: "该渠道支持的全部方式",
    isOff: "不收款",
    route: "设置顺序和支付方式",
    routeSays: "如果某渠道无法收款，买家将通过下一个渠道付款。",
    begin: "立即比对账目",
    beginSays: "将在五秒内开始。"
  }
}

const MerchantChannel = ({ merchantId, mode }: { readonly merchantId: string; readonly mode: Mode }) => {
  const words = useWords(texts)
  const params = { merchant_id: merchantId, mode }
  const channel = useAtom(OperatorsApi.query("channels", "get", { params, reactivityKeys: shown }))
  const compared = useAtom(OperatorsApi.query("reconciliation", "get", { params, reactivityKeys: shown }))
  return (
    <Loaded result={channel}>
      {({ data }) => (
        <>
          <div className="acts">
            <SetChannel channel={data} mode={mode} />
            {data.channel === "stripe" && (
              <OperatorAct
                act="reconciliation.begin"
                name={words.begin}
                says={words.beginSays}
                request={() => ({ params })}
              />
            )}
          </div>
          <Facts
            facts={[
              [words.channel, words[data.channel]],
              [words.account, data.account ?? words.ownAccount],
              [
                words.keys,
                data.has_keys ? (
                  <>
                    {words.kept} <Time at={data.set_at} />
                  </>
                ) : (
                  words.noKeys
                )
              ],
              ...data.acquirers.map(
                (one) =>
                  [`${words.webhook} (${words[one.channel]})`, <Num key={one.channel} id={one.webhook_url} />] as const
              )
            ]}
          />
          {data.acquirers.some(({ has_keys }) => has_keys) && <Routes acquirers={data.acquirers} params={params} />}
          <Loaded result={compared} lines={2}>
            {({ data: { compared_until, next_at } }) => (
              <Facts
                facts={[
                  [words.compared, <Time key="c" at={compared_until} none={words.never} />],
                  [words.next, <Time key="n" at={next_at} none={words.never} />]
                ]}
              />
            )}
          </Loaded>
        </>
      )}
    </Loaded>
  )
}

interface OfMode {
  readonly merchant_id: string
  readonly mode: Mode
}

/** Which acquirer a buyer is sent to first, and for which methods. */
const Routes = (props: { readonly acquirers: ReadonlyArray<AcquirerAccount>; readonly params: OfMode }) => {
  const words = useWords(texts)
  const language = useLanguage()
  return (
    <div className="table">
      <table>
        <thead>
          <tr>
            {[words.channel, words.rank, words.methods, ""].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.acquirers
            .filter(({ has_keys }) => has_keys)
            .map((one) => (
              <tr key={one.channel}>
                <th scope="row">{words[one.channel]}</th>
                <td>{one.rank ?? words.usual}</td>
                <td>{one.methods?.map((each) => methodText(each, language)).join(", ") ?? words.every}</td>
                <td>{one.is_active ? <SetRoute account={one} params={props.params} /> : words.isOff}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  )
}

/** An empty field unsets, since the fields begin with what is set. */
const SetRoute = ({ account, params }: { readonly account: AcquirerAccount; readonly params: OfMode }) => {
  const { channel, methods, rank } = account
  const words = useWords(texts)
  const language = useLanguage()
  const bodyOf = (typed: FormData) => {
    const chosen = typed.getAll("methods")
    const place = typedIn(typed, "rank")
    return {
      channel,
      rank: place === undefined ? null : Number(place),
      methods: chosen.length === 0 ? null : PaymentMethod.literals.filter((each) => chosen.includes(each))
    }
  }
  return (
    <OperatorAct
      act="channels.set"
      name={words.route}
      object={words[channel]}
      says={words.routeSays}
      fields={
        <>
          <TextField
            label={words.rank}
            name="rank"
            inputMode="numeric"
            initial={rank === null ? "" : String(rank)}
            hint={words.rankHint}
          />
          <fieldset className="checks">
            <legend className="small">{words.methods}</legend>
            {PaymentMethod.literals.map((each) => (
              <label key={each}>
                <input type="checkbox" name="methods" value={each} defaultChecked={methods?.includes(each) === true} />
                {methodText(each, language)}
              </label>
            ))}
            <p className="small soft">{words.methodsHint}</p>
          </fieldset>
        </>
      }
      request={(typed) => ({ params, payload: sent(bodyOf(typed)) })}
    />
  )
}

const SetChannel = ({ channel, mode }: { readonly channel: ChannelResource; readonly mode: Mode }) => {
  const words = useWords(texts)
  const { merchant_id } = channel
  const bodyOf = (typed: FormData) =>
    typedFields(typed, ["channel", "secret_key", "webhook_secret", "account", "url_prefix"])
  /** The code on the page never has the keys. */
  const shownBody = (typed: FormData) => ({
    ...bodyOf(typed),
    ...(typedIn(typed, "secret_key") === undefined ? {} : { secret_key: "$CHANNEL_KEY" }),
    ...(typedIn(typed, "webhook_secret") === undefined ? {} : { webhook_secret: "$CHANNEL_WEBHOOK_SECRET" })
  })
  const acquirers = channel.acquirers.map((one) => one.channel)
  const choices = (mode === "live" ? [...acquirers, "none" as const] : ["sandbox" as const, ...acquirers]).map(
    (each) => [each, words[each]] as const
  )
  return (
    <OperatorAct
      act="channels.set"
      name={words.set}
      isPrimary
      says={words.setSays}
      fields={
        <>
          <ChoiceField label={words.channel} name="channel" choices={choices} initial={channel.channel} />
          <TextField label={words.secretKey} name="secret_key" type="password" hint={words.stays} />
          <TextField label={words.webhookSecret} name="webhook_secret" type="password" hint={words.stays} />
          <TextField label={words.account} name="account" hint={words.accountHint} />
          <TextField label={words.urlPrefix} name="url_prefix" hint={words.stays} />
        </>
      }
      request={(typed) => ({ params: { merchant_id, mode }, payload: sent(bodyOf(typed)) })}
      shown={(typed) => ({ params: { merchant_id, mode }, payload: shownBody(typed) })}
    />
  )
}

export default MerchantChannel
