/** The signed-in operator, and an action of the operators' API as a button, which may need a second operator. */
import { operatorAct, type OperatorActName } from "@coffer/contract/acts"
import type { ApprovalResource } from "@coffer/contract/Operators"
import type { Role } from "@coffer/model/Role"
import { isForFresh, mayDo } from "@coffer/rules/people/mayDo"
import { OperatorApi } from "@coffer/contract/Operator"
import { createContext, useContext, useState } from "react"
import { Link, Redirect, useLocation } from "wouter"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"
import { act, shown } from "../api/acts.ts"
import { lastOf, useAtom } from "../api/registry.ts"
import * as operations from "../api/operations.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { Act, type ActProps, Dialog } from "../parts/act.tsx"
import { useQuery } from "../parts/address.ts"
import type { Call } from "../parts/AsCode.tsx"
import { SecretOnce } from "../parts/Secret.tsx"
import { Copy, Time } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"
import { useMode } from "./shownMode.ts"

export interface Operator {
  readonly role: Role
  readonly personId: string
  /** A merchant at which this person has a role, too. */
  readonly merchantId: string | undefined
  /** Whether the role may do it. Other actions are not offered; the service decides. */
  readonly may: (name: OperatorActName) => boolean
}

export const operatorOf = (role: Role, personId: string, merchantId: string | undefined): Operator => ({
  role,
  personId,
  merchantId,
  may: (name) => mayDo(role, name)
})

export const OperatorContext = createContext<Operator | undefined>(undefined)
export const useOperator = (): Operator => useContext(OperatorContext)!

export type Mode = "sandbox" | "live"
export const modes: ReadonlyArray<Mode> = ["sandbox", "live"]

/** A merchant's page in the environment that is shown. */
export const ofMerchant = (merchantId: string) => `/operator/merchants/${merchantId}`
/** The environment in an address; live if it names none. */
export const modeIn = (text = "live"): Mode => (text === "live" ? "live" : "sandbox")

/** Where the pages of a merchant are for operators. */
export const ofAccount = (merchantId: string, mode: string) => `${ofMerchant(merchantId)}/${mode}`
export const ofOrder = (merchantId: string, mode: string, tradeNo: string) =>
  `${ofAccount(merchantId, mode)}/orders/${encodeURIComponent(tradeNo)}`

const named = (page: string, mode: string | null) => (mode === null ? page : `${page}?mode=${mode}`)
export const ofPayout = (number: string, mode: string | null) => named(`/operator/payouts/${number}`, mode)
export const ofDelivery = (number: string, mode: string | null) => named(`/operator/deliveries/${number}`, mode)

/** The newest merchants, whose names one answer has. */
const merchantsAtom = () =>
  OperatorsApi.query("merchants", "list", { query: { limit: "100" }, reactivityKeys: shown, timeToLive: "1 minute" })

const noName = Atom.make(AsyncResult.initial<never>())

/** A merchant's name; undefined until it is read. */
export const useMerchantName = (id: string): string | undefined => {
  const newest = lastOf(useAtom(merchantsAtom()))?.data.data
  const known = newest?.find(({ merchant_id }) => merchant_id === id)?.name
  const isElsewhere = known === undefined && newest !== undefined
  const own = useAtom<AsyncResult.AsyncResult<{ readonly data: { readonly name: string } }, unknown>>(
    isElsewhere
      ? OperatorsApi.query("merchants", "get", { params: { merchant_id: id }, reactivityKeys: shown })
      : noName
  )
  return known ?? lastOf(own)?.data.name
}

/** A merchant by name; its number tells namesakes apart. */
export const MerchantLink = ({ id, mode }: { readonly id: string; readonly mode?: string | undefined }) => {
  const name = useMerchantName(id)
  return (
    <Link href={mode === undefined ? ofMerchant(id) : ofAccount(id, mode)} title={id} className="whose">
      {name ?? <code>{id}</code>}
    </Link>
  )
}

const modeWords = { en: { sandbox: "Sandbox", live: "Live" }, zh: { sandbox: "沙盒", live: "正式" } }
export const useModeWords = (): Readonly<Record<Mode, string>> => useWords(modeWords)

/** The label that keeps sandbox and live apart. */
export const ModeMark = ({ mode }: { readonly mode: Mode }) => (
  <span className={`mode ${mode}`}>{useModeWords()[mode]}</span>
)

/** The environment of the page's object, which its address takes over: a number alone does not say it. */
export const OwnMode = ({ mode }: { readonly mode: Mode }) => {
  const shown = useMode()
  const [path] = useLocation()
  return mode === shown ? <ModeMark mode={mode} /> : <Redirect to={`${path}?mode=${mode}`} replace />
}

export const ModeSwitch = () => {
  const [query, setQuery] = useQuery()
  const chosen = useMode()
  const words = useModeWords()
  return (
    <div className="tabs" role="group">
      {(["live", "sandbox"] as const).map((mode) => (
        <button key={mode} type="button" aria-pressed={mode === chosen} onClick={() => setQuery({ ...query, mode })}>
          {words[mode]}
        </button>
      ))}
    </div>
  )
}

// Acts -------------------------------------------------------------------------------

export type Client = Parameters<Parameters<typeof OperatorsApi.use>[0]>[0]

const texts = {
  en: {
    waits: "A second operator needs to approve this",
    waitsSays:
      "Your request is saved and has not been carried out yet. Another operator can approve it under Approvals until",
    approvals: "View approvals",
    fresh: "You need to have signed in within the last 15 minutes. If this is refused, sign out and sign in again.",
    close: "Done"
  },
  zh: {
    waits: "需要另一位运营人员批准",
    waitsSays: "您的请求已保存，尚未执行。另一位运营人员可在“待批准”中批准，截止时间：",
    approvals: "查看待批准",
    fresh: "您需要在 15 分钟内登录过；如被拒绝，请退出后重新登录。",
    close: "完成"
  }
}

type Contract = typeof OperatorApi
export type RequestOf<Name extends OperatorActName> = operations.RequestOf<Contract, Name>
type Made<Answer> = Answer extends { readonly data: infer Data } ? Exclude<Data, ApprovalResource> : never
type MadeBy<Name extends OperatorActName> = Made<operations.AnswerOf<Contract, Name>>

/** The call of an operation of the operators' API, as a program makes it. */
export const callOf = (operation: OperatorActName, shown?: operations.Shown): Call =>
  operations.callIn(OperatorApi, operation, shown)

export interface OperatorActProps<Name extends OperatorActName> extends Omit<ActProps, "run" | "code" | "result"> {
  readonly act: Name
  readonly request: (typed: FormData) => RequestOf<Name>
  /** A secret of the answer, which is shown once. */
  readonly secret?: (data: MadeBy<Name>) => string
  /** The request in the code on the page, where it differs: it has no secrets. */
  readonly shown?: (typed: FormData) => operations.Shown
  /** Without an idempotency key a retry would repeat the action. */
  readonly isOnce?: boolean
  /** The environment in which it gives a right, if known. */
  readonly mode?: "sandbox" | "live"
}

const Says = ({ fresh, says }: Pick<ActProps, "says"> & { readonly fresh: string }) => (
  <>
    {says !== undefined && <div>{says}</div>}
    <p>{fresh}</p>
  </>
)

const isApproval = (data: unknown): data is ApprovalResource =>
  (data as { readonly object?: unknown } | undefined)?.object === "approval"

/** An action that the role may do. If it needs two operators, the page says so and links to the waiting request. */
export const OperatorAct = <Name extends OperatorActName>(props: OperatorActProps<Name>) => {
  const { act: name, isOnce, mode, request, secret, shown = request, ...rest } = props
  const { may } = useOperator()
  const words = useWords(texts)
  const [waiting, setWaiting] = useState<ApprovalResource>()
  const [made, setMade] = useState<string>()
  if (!may(name)) return null
  const run = async (typed: FormData) => {
    const outcome = await act(
      OperatorsApi,
      OperatorsApi.use((client) => operations.send<Contract, Name>(client, name, request(typed))),
      isOnce === true ? 1 : 3
    )
    if ("done" in outcome) {
      const { data } = outcome.done as { readonly data: MadeBy<Name> | ApprovalResource }
      if (isApproval(data)) setWaiting(data)
      else if (secret !== undefined) setMade(secret(data))
    }
    return outcome
  }
  return (
    <>
      <Act
        {...rest}
        says={isForFresh(operatorAct(name).fresh, mode) ? <Says says={rest.says} fresh={words.fresh} /> : rest.says}
        run={run}
        isTold={(done) => secret === undefined && !isApproval((done as { readonly data?: unknown }).data)}
        code={(typed) => callOf(name, shown(typed) as operations.Shown)}
      />
      {waiting !== undefined && (
        <Dialog title={words.waits} onClose={() => setWaiting(undefined)}>
          <div className="stack">
            <p>
              {words.waitsSays} <Time at={waiting.expires_at} />.
            </p>
            <div className="buttons">
              <Link href="/operator/approvals" className="button">
                {words.approvals}
              </Link>
            </div>
          </div>
        </Dialog>
      )}
      {made !== undefined && (
        <Dialog title={props.name} onClose={() => setMade(undefined)}>
          <div className="stack">
            {isOnce === true ? (
              <SecretOnce label={props.name} secret={made} />
            ) : (
              <p className="secret">
                <code>{made}</code> <Copy text={made} label={props.name} />
              </p>
            )}
            <div className="buttons">
              <button type="button" className="button" onClick={() => setMade(undefined)}>
                {words.close}
              </button>
            </div>
          </div>
        </Dialog>
      )}
    </>
  )
}

const showWords = { en: { show: "Show" }, zh: { show: "显示" } }

/** A whole object as the API has it, for the fields that no column shows. */
export const ShowJson = ({ title, value }: { readonly title: string; readonly value: unknown }) => {
  const words = useWords(showWords)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="button quiet small" onClick={() => setOpen(true)}>
        {words.show}
      </button>
      {isOpen && (
        <Dialog title={title} onClose={() => setOpen(false)} isWide>
          <pre className="content tall" tabIndex={0}>
            {JSON.stringify(value, null, 2)}
          </pre>
        </Dialog>
      )}
    </>
  )
}
