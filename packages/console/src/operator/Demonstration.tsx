/**
 * A demonstration on the embedded database: orders are created in a sandbox one after the other, runners are killed
 * meanwhile, and at the end each order that was acknowledged is looked for. It needs a role of a merchant, too.
 */
import { useEffect, useRef, useState } from "react"
import { ask } from "../api/acts.ts"
import { accountApi, type AccountApi } from "../api/clients.ts"
import { useWords } from "../parts/words.ts"

const texts = {
  en: {
    title: "See that nothing is lost",
    says: "Create orders in a sandbox, kill a runner above meanwhile, and stop: each acknowledged order is looked for.",
    none: "This needs a role of a merchant, too. The operator of the demonstration has one.",
    begin: "Create orders",
    stop: "Stop and look for them",
    acknowledged: "acknowledged",
    repeated: "tried again",
    looking: "Looking for them…",
    found: "found again",
    missing: "missing"
  },
  zh: {
    title: "验证数据不会丢失",
    says: "在沙盒中持续创建订单，同时终止上方的某个节点，然后停止：系统会逐一查找每个已确认的订单。",
    none: "这还需要某个商户的角色。演示环境的运营人员具有该角色。",
    begin: "创建订单",
    stop: "停止并查找",
    acknowledged: "已确认",
    repeated: "已重试",
    looking: "正在查找…",
    found: "已找到",
    missing: "缺失"
  }
}

/** People have a quota of 120 writes a minute. */
const pause = 550
const paused = () => new Promise((resume) => setTimeout(resume, pause))

/** One order after the other until it is stopped. One without an answer is created again by the same number. */
const createOrders = async (api: AccountApi, isOn: () => boolean, note: (tradeNo: string | undefined) => void) => {
  const run = `demo-${crypto.randomUUID().slice(0, 8)}`
  for (let number = 1; isOn();) {
    const payload = { amount: 100, out_trade_no: `${run}-${number}`, subject: "Demonstration" } as never
    const outcome = await ask(
      api,
      api.use((client) => client.orders.create({ payload }))
    )
    note("done" in outcome ? outcome.done.data.trade_no : undefined)
    if ("done" in outcome) number++
    await paused()
  }
}

interface OrderPage {
  readonly data: { readonly data: ReadonlyArray<{ readonly trade_no: string }>; readonly has_more: boolean }
}

/** How many of these orders the list has that were created since then. */
const countThere = async (api: AccountApi, since: string, tradeNos: ReadonlySet<string>): Promise<number> => {
  let found = 0
  for (let after: string | undefined; ;) {
    const query = { "created[gte]": since, limit: "100", ...(after === undefined ? {} : { starting_after: after }) }
    const outcome = await ask(
      api,
      api.use((client) => client.orders.list({ query: query as never }))
    )
    if ("problem" in outcome) {
      await paused()
      continue
    }
    // The other form of this list is a file.
    const { data, has_more } = (outcome.done as unknown as OrderPage).data
    found += data.filter(({ trade_no }) => tradeNos.has(trade_no)).length
    after = data.at(-1)?.trade_no
    if (!has_more || after === undefined) return found
  }
}

type Stage =
  | { readonly is: "idle" | "creating" | "looking" }
  | { readonly is: "done"; readonly found: number; readonly missing: number }

export const Demonstration = ({ merchantId }: { readonly merchantId: string | undefined }) => {
  const words = useWords(texts)
  return (
    <section className="card">
      <h2>{words.title}</h2>
      <p className="soft">{words.says}</p>
      {merchantId === undefined ? <p className="soft small">{words.none}</p> : <Writer merchantId={merchantId} />}
    </section>
  )
}

const Writer = ({ merchantId }: { readonly merchantId: string }) => {
  const words = useWords(texts)
  const [stage, setStage] = useState<Stage>({ is: "idle" })
  const [counts, setCounts] = useState({ acknowledged: 0, repeated: 0 })
  const stop = useRef<() => void>(() => undefined)
  useEffect(() => () => stop.current(), [])

  const run = async () => {
    const api = accountApi({ merchantId, mode: "sandbox" })
    const acknowledged = new Set<string>()
    const since = new Date(Date.now() - 5_000).toISOString()
    let isOn = true
    let repeated = 0
    stop.current = () => void (isOn = false)
    setStage({ is: "creating" })
    await createOrders(
      api,
      () => isOn,
      (tradeNo) => {
        if (tradeNo === undefined) repeated++
        else acknowledged.add(tradeNo)
        setCounts({ acknowledged: acknowledged.size, repeated })
      }
    )
    setStage({ is: "looking" })
    const found = await countThere(api, since, acknowledged)
    setStage({ is: "done", found, missing: acknowledged.size - found })
  }
  return (
    <>
      {stage.is !== "idle" && (
        <p role="status">
          <strong>{counts.acknowledged}</strong> {words.acknowledged} · {counts.repeated} {words.repeated}
          {stage.is === "looking" && <> · {words.looking}</>}
          {stage.is === "done" && (
            <>
              {" "}
              · <strong>{stage.found}</strong> {words.found} · <strong>{stage.missing}</strong> {words.missing}
            </>
          )}
        </p>
      )}
      <div className="buttons">
        {stage.is === "creating" ? (
          <button type="button" className="button" onClick={() => stop.current()}>
            {words.stop}
          </button>
        ) : (
          <button type="button" className="button" disabled={stage.is === "looking"} onClick={() => void run()}>
            {words.begin}
          </button>
        )}
      </div>
    </>
  )
}
