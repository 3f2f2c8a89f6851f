/**
 * The operator's home page, for three in the morning: what only a person can fix, the worst first, each with a link to
 * the action that fixes it. Below: what recovers automatically, and the health of the cluster.
 */
import type { ClusterResource } from "@coffer/contract/Cluster"
import type { HeldKind, HeldUpResource } from "@coffer/contract/HeldUp"
import type { DifferenceResource } from "@coffer/contract/Reconciliation"
import type { ApprovalResource } from "@coffer/contract/Operators"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { Link } from "wouter"
import { problemOf, shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { lastOf, useLive } from "../api/registry.ts"
import { Age, Skeleton, Trouble } from "../parts/states.tsx"
import { Amount, Time } from "../parts/values.tsx"
import { rowsOf } from "../parts/walkPages.ts"
import { useWords } from "../parts/words.ts"
import { approvalsAtom, useActName } from "./approving.tsx"
import { adviceTexts, kindsByWeight, kindTexts, Mend, NextStep } from "./held.tsx"
import { MerchantLink, type Mode, ModeMark, ModeSwitch, ofOrder } from "./operator.tsx"
import { runnersUp } from "./runners.ts"
import { useMode } from "./shownMode.ts"

const texts = {
  en: {
    title: "Overview",
    calm: "Nothing needs your attention",
    calmSays: "No payment, payout or dispute needs a decision. The books agree, and all runners are up.",
    needs: "Needs attention, most urgent first",
    oldest: "Oldest",
    all: "All",
    more: "more",
    approvals: "Actions waiting for a second operator",
    approvalsSays: "Requested by another operator. Approve them within a day, or they expire.",
    reconciliation: "Payments that differ from Stripe's books",
    reconciliationSays:
      "Check the order's timeline and Stripe's dashboard. Differences are not corrected automatically.",
    theirs: "Stripe:",
    ours: "Coffer:",
    cluster: "Runners that are down, or shards without a runner",
    clusterSays: "Commands for such a shard get 503 and are retried. Nothing is lost. Find out which runner it is.",
    late: "Overdue work",
    lateSays: "Some rows have waited for a worker for more than five minutes.",
    itself: "Retried automatically",
    none: "Nothing.",
    vitals: "Health",
    alive: "Runners up",
    shards: "Shards assigned",
    due: "Due rows",
    loop: "Event loop p99",
    pool: "Connections in use",
    decide: "Review",
    open: "Open"
  },
  zh: {
    title: "概览",
    calm: "没有需要您处理的事项",
    calmSays: "没有付款、提现或争议需要人工处理；账目一致，所有运行节点均有响应。",
    needs: "需关注的事项，最紧急的在前",
    oldest: "最早",
    all: "全部",
    more: "更多",
    approvals: "等待第二位运营人员的操作",
    approvalsSays: "由另一位运营人员发起。请在一天内批准，否则失效。",
    reconciliation: "Stripe 账目与本系统不一致的付款",
    reconciliationSays: "请查看订单时间线和 Stripe 后台。差异不会自动更正。",
    theirs: "Stripe 记录：",
    ours: "本系统记录：",
    cluster: "无响应的节点，或无节点持有的分片",
    clusterSays: "此类分片的命令会返回 503 并自动重试，不会丢失数据。请确认是哪个节点。",
    late: "逾期任务",
    lateSays: "部分任务等待处理已超过五分钟。",
    itself: "自动重试的事项",
    none: "无。",
    vitals: "运行状况",
    alive: "在线节点",
    shards: "已分配分片",
    due: "到期任务数",
    loop: "事件循环 p99",
    pool: "使用中的连接",
    decide: "处理",
    open: "打开"
  }
}
type Texts = typeof texts.en

/** The maximum of rows per section. */
const rowsShown = 4
const every = 5_000

const heldOf = (mode: Mode, kind: HeldKind | undefined, limit: string) =>
  OperatorsApi.query("held_up", "list", {
    query: { limit, mode, ...(kind === undefined ? {} : { kind }) },
    reactivityKeys: shown
  })

const Overview = () => {
  const words = useWords(texts)
  const mode = useMode()
  const counts = useLive(heldOf(mode, undefined, "1"), every)
  const parked = useLive(heldOf(mode, "unapplied_payment", "100"), every)
  const strays = useLive(heldOf(mode, "stray_session", "100"), every)
  const payouts = useLive(heldOf(mode, "payout", "100"), every)
  const disputes = useLive(heldOf(mode, "dispute", "100"), every)
  const reports = useLive(heldOf(mode, "report", "100"), every)
  const approvals = useLive(approvalsAtom(), every)
  const differences = useLive(
    OperatorsApi.query("reconciliation", "list", { query: { status: "open" }, reactivityKeys: shown }),
    every
  )
  const cluster = useLive(OperatorsApi.query("cluster", "get", { reactivityKeys: shown }), every)
  const many = lastOf(counts)?.data.counts
  if (AsyncResult.isFailure(counts) && many === undefined) return <Trouble problem={problemOf(counts.cause)} />
  if (many === undefined) return <Skeleton lines={10} />
  const reads: ReadonlyArray<AsyncResult.AsyncResult<unknown, unknown>> = [
    counts,
    parked,
    strays,
    payouts,
    disputes,
    reports,
    approvals,
    differences,
    cluster
  ]
  const state = lastOf(cluster)?.data
  const held: ReadonlyArray<readonly [HeldKind, ReadonlyArray<HeldUpResource>]> = [
    ["unapplied_payment", rowsOf(parked).filter(({ status }) => status === "parked")],
    ["stray_session", rowsOf(strays)],
    ["payout", rowsOf(payouts)],
    ["dispute", rowsOf(disputes).filter(({ waits_for }) => waits_for === "merchant" || waits_for === "operator")],
    ["report", rowsOf(reports)]
  ]
  const waiting = rowsOf(approvals)
  const found = lastOf(differences)?.data
  const open = found && { ...found, data: found.data.filter((difference) => difference.mode === mode) }
  const matters = held.filter(([, rows]) => rows.length > 0)
  const isSick = state !== undefined && sick(state)
  const late = state?.backlogs.filter(isLate) ?? []
  const isQuiet =
    matters.length === 0 && waiting.length === 0 && (open?.data.length ?? 0) === 0 && !isSick && late.length === 0
  // What could not be read is not known to be calm.
  const isCalm = isQuiet && reads.every((read) => lastOf(read) !== undefined)
  const itself = kindsByWeight
    .map((kind) => [kind, many[kind] - (held.find(([each]) => each === kind)?.[1].length ?? 0)] as const)
    .filter(([kind, count]) => count > 0 && !["stray_session", "payout", "report"].includes(kind))
  return (
    <section className="list overview">
      <header className="head">
        <h1>{words.title}</h1>
        {!isCalm && <p className="soft">{words.needs}</p>}
        <ModeSwitch />
      </header>
      <Age result={reads.find((read) => AsyncResult.isFailure(read)) ?? counts} />
      {isCalm && (
        <div className="empty calm">
          <p className="lead">✓ {words.calm}</p>
          <p>{words.calmSays}</p>
        </div>
      )}
      {isSick && <Matter title={words.cluster} says={words.clusterSays} to="/operator/cluster" words={words} isBad />}
      {late.length > 0 && (
        <Matter
          title={words.late}
          says={words.lateSays}
          to="/operator/cluster"
          words={words}
          count={late.length}
          isBad
        />
      )}
      {matters.map(([kind, rows]) => (
        <HeldMatter key={kind} kind={kind} rows={rows} words={words} />
      ))}
      {open !== undefined && open.data.length > 0 && (
        <Differences rows={open.data} hasMore={open.has_more} words={words} />
      )}
      {waiting.length > 0 && <Waiting rows={waiting} words={words} />}
      <h2>{words.vitals}</h2>
      {state === undefined ? <Skeleton lines={2} /> : <Vitals cluster={state} words={words} />}
      <h2>{words.itself}</h2>
      <Itself rows={itself} words={words} />
    </section>
  )
}

const sick = ({ runners, shards }: ClusterResource): boolean =>
  shards.held < shards.total || runnersUp(runners).down.length > 0

/** Since more than five minutes. */
export const isLate = ({ oldest_due_at }: Pick<ClusterResource["backlogs"][number], "oldest_due_at">): boolean =>
  oldest_due_at !== null && Date.now() - Date.parse(oldest_due_at) > 300_000

const Matter = (props: {
  readonly title: string
  readonly says: string
  readonly to: string
  readonly words: Texts
  readonly count?: string | number
  readonly isBad?: boolean
  readonly oldest?: string
  readonly children?: React.ReactNode
}) => {
  const { children, count, isBad, oldest, says, title, to, words } = props
  return (
    <section className={`card matter ${isBad === true ? "bad" : ""}`}>
      <header className="head">
        <h2>
          {count !== undefined && <span className="many">{count}</span>} {title}
        </h2>
        <Link href={to} className="button quiet small">
          {words.all}
        </Link>
      </header>
      <p className="soft">
        {says}{" "}
        {oldest !== undefined && (
          <>
            {words.oldest}: <Time at={oldest} />
          </>
        )}
      </p>
      {children}
    </section>
  )
}

/** Live before sandbox, then by deadline, then by age. */
const byWeight = (left: HeldUpResource, right: HeldUpResource): number =>
  left.mode.localeCompare(right.mode) ||
  (left.due_by ?? "9").localeCompare(right.due_by ?? "9") ||
  left.since.localeCompare(right.since)

const HeldMatter = (props: {
  readonly kind: HeldKind
  readonly rows: ReadonlyArray<HeldUpResource>
  readonly words: Texts
}) => {
  const { kind, rows, words } = props
  const title = useWords(kindTexts)[kind]
  const says = useWords(adviceTexts)[kind]
  const oldest = rows.map(({ since }) => since).toSorted()[0]!
  return (
    <Matter
      title={title}
      says={says}
      to={`/operator/held-up?kind=${kind}`}
      words={words}
      count={rows.length >= 100 ? "100+" : rows.length}
      oldest={oldest}
      isBad={rows.some(({ mode }) => mode === "live") && kind !== "payout"}
    >
      <ul className="matters">
        {rows
          .toSorted(byWeight)
          .slice(0, rowsShown)
          .map((held) => (
            <li key={held.id}>
              <span className="money">
                <Amount minor={held.currency === null ? null : held.amount} currency={held.currency ?? "USD"} />
              </span>
              <ModeMark mode={held.mode} />
              <span className="text">
                <MerchantLink id={held.merchant_id} mode={held.mode} /> <NextStep held={held} />
              </span>
              <Time at={held.due_by ?? held.since} />
              <Mend held={held} />
            </li>
          ))}
      </ul>
    </Matter>
  )
}

const Differences = (props: {
  readonly rows: ReadonlyArray<DifferenceResource>
  readonly hasMore: boolean
  readonly words: Texts
}) => {
  const { hasMore, rows, words } = props
  return (
    <Matter
      title={words.reconciliation}
      says={words.reconciliationSays}
      to="/operator/reconciliation?status=open"
      words={words}
      count={hasMore ? `${rows.length}+` : rows.length}
      isBad={rows.some(({ mode }) => mode === "live")}
    >
      <ul className="matters">
        {rows
          .slice(0, rowsShown)
          .map(({ currency, id, merchant_id, mode, ours, payment_id, seen_at, theirs, trade_no }) => (
            <li key={id}>
              <span className="money">
                <Amount minor={theirs - ours} currency={currency} signed />
              </span>
              <ModeMark mode={mode} />
              <span className="text">
                <MerchantLink id={merchant_id} mode={mode} /> <code>{payment_id}</code>: {words.theirs}{" "}
                <Amount minor={theirs} currency={currency} />, {words.ours} <Amount minor={ours} currency={currency} />
              </span>
              <Time at={seen_at} />
              <Link
                className="button quiet small"
                href={trade_no === null ? "/operator/reconciliation" : ofOrder(merchant_id, mode, trade_no)}
              >
                {words.open}
              </Link>
            </li>
          ))}
      </ul>
    </Matter>
  )
}

const Waiting = ({ rows, words }: { readonly rows: ReadonlyArray<ApprovalResource>; readonly words: Texts }) => {
  const nameOf = useActName()
  return (
    <Matter
      title={words.approvals}
      says={words.approvalsSays}
      to="/operator/approvals"
      words={words}
      count={rows.length}
      oldest={rows.map(({ created_at }) => created_at).toSorted()[0]!}
    >
      <ul className="matters">
        {rows.slice(0, rowsShown).map(({ act, created_at, operator, target }) => (
          <li key={`${act} ${target} ${created_at}`}>
            <span className="text">
              {operator}: {nameOf(act)} <code>{target}</code>
            </span>
            <Time at={created_at} />
            <Link className="button small" href="/operator/approvals">
              {words.decide}
            </Link>
          </li>
        ))}
      </ul>
    </Matter>
  )
}

const Itself = (props: {
  readonly rows: ReadonlyArray<readonly [kind: HeldKind, count: number]>
  readonly words: Texts
}) => {
  const kinds = useWords(kindTexts)
  if (props.rows.length === 0) return <p className="soft">{props.words.none}</p>
  return (
    <div className="tiles">
      {props.rows.map(([kind, count]) => (
        <Link key={kind} className="card tile" href={`/operator/held-up?kind=${kind}`}>
          <span className="soft">{kinds[kind]}</span>
          <span className="figure">{count.toLocaleString()}</span>
        </Link>
      ))}
    </div>
  )
}

const Vitals = ({ cluster, words }: { readonly cluster: ClusterResource; readonly words: Texts }) => {
  const { backlogs, runners, shards } = cluster
  const { all, up } = runnersUp(runners)
  const alive = runners.filter(({ state }) => state === "alive")
  const due = backlogs.reduce((sum, each) => sum + each.due, 0)
  const loop = Math.max(0, ...alive.map(({ event_loop_delay_ms: { p99 } }) => p99 ?? 0))
  const pool = alive.reduce((sum, { pool: { in_use } }) => sum + (in_use ?? 0), 0)
  const tiles: ReadonlyArray<readonly [name: string, figure: string, isBad: boolean]> = [
    [words.alive, `${up} / ${all}`, up < all || up === 0],
    [words.shards, `${shards.held} / ${shards.total}`, shards.held < shards.total],
    [words.due, due.toLocaleString(), backlogs.some(isLate)],
    [words.loop, `${loop.toFixed(1)} ms`, loop > 200],
    [words.pool, pool.toLocaleString(), false]
  ]
  return (
    <div className="tiles">
      {tiles.map(([name, figure, isBad]) => (
        <Link key={name} className={`card tile ${isBad ? "bad" : ""}`} href="/operator/cluster">
          <span className="soft">{name}</span>
          <span className="figure">{figure}</span>
        </Link>
      ))}
    </div>
  )
}

export default Overview
