/**
 * A demonstration on the embedded database: orders are created in a sandbox one after the other, runners are killed
 * meanwhile, and at the end each acknowledged order is looked for. It needs a role of a merchant, too.
 */
import type { OrderQuery } from "@coffer/contract/Orders"
import { useEffect, useRef, useState } from "react"
import { ask, type Problem } from "../api/acts.ts"
import { accountApi, type AccountApi } from "../api/accountApi.ts"
import { asQuery, type Query, withoutFile } from "../api/lists.ts"
import { sent } from "../api/sent.ts"
import { randomId } from "../api/unsafePage.ts"
import { Trouble } from "../parts/states.tsx"
import { walkPages } from "../parts/walkPages.ts"
import { useWords } from "../parts/words.ts"

const texts = {
  en: {
    title: "Check that nothing is lost",
    says: "Create orders in a sandbox, kill a runner above while they are being created, then stop: every acknowledged order is looked up.",
    none: "You also need a role at a merchant for this. The operator of the demonstration has one.",
    begin: "Create orders",
    stop: "Stop and check",
    acknowledged: "acknowledged",
    repeated: "retried",
    looking: "Checking…",
    found: "found",
    missing: "missing"
  },
  zh: {
    title: "验证数据不会丢失",
    says: "在沙盒中持续创建订单，同时终止上方的某个节点，然后停止：系统会逐一核对每个已确认的订单。",
    none: "您还需要某个商户的角色。演示环境的运营人员已具有该角色。",
    begin: "创建订单",
    stop: "停止并核对",
    acknowledged: "已确认",
    repeated: "已重试",
    looking: "正在核对…",
    found: "已找到",
    missing: "缺失"
  }
}

/** People have a quota of 120 writes a minute. */
const pause = 550
const paused = () => new Promise((resume) => setTimeout(resume, pause))
/** An hour of it. */
const ordersMax = 6_500
/** Looks for the orders: a runner that is killed meanwhile is followed by another within seconds. */
const looksMax = 10

interface Created {
  readonly trade_no: string
  readonly created_at: string
}

/** One order after the other until it is stopped. One without an answer is created again by the same number. */
const createOrders = async (api: AccountApi, isOn: () => boolean, note: (order: Created | undefined) => void) => {
  const run = `demo-${randomId().slice(0, 8)}`
  for (let number = 1; isOn() && number <= ordersMax;) {
    const order = { amount: 100, out_trade_no: `${run}-${number}`, subject: "Demonstration" }
    const outcome = await ask(
      api,
      api.use((client) => client.orders.create({ payload: sent(order) }))
    )
    note("done" in outcome ? outcome.done.data : undefined)
    if ("done" in outcome) number++
    await paused()
  }
}

/** The orders that were created since the first of these, as the list has them. */
const listedSince = async (api: AccountApi, since: string): Promise<ReadonlyArray<Created> | Problem> => {
  const list = {
    keyOf: ({ trade_no }: Created) => trade_no,
    page: (query: Query) => withoutFile(api.query("orders", "list", { query: asQuery<OrderQuery>(query) }))
  }
  for (let look = 1; ; look++) {
    const walked = await walkPages<Created>(list, { "created[gte]": since }, 2 * ordersMax, () => undefined, unhurried)
    if ("rows" in walked) return walked.rows
    if (walked.kind !== "away" || look === looksMax) return walked
    await paused()
  }
}

const unhurried = { signal: new AbortController().signal, onWait: () => undefined }

type Stage =
  | { readonly is: "idle" | "creating" | "looking" }
  | { readonly is: "done"; readonly found: number; readonly missing: number }
  | { readonly is: "failed"; readonly problem: Problem }

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
    const acknowledged: Array<Created> = []
    let isOn = true
    let repeated = 0
    stop.current = () => void (isOn = false)
    setStage({ is: "creating" })
    await createOrders(
      api,
      () => isOn,
      (order) => {
        if (order === undefined) repeated++
        else acknowledged.push(order)
        setCounts({ acknowledged: acknowledged.length, repeated })
      }
    )
    const [first] = acknowledged
    if (first === undefined) return setStage({ is: "idle" })
    setStage({ is: "looking" })
    const listed = await listedSince(api, first.created_at)
    if (!("length" in listed)) return setStage({ is: "failed", problem: listed })
    const there = new Set(listed.map(({ trade_no }) => trade_no))
    const found = acknowledged.filter(({ trade_no }) => there.has(trade_no)).length
    setStage({ is: "done", found, missing: acknowledged.length - found })
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
      {stage.is === "failed" && <Trouble problem={stage.problem} />}
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
