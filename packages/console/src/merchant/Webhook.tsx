/** The page of a webhook endpoint: its health, its deliveries and its settings. */
import { useState } from "react"
import { Link, useLocation } from "wouter"
import { useApi } from "../api/accountApi.ts"
import { act, readAgain, shown } from "../api/acts.ts"
import { objectEvery, useLive } from "../api/registry.ts"
import { sent } from "../api/sent.ts"
import { useAccount } from "../api/session.ts"
import { thisPage } from "../parts/act.tsx"
import { Rows } from "../parts/ListPage.tsx"
import { ObjectPage } from "../parts/ObjectPage.tsx"
import { OldEnds, SecretOnce } from "../parts/Secret.tsx"
import { Loaded } from "../parts/states.tsx"
import { State, Time } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"
import { type Delivery, lastAnswer, useDeliveries } from "./Deliveries.tsx"
import { MerchantAct, send } from "./MerchantAct.tsx"
import { TestEvent } from "./TestEvent.tsx"
import { type Endpoint, endpointBody, EndpointFields, endpointTexts, Health, TypesText } from "./Webhooks.tsx"

const texts = {
  en: {
    pause: "Pause",
    pauseSays: "Deliveries are queued until you enable the endpoint again. Nothing is lost.",
    enable: "Enable",
    enableSays: "Queued deliveries are sent now, and new events from now on.",
    disable: "Disable",
    disableSays: "Deliveries that come due are skipped and not sent later. To queue them, pause the endpoint instead.",
    edit: "Edit",
    rotate: "Roll secret",
    remove: "Delete",
    removeSays: "No more events are sent to this URL, and queued deliveries are skipped. This can't be undone.",
    health: "Health",
    good: "Deliveries are succeeding.",
    failing: "The latest deliveries failed.",
    answered: "Response:",
    mend: "Fix your server. Then send the failed and the pending deliveries again: open one, or select them in the list of all deliveries.",
    since: "Last successful delivery:",
    none: "No deliveries yet. Send a test event or make a test payment:",
    typical: "Typical response time",
    deliveries: "Deliveries",
    all: "All deliveries",
    failed: "All failed deliveries",
    sandbox: "Pay an order in the sandbox",
    updated: "Last updated",
    disabling: "Automatic disabling",
    yes: "after five days without a successful delivery",
    no: "off"
  },
  zh: {
    pause: "暂停",
    pauseSays: "投递将排队等待，直到重新启用端点。不会丢失任何事件。",
    enable: "启用",
    enableSays: "立即发送排队中的投递，并继续发送新的事件。",
    disable: "停用",
    disableSays: "到期的投递将被跳过，之后不会补发。如需保留，请改为暂停端点。",
    edit: "修改",
    rotate: "轮换密钥",
    remove: "删除",
    removeSays: "不再向该 URL 发送事件，排队中的投递将被跳过。此操作无法撤销。",
    health: "健康状况",
    good: "投递正常。",
    failing: "最近的投递失败。",
    answered: "响应：",
    mend: "请修复您的服务器，然后重新发送失败和待处理的投递：打开其中一条，或在全部投递的列表中选择。",
    since: "最近一次成功投递：",
    none: "还没有投递。请发送测试事件或进行测试付款：",
    typical: "典型响应时间",
    deliveries: "投递",
    all: "全部投递",
    failed: "全部失败的投递",
    sandbox: "在沙盒中支付订单",
    updated: "最近修改",
    disabling: "自动停用",
    yes: "连续五天没有成功投递后",
    no: "关闭"
  }
}

const Webhook = ({ number }: { readonly number: string }) => {
  const { base, may } = useAccount()
  const api = useApi()
  const words = { ...useWords(endpointTexts), ...useWords(texts) }
  const [isGone, setGone] = useState(false)
  const [, go] = useLocation()
  const endpoint = useLive(
    api.query("webhook_endpoints", "get", { params: { endpoint_id: number }, reactivityKeys: shown }),
    objectEvery
  )
  if (isGone) return null
  return (
    <ObjectPage
      result={endpoint}
      back={[`${base}/webhooks`, words.title]}
      number={number}
      head={({ data }) => (
        <>
          <span className="address">{data.url}</span> <State of={data.status} />
        </>
      )}
      acts={({ data }) =>
        may("webhooks:write") &&
        !data.is_default && (
          <Acts
            endpoint={data}
            onGone={() => {
              setGone(true)
              go(`${base}/webhooks`)
            }}
          />
        )
      }
      facts={({ data }) => [
        [words.description, data.description ?? "–"],
        [words.types, <TypesText key="t" types={data.enabled_events} />],
        [words.disabling, data.disable_when_failing ? words.yes : words.no],
        ...(data.previous_ends.length === 0
          ? []
          : [[words.secret, <OldEnds key="s" ends={data.previous_ends} says={words.oldUntil} />] as const]),
        [words.created, <Time key="c" at={data.created_at} />],
        [words.updated, <Time key="u" at={data.updated_at} />]
      ]}
    >
      {({ data }) => <>{data.is_default ? <p className="soft">{words.isDefault}</p> : <Sent endpointId={data.id} />}</>}
    </ObjectPage>
  )
}

const Sent = ({ endpointId }: { readonly endpointId: string }) => {
  const account = useAccount()
  const words = useWords(texts)
  const list = useDeliveries()
  const result = useLive(list.page({ endpoint_id: endpointId, limit: "50" }), objectEvery)
  const to = `${account.base}/deliveries?endpoint_id=${endpointId}`
  return (
    <Loaded result={result}>
      {({ data: { data: rows } }) => (
        <>
          <section className="card">
            <h2>{words.health}</h2>
            {rows.length === 0 ? (
              <p>
                {words.none}{" "}
                {account.mode === "sandbox" && <Link href={`${account.base}/sandbox`}>{words.sandbox}</Link>}
              </p>
            ) : (
              <>
                <Health endpointId={endpointId} count={50} />
                <Judged rows={rows} />
              </>
            )}
          </section>
          {rows.length > 0 && (
            <section className="card">
              <header className="head">
                <h2>{words.deliveries}</h2>
                <span className="row">
                  <Link href={`${to}&status=failed`}>{words.failed}</Link>
                  <Link href={to}>{words.all}</Link>
                </span>
              </header>
              <Rows
                list={list}
                columns={list.columns.filter(({ id }) => id !== "url" && id !== "id")}
                rows={rows.slice(0, 10)}
              />
            </section>
          )}
        </>
      )}
    </Loaded>
  )
}

/** The health by the latest deliveries: whether events arrive, and if not, since when and with which answer. */
const Judged = ({ rows }: { readonly rows: ReadonlyArray<Delivery> }) => {
  const words = { ...useWords(endpointTexts), ...useWords(texts) }
  const tried = rows.filter(({ attempts }) => attempts.length > 0)
  const [newest] = tried
  if (newest === undefined) return null
  const arrived = tried.find(({ status }) => status === "succeeded")
  const times = tried
    .flatMap(({ attempts }) => attempts.map(({ duration_ms }) => duration_ms))
    .toSorted((a, b) => a - b)
  const typical = (
    <p className="soft small">
      {words.typical}: {times[Math.floor(times.length / 2)]} ms
    </p>
  )
  if (newest.status === "succeeded") {
    return (
      <>
        <p>{words.good}</p>
        {typical}
      </>
    )
  }
  return (
    <div className="trouble">
      <p>
        <strong>{words.failing}</strong> {words.answered} <code>{lastAnswer(newest, "–")}</code>. {words.mend}
      </p>
      {arrived !== undefined && (
        <p>
          {words.since} <Time at={arrived.created_at} />
        </p>
      )}
    </div>
  )
}

const Acts = ({ endpoint, onGone }: { readonly endpoint: Endpoint; readonly onGone: () => void }) => {
  const api = useApi()
  const words = { ...useWords(endpointTexts), ...useWords(texts) }
  const params = { endpoint_id: endpoint.id }
  const change = (name: string, says: string, status: Endpoint["status"], isPrimary = false) => (
    <MerchantAct
      operation="webhook_endpoints.update"
      name={name}
      says={says}
      isPrimary={isPrimary}
      request={() => ({ params, payload: { status } })}
      undo={() => act(api, send(api, "webhook_endpoints.update", { params, payload: { status: endpoint.status } }))}
    />
  )
  return (
    <>
      <TestEvent endpoint={endpoint} />
      {endpoint.status !== "enabled" && change(words.enable, words.enableSays, "enabled", true)}
      {endpoint.status === "enabled" && change(words.pause, words.pauseSays, "paused")}
      <MerchantAct
        operation="webhook_endpoints.update"
        name={words.edit}
        fields={<EndpointFields endpoint={endpoint} />}
        version={endpoint.updated_at}
        onChanged={() => void readAgain(api)}
        request={(typed) => ({ params, payload: sent(changed(typed)) })}
      />
      <MerchantAct
        operation="webhook_endpoints.rotateSecret"
        name={words.rotate}
        says={words.rotateSays}
        request={() => ({ params })}
        result={({ data }) => (
          <SecretOnce label={words.secret} secret={data.secret}>
            <p>{words.rotateSays}</p>
            <OldEnds ends={data.previous_ends} says={words.oldUntil} />
          </SecretOnce>
        )}
      />
      {endpoint.previous_ends.length > 0 && (
        <MerchantAct
          operation="webhook_endpoints.endPreviousSecrets"
          name={words.end}
          endangers={thisPage}
          says={words.endSays}
          request={() => ({ params })}
        />
      )}
      {endpoint.status !== "disabled" && change(words.disable, words.disableSays, "disabled")}
      <MerchantAct
        operation="webhook_endpoints.delete"
        name={words.remove}
        says={words.removeSays}
        endangers={thisPage}
        request={() => ({ params })}
        onDone={onGone}
      />
    </>
  )
}

/** A description that was emptied is removed. */
const changed = (typed: FormData) => ({ description: null, ...endpointBody(typed) })

export default Webhook
