/** A request that waits for a second operator: who requested what, and a button that sends the same request. */
import type { ApprovalResource } from "@coffer/contract/Operators"
import type { ActOfTwo } from "@coffer/contract/acts"
import { Link } from "wouter"
import { shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { useAtom } from "../api/registry.ts"
import { Loaded } from "../parts/states.tsx"
import { Amount, Time } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"
import { MerchantLink, ModeMark, OperatorAct, ofAccount, type RequestOf, useOperator } from "./operator.tsx"
import { PayoutByNumber } from "./payoutBrief.tsx"

const texts = {
  en: {
    approve: "Approve",
    says: "Sends the same request; it takes effect immediately.",
    own: "You requested this. Another operator has to approve it.",
    byHand: "It contains a secret that is not stored. Open the page and enter exactly the same content.",
    mayNot: "Your role can't do this.",
    open: "Open",
    mode: "Environment",
    amount: "Amount",
    asked: "requested",
    until: "expires"
  },
  zh: {
    approve: "批准",
    says: "提交相同的请求，立即生效。",
    own: "此请求由您发起，需要另一位运营人员批准。",
    byHand: "内容包含未保存的密钥。请打开页面并输入完全相同的内容。",
    mayNot: "您的角色无权执行此操作。",
    open: "打开",
    mode: "环境",
    amount: "金额",
    asked: "发起于",
    until: "有效至"
  }
}

/** The name of each act for people. */
const names = {
  en: {
    "payouts.approve": "Approve a payout",
    "merchants.update": "Edit a merchant",
    "merchants.close": "Permanently close a merchant",
    "merchants.resetKey": "Reset a merchant's main key",
    "merchants.signingSecret": "Show a merchant's signing secret",
    "channels.set": "Set a merchant's channel",
    "people.invite": "Assign a role",
    "people.recover": "Reset a person's access",
    "operators.create": "Create an operator token",
    "api_keys.create": "Create an API key",
    "api_keys.update": "Edit an API key",
    "api_keys.roll": "Roll an API key"
  },
  zh: {
    "payouts.approve": "批准提现",
    "merchants.update": "修改商户设置",
    "merchants.close": "永久关闭商户",
    "merchants.resetKey": "重置商户主密钥",
    "merchants.signingSecret": "查看商户签名密钥",
    "channels.set": "设置商户的收款渠道",
    "people.invite": "分配角色",
    "people.recover": "重置人员的登录方式",
    "operators.create": "创建运营令牌",
    "api_keys.create": "创建 API 密钥",
    "api_keys.update": "修改 API 密钥",
    "api_keys.roll": "轮换 API 密钥"
  }
} satisfies Record<string, Record<ActOfTwo, string>>

export const useActName = () => {
  const words: Readonly<Record<string, string>> = useWords(names)
  return (act: string) => words[act] ?? act
}

/** The stored body of the request. The service has validated it by the contract. */
const kept = <Body,>(content: ApprovalResource["content"]): Body => content as Body

const merchantIn = ({ target }: ApprovalResource) => ({ merchant_id: target })
const accountIn = ({ content, target }: ApprovalResource) => ({ merchant_id: target, mode: content["mode"] as "live" })

/** The same request again. The order of its fields does not matter: the service reads them by the contract. */
const repeats: { readonly [Name in ActOfTwo]?: (approval: ApprovalResource) => RequestOf<Name> } = {
  "payouts.approve": ({ target }) => ({ params: { payout_no: target } }),
  "merchants.update": (approval) => ({ params: merchantIn(approval), payload: kept(approval.content) }),
  "merchants.close": (approval) => ({ params: merchantIn(approval) }),
  "merchants.resetKey": (approval) => ({ params: accountIn(approval) }),
  "merchants.signingSecret": (approval) => ({ params: accountIn(approval) }),
  "people.invite": ({ content }) => ({ payload: kept(content) }),
  "people.recover": ({ target }) => ({ params: { person_id: target } }),
  "operators.create": ({ content }) => ({ payload: kept(content) }),
  "api_keys.create": (approval) => ({ params: merchantIn(approval), payload: kept(approval.content) })
}

const secretOf = (data: unknown): string => {
  const { key, secret, token } = data as { readonly key?: string; readonly secret?: string; readonly token?: string }
  return key ?? token ?? secret ?? ""
}
const makesSecret = new Set(["merchants.resetKey", "operators.create", "api_keys.create"])

const showsSecret = (act: string): boolean => makesSecret.has(act) || act === "merchants.signingSecret"

/** The page of the object. */
export const pageOfTarget = ({ act, target }: Pick<ApprovalResource, "act" | "target">): string => {
  if (act === "payouts.approve") return `/operator/payouts/${target}`
  if (act === "channels.set") {
    const [id = "", mode = "live"] = target.split("/")
    return `${ofAccount(id, mode)}/channel`
  }
  if (target.startsWith("mer_")) return `${ofAccount(target, "live")}/settings`
  return act === "operators.create" ? "/operator/tokens" : "/operator/people"
}

interface ContentProps {
  readonly approval: ApprovalResource
  /** In the dialog, where it is decided about. */
  readonly isDecided?: boolean
}

/** The request, field by field. Of a payout all that a second operator has to see, whatever the request named. */
const Content = ({ approval: { act, content, target }, isDecided = false }: ContentProps) => {
  const words = useWords(texts)
  if (act === "payouts.approve") return <PayoutByNumber number={target} isDecided={isDecided} />
  const { amount, currency, mode, ...rest } = content
  return (
    <dl className="facts">
      {(mode === "live" || mode === "sandbox") && (
        <div>
          <dt>{words.mode}</dt>
          <dd>
            <ModeMark mode={mode} />
          </dd>
        </div>
      )}
      {typeof amount === "number" && (
        <div>
          <dt>{words.amount}</dt>
          <dd>
            <strong>
              <Amount minor={amount} currency={String(currency)} />
            </strong>
          </dd>
        </div>
      )}
      {Object.entries(rest).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === "object" ? <code>{JSON.stringify(value)}</code> : String(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Who asked, and when. */
const Requester = ({ approval: { created_at, operator } }: ContentProps) => {
  const words = useWords(texts)
  return (
    <>
      <strong>{operator}</strong> {words.asked} <Time at={created_at} />
    </>
  )
}

/** The object, with its merchant's name. */
const Whose = ({ approval: { content, target } }: { readonly approval: ApprovalResource }) => {
  const [id = "", mode = "live"] = target.split("/")
  const merchant = id.startsWith("mer_") ? id : content["merchant_id"]
  return (
    <>
      {typeof merchant === "string" && <MerchantLink id={merchant} mode={mode} />} <code>{target}</code>
    </>
  )
}

export const Approval = ({ approval }: { readonly approval: ApprovalResource }) => {
  const words = useWords(texts)
  const nameOf = useActName()
  const { may, personId } = useOperator()
  const { content, expires_at, operator_id } = approval
  const act = approval.act as ActOfTwo
  const repeat = repeats[act]
  const isRedacted = JSON.stringify(content).includes("[redacted]")
  const isOwn = operator_id === personId
  const hint = isOwn
    ? words.own
    : !may(act)
      ? words.mayNot
      : repeat === undefined || isRedacted
        ? words.byHand
        : undefined
  return (
    <section className="card approval">
      <header className="head">
        <h2>{nameOf(act)}</h2>
        <div className="acts">
          {hint === undefined && repeat !== undefined && (
            <OperatorAct
              act={act}
              name={words.approve}
              isPrimary
              isOnce={makesSecret.has(act)}
              says={
                <>
                  <p>
                    <strong>{nameOf(act)}</strong>: <Whose approval={approval} />
                  </p>
                  <Content approval={approval} isDecided />
                  <p>
                    <Requester approval={approval} />
                  </p>
                  <p>{words.says}</p>
                </>
              }
              request={() => repeat(approval) as RequestOf<ActOfTwo>}
              {...(showsSecret(act) ? { secret: secretOf } : {})}
            />
          )}
          <Link href={pageOfTarget(approval)} className="button quiet">
            {words.open}
          </Link>
        </div>
      </header>
      <p>
        <Requester approval={approval} /> · {words.until} <Time at={expires_at} /> · <Whose approval={approval} />
      </p>
      <Content approval={approval} />
      {hint !== undefined && <p className="soft">{hint}</p>}
    </section>
  )
}

export const approvalsAtom = () => OperatorsApi.query("approvals", "list", { reactivityKeys: shown })

/** Acts on one object that wait for a second operator, on its page. */
export const WaitingFor = ({ target }: { readonly target: string }) => (
  <Loaded result={useAtom(approvalsAtom())} lines={0}>
    {({ data: { data: rows } }) =>
      rows
        .filter((approval) => approval.target === target || approval.target.startsWith(`${target}/`))
        .map((approval) => <Approval key={`${approval.act} ${JSON.stringify(approval.content)}`} approval={approval} />)
    }
  </Loaded>
)
