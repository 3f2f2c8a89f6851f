/** The list of webhook endpoints with their health, how one is added, and the account's signing secret. */
import type { EndpointResource } from "@coffer/contract/WebhookEndpoints"
import { EventType, everyType } from "@coffer/model/EventType"
import { useState } from "react"
import { act, shown } from "../api/acts.ts"
import { useAtom } from "../api/registry.ts"
import { type InAccount, useAccount } from "../api/session.ts"
import { Act, TextField } from "../parts/act.tsx"
import { columnsFor } from "../parts/columns.tsx"
import { type Column, type List, ListPage } from "../parts/ListPage.tsx"
import { SecretOnce } from "../parts/Secret.tsx"
import { Empty, Loaded } from "../parts/states.tsx"
import { Copy, stateText, Time, timeText } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { deliveriesPage, type Delivery } from "./Deliveries.tsx"

export type Endpoint = EndpointResource

export const endpointTexts = {
  en: {
    title: "Webhooks",
    url: "Address",
    description: "Description",
    types: "Types of events",
    allTypes: "All types, also those that are added later",
    all: "All",
    status: "Status",
    health: "Last deliveries",
    created: "Created",
    number: "Endpoint",
    isDefault: "The account's address: it takes what no endpoint is subscribed to. It is set in the settings.",
    add: "Add an endpoint",
    addSays: "Events are posted there as JSON, signed. Answer with 200 within ten seconds.",
    liveUrl: "A public address that begins with https://",
    sandboxUrl: "A public address. For one on your own machine use coffer listen.",
    disabling: "Disable it when it has taken nothing for five days",
    secret: "Signing secret",
    secretSays: "Keep it beside your receiver: it proves that an event is ours.",
    emptyTitle: "No endpoint yet",
    empty: "An endpoint is an address of your server. Each payment, refund and dispute is told there at once.",
    arrived: "{arrived} of the last {all} arrived",
    nothing: "Nothing sent yet",
    accountSecret: "The account's signing secret",
    accountSays: "It signs what goes to an order's notify_url and to the account's single address.",
    show: "Show",
    rotate: "Rotate",
    rotateSays:
      "For 24 hours the old secret signs as well: one of both signatures is enough. Then only the new one does.",
    rotated: "Rotated",
    oldUntil: "The old one signs until"
  },
  zh: {
    title: "Webhook",
    url: "地址",
    description: "说明",
    types: "事件类型",
    allTypes: "所有类型，包括今后新增的",
    all: "全部",
    status: "状态",
    health: "最近的投递",
    created: "创建时间",
    number: "端点",
    isDefault: "账户地址：接收没有端点订阅的事件。请在“设置”中修改。",
    add: "添加端点",
    addSays: "事件以带签名的 JSON 发送到该地址。请在十秒内返回 200。",
    liveUrl: "以 https:// 开头的公网地址",
    sandboxUrl: "公网地址。如需在本机接收，请使用 coffer listen。",
    disabling: "连续五天没有接收成功时停用",
    secret: "签名密钥",
    secretSays: "请将其保存在接收服务器上：它用于证明事件来自我们。",
    emptyTitle: "还没有端点",
    empty: "端点是您服务器的一个地址，每笔付款、退款和争议都会立即通知到该地址。",
    arrived: "最近 {all} 次中送达 {arrived} 次",
    nothing: "尚未发送",
    accountSecret: "账户签名密钥",
    accountSays: "用于签名发往订单 notify_url 以及账户地址的事件。",
    show: "显示",
    rotate: "轮换",
    rotateSays: "24 小时内旧密钥仍会同时签名，任一签名有效即可；之后仅使用新密钥。",
    rotated: "轮换时间",
    oldUntil: "旧密钥签名至"
  }
}
type Texts = typeof endpointTexts.en

/** How the last deliveries went, the oldest first, one bar for each. */
export const Health = ({ endpointId, count = 20 }: { readonly endpointId: string; readonly count?: number }) => {
  const account = useAccount()
  const words = useWords(endpointTexts)
  const language = useLanguage()
  const result = useAtom(deliveriesPage(account, { endpoint_id: endpointId, limit: String(count) }))
  return (
    <Loaded result={result} lines={1}>
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

const barTitle = ({ created_at, event_type, status }: Delivery, language: "en" | "zh") =>
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
    text: () => "",
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

const listOf = (account: InAccount, words: Texts): List<Endpoint> => ({
  id: "webhooks",
  title: words.title,
  columns: columnsOf(words),
  page: (query) =>
    account.api.query("webhook_endpoints", "list", { query: query as never, reactivityKeys: shown }) as never,
  keyOf: ({ id }) => id,
  hrefOf: ({ id }) => `${account.base}/webhooks/${id}`,
  liveEvery: 0,
  acts: account.may("webhooks:write") ? <AddEndpoint /> : undefined,
  empty: (
    <Empty title={words.emptyTitle}>
      <p>{words.empty}</p>
    </Empty>
  )
})

const Webhooks = () => {
  const account = useAccount()
  return (
    <div className="stack">
      <ListPage list={listOf(account, useWords(endpointTexts))} />
      {account.may("webhooks:write") && <SigningSecret />}
    </div>
  )
}

// Adding one, and its fields ---------------------------------------------------------

const text = (typed: FormData, name: string) => String(typed.get(name) ?? "").trim()

/** The values of the fields. A box that stands for all types wins over the others. */
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
  const { api } = useAccount()
  const words = useWords(endpointTexts)
  return (
    <Act
      name={words.add}
      says={words.addSays}
      isPrimary
      fields={<EndpointFields />}
      run={(typed) =>
        act(
          api,
          api.use((client) => client.webhook_endpoints.create({ payload: endpointBody(typed) as never }))
        )
      }
      result={({ data }: { readonly data: { readonly secret: string } }) => (
        <SecretOnce label={words.secret} secret={data.secret}>
          <p>{words.secretSays}</p>
        </SecretOnce>
      )}
      code={(typed) => ({
        method: "POST",
        path: "/v1/webhook_endpoints",
        body: endpointBody(typed),
        sdk: "coffer.webhookEndpoints.create"
      })}
    />
  )
}

// The account's secret ---------------------------------------------------------------

/** A look at it is in the audit log, so it is read only when somebody asks for it. */
const SigningSecret = () => {
  const { api } = useAccount()
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
          <Act
            name={words.rotate}
            isDangerous
            says={words.rotateSays}
            run={() =>
              act(
                api,
                api.use((client) => client.webhook_endpoints.rotateSigningSecret())
              )
            }
            onDone={() => setAsked(true)}
            code={() => ({
              method: "POST",
              path: "/v1/webhook_signing_secret/rotate",
              sdk: "coffer.webhookSigningSecret.rotate"
            })}
          />
        </div>
      </header>
      <p className="soft small">{words.accountSays}</p>
      {isAsked && <ShownSecret />}
    </section>
  )
}

const ShownSecret = () => {
  const { api } = useAccount()
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
