/** The list of webhook endpoints with their health, adding one, and the account's signing secret. */
import type { EndpointResource } from "@coffer/contract/WebhookEndpoints"
import { EventType, everyType } from "@coffer/model/EventType"
import { useState } from "react"
import { useApi } from "../api/accountApi.ts"
import { shown } from "../api/acts.ts"
import { useAtom } from "../api/registry.ts"
import { sent } from "../api/sent.ts"
import { useAccount } from "../api/session.ts"
import { TextField } from "../parts/act.tsx"
import { columnsFor } from "../parts/columns.tsx"
import type { Column, List } from "../parts/ListPage.tsx"
import { SecretOnce } from "../parts/Secret.tsx"
import { Empty, Loaded } from "../parts/states.tsx"
import { stateText } from "../parts/stateWords.ts"
import { Copy, Time, timeText } from "../parts/values.tsx"
import { type Language, useLanguage, useWords } from "../parts/words.ts"
import type { Delivery } from "./Deliveries.tsx"
import { MerchantAct } from "./MerchantAct.tsx"
import { ObjectList } from "./ObjectList.tsx"
import { type Reader, useReader } from "./reader.ts"

export type Endpoint = EndpointResource

export const endpointTexts = {
  en: {
    title: "Webhooks",
    url: "URL",
    description: "Description",
    types: "Event types",
    allTypes: "All types, including future ones",
    all: "All",
    status: "Status",
    health: "Recent deliveries",
    created: "Created",
    number: "Endpoint ID",
    isDefault: "Account default: receives events that no endpoint is subscribed to. Set in Settings.",
    add: "Add endpoint",
    addSays: "Events are sent as signed JSON. Respond with 200 within ten seconds.",
    liveUrl: "A public URL that starts with https://",
    sandboxUrl: "A public URL. To receive events on your own machine, use coffer listen.",
    disabling: "Disable after five days without a successful delivery",
    secret: "Signing secret",
    secretSays: "Store it on your server and use it to verify that events are from us.",
    emptyTitle: "No endpoints yet",
    empty: "An endpoint is a URL on your server that is notified of every payment, refund and dispute.",
    arrived: "{arrived} of the last {all} succeeded",
    nothing: "No deliveries yet",
    accountSecret: "Account signing secret",
    accountSays: "Signs events sent to an order's notify_url and to the account's default URL.",
    show: "Show",
    rotate: "Roll",
    rotateSays: "The old secret also signs for 24 hours: accept either signature. After that only the new one signs.",
    rotated: "Rolled",
    oldUntil: "Old secret signs until"
  },
  zh: {
    title: "Webhook",
    url: "URL",
    description: "说明",
    types: "事件类型",
    allTypes: "所有类型，包括今后新增的",
    all: "全部",
    status: "状态",
    health: "最近的投递",
    created: "创建时间",
    number: "端点 ID",
    isDefault: "账户默认 URL：接收没有任何端点订阅的事件。请在“设置”中修改。",
    add: "添加端点",
    addSays: "事件以带签名的 JSON 发送。请在十秒内返回 200。",
    liveUrl: "以 https:// 开头的公网 URL",
    sandboxUrl: "公网 URL。如需在本机接收事件，请使用 coffer listen。",
    disabling: "连续五天没有成功投递时停用",
    secret: "签名密钥",
    secretSays: "请保存在您的服务器上，用于验证事件来自本平台。",
    emptyTitle: "还没有端点",
    empty: "端点是您服务器上的一个 URL，用于接收付款、退款和争议的通知。",
    arrived: "最近 {all} 次投递成功 {arrived} 次",
    nothing: "还没有投递",
    accountSecret: "账户签名密钥",
    accountSays: "用于签名发往订单 notify_url 和账户默认 URL 的事件。",
    show: "显示",
    rotate: "轮换",
    rotateSays: "旧密钥在 24 小时内仍会同时签名，任一签名有效即可；之后仅使用新密钥签名。",
    rotated: "轮换时间",
    oldUntil: "旧密钥有效至"
  }
}
type Texts = typeof endpointTexts.en

/** The outcome of the latest deliveries, oldest first, one bar each. */
export const Health = ({ endpointId, count = 20 }: { readonly endpointId: string; readonly count?: number }) => {
  const { lists } = useReader()
  const words = useWords(endpointTexts)
  const language = useLanguage()
  const result = useAtom(lists.deliveries.page({ endpoint_id: endpointId, limit: String(count) }))
  return (
    <Loaded result={result} lines={1} isFrame>
      {({ data: { data: rows } }) => {
        if (rows.length === 0) return <span className="soft">{words.nothing}</span>
        const arrived = rows.filter(({ status }) => status === "succeeded").length
        const arrivals = words.arrived.replace("{arrived}", String(arrived)).replace("{all}", String(rows.length))
        return (
          <span className="health">
            <span aria-hidden="true">
              {rows.toReversed().map((row) => (
                <i key={row.id} className={row.status} title={barTitle(row, language)} />
              ))}
            </span>
            <span className="small">{arrivals}</span>
          </span>
        )
      }}
    </Loaded>
  )
}

const barTitle = ({ created_at, event_type, status }: Delivery, language: Language) =>
  `${stateText(status, language)} · ${event_type} · ${timeText(created_at, language)}`

export const TypesText = ({ types }: { readonly types: ReadonlyArray<string> }) => {
  const words = useWords(endpointTexts)
  return <>{types.includes(everyType) ? words.all : types.join(", ")}</>
}

const { code, state, time } = columnsFor<Endpoint>()

const columnsOf = (words: Texts): ReadonlyArray<Column<Endpoint>> => [
  {
    id: "url",
    name: words.url,
    text: ({ url }) => url,
    cell: ({ description, url }) => (
      <>
        <span className="address">{url}</span>
        {description !== null && <span className="soft small block">{description}</span>}
      </>
    )
  },
  state(words.status),
  {
    id: "health",
    name: words.health,
    cell: ({ id, is_default }) => (is_default ? <span className="soft">–</span> : <Health endpointId={id} />)
  },
  {
    id: "types",
    name: words.types,
    isWide: true,
    text: ({ enabled_events }) => enabled_events.join(" "),
    cell: ({ enabled_events }) => <TypesText types={enabled_events} />
  },
  time("created_at", words.created, { isWide: true, isHidden: true }),
  code("id", words.number, { isHidden: true })
]

const listOf = ({ account, lists }: Reader, words: Texts): List<Endpoint> => ({
  id: "webhooks",
  title: words.title,
  columns: columnsOf(words),
  ...lists.webhooks,
  keyOf: ({ id }) => id,
  liveEvery: 0,
  acts: account?.may("webhooks:write") && <AddEndpoint />,
  empty: (
    <Empty title={words.emptyTitle}>
      <p>{words.empty}</p>
    </Empty>
  )
})

const Webhooks = () => {
  const reader = useReader()
  return (
    <div className="stack">
      <ObjectList list={listOf(reader, useWords(endpointTexts))} />
      {reader.account?.may("webhooks:write") && <SigningSecret />}
    </div>
  )
}

// Adding one, and its fields ---------------------------------------------------------

const text = (typed: FormData, name: string) => String(typed.get(name) ?? "").trim()

/** The values of the fields. The checkbox for all types overrides the others. */
export const endpointBody = (typed: FormData) => {
  const types = typed.getAll("types").map(String)
  return {
    url: text(typed, "url"),
    ...(text(typed, "description") === "" ? {} : { description: text(typed, "description") }),
    enabled_events: types.includes(everyType) ? [everyType] : types,
    disable_when_failing: typed.get("disable_when_failing") !== null
  }
}

export const EndpointFields = ({ endpoint }: { readonly endpoint?: Endpoint }) => {
  const { mode } = useAccount()
  const words = useWords(endpointTexts)
  const [isAll, setAll] = useState(endpoint === undefined || endpoint.enabled_events.includes(everyType))
  return (
    <>
      <TextField
        label={words.url}
        name="url"
        isRequired
        maxLength={2048}
        initial={endpoint?.url ?? ""}
        hint={mode === "live" ? words.liveUrl : words.sandboxUrl}
      />
      <TextField label={words.description} name="description" maxLength={500} initial={endpoint?.description ?? ""} />
      <fieldset className="checks">
        <legend>{words.types}</legend>
        <label>
          <input
            type="checkbox"
            name="types"
            value={everyType}
            checked={isAll}
            onChange={(event) => setAll(event.target.checked)}
          />
          {words.allTypes}
        </label>
        {!isAll &&
          EventType.literals.map((type) => (
            <label key={type}>
              <input
                type="checkbox"
                name="types"
                value={type}
                defaultChecked={endpoint?.enabled_events.includes(type) === true}
              />
              <code>{type}</code>
            </label>
          ))}
      </fieldset>
      <label className="check">
        <input type="checkbox" name="disable_when_failing" defaultChecked={endpoint?.disable_when_failing === true} />
        {words.disabling}
      </label>
    </>
  )
}

const AddEndpoint = () => {
  const words = useWords(endpointTexts)
  return (
    <MerchantAct
      operation="webhook_endpoints.create"
      name={words.add}
      says={words.addSays}
      isPrimary
      fields={<EndpointFields />}
      request={(typed) => ({ payload: sent(endpointBody(typed)) })}
      result={({ data }) => (
        <SecretOnce label={words.secret} secret={data.secret}>
          <p>{words.secretSays}</p>
        </SecretOnce>
      )}
    />
  )
}

// The account's secret ---------------------------------------------------------------

/** Reading it is in the audit log, so it is only read on request. */
const SigningSecret = () => {
  const words = useWords(endpointTexts)
  const [isAsked, setAsked] = useState(false)
  return (
    <section className="card">
      <header className="head">
        <h2>{words.accountSecret}</h2>
        <div className="acts">
          {!isAsked && (
            <button type="button" className="button quiet" onClick={() => setAsked(true)}>
              {words.show}
            </button>
          )}
          <MerchantAct
            operation="webhook_endpoints.rotateSigningSecret"
            name={words.rotate}
            isDangerous
            says={words.rotateSays}
            request={() => ({})}
            onDone={() => setAsked(true)}
          />
        </div>
      </header>
      <p className="soft small">{words.accountSays}</p>
      {isAsked && <ShownSecret />}
    </section>
  )
}

const ShownSecret = () => {
  const api = useApi()
  const words = useWords(endpointTexts)
  const secret = useAtom(api.query("webhook_endpoints", "signingSecret", { reactivityKeys: shown }))
  return (
    <Loaded result={secret} lines={1}>
      {({ data: { previous_until, rotated_at, secret: text } }) => (
        <>
          <p>
            <code>{text}</code> <Copy text={text} label={words.accountSecret} />
          </p>
          {rotated_at !== null && (
            <p className="small soft">
              {words.rotated} <Time at={rotated_at} />
              {previous_until !== null && (
                <>
                  {" · "}
                  {words.oldUntil} <Time at={previous_until} />
                </>
              )}
            </p>
          )}
        </>
      )}
    </Loaded>
  )
}

export default Webhooks
