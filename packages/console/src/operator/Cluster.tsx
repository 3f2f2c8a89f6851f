/**
 * The live cluster: each second the runners' work, queues and due rows, with a sparkline of two minutes. The only page
 * that polls each second.
 */
import type { ClusterResource } from "@coffer/contract/Cluster"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { useEffect, useState } from "react"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { registry, useLive } from "../api/registry.ts"
import { Loaded } from "../parts/states.tsx"
import { State, Time } from "../parts/values.tsx"
import { stateText } from "../parts/stateWords.ts"
import { useLanguage, useWords } from "../parts/words.ts"
import { Demonstration } from "./Demonstration.tsx"
import { Doctor } from "./Doctor.tsx"
import { DueRows, Table } from "./DueRows.tsx"
import { OperatorAct, useOperator } from "./operator.tsx"
import { isLate } from "./Overview.tsx"
import { nameOfRunner, runnersUp } from "./runners.ts"
import { Sparkline } from "./Sparkline.tsx"
import { workerText } from "./workerWords.ts"

const texts = {
  en: {
    acts: "Actions",
    draining: "Draining",
    drain: "Drain",
    drainSays:
      "The runner is taken out of service: clients are asked to connect elsewhere, its shards move to the other runners, and then it stops. No request is lost. A supervisor may start it again.",
    alone: "No other runner would keep its shards.",
    kill: "Kill",
    killSays:
      "The process ends immediately, as in a crash. Other runners take over its work, and a new one is started. Acknowledged data is not lost.",
    title: "Cluster",
    live: "Updated every second",
    alive: "Runners up",
    shards: "Shards assigned",
    busy: "Busy objects",
    waiting: "Commands queued",
    batches: "Batches per second",
    size: "Change sets per batch",
    lanes: "Change sets queued",
    pool: "Connections in use",
    poolWaits: "Waiting for a connection",
    due: "Due rows",
    mixed: "Two versions are running side by side. Finish the upgrade, or roll back.",
    lost: "Some shards have no runner. Commands for their objects get 503 and are retried; nothing is lost. This resolves within a minute of a start or stop. If it persists, restart the runner that holds no shards.",
    runners: "Runners",
    runner: "Runner",
    state: "State",
    held: "Shards",
    atWork: "Busy",
    connections: "Pool",
    queue: "Waiting",
    heap: "Heap",
    loop: "Event loop p99",
    skew: "Clock",
    heard: "Last heartbeat",
    version: "Version",
    messages: "messages",
    laneTable: "Postgres lanes",
    lane: "Lane",
    mean: "Mean",
    max: "Largest",
    ms: "ms per batch",
    count: "Batches",
    kinds: "Busy objects",
    kind: "Kind",
    last: "Last two minutes"
  },
  zh: {
    acts: "操作",
    draining: "正在排空",
    drain: "排空",
    drainSays:
      "该节点将退出服务：请客户端改连其他节点，分片移交其他节点，然后停止运行。不会丢失请求。守护程序可能会重新启动它。",
    alone: "没有其他节点可以接管其分片。",
    kill: "终止",
    killSays: "进程会立即结束，如同崩溃。其他节点接管其工作，并启动新的节点。已确认的数据不会丢失。",
    title: "集群",
    live: "每秒刷新",
    alive: "在线节点",
    shards: "已分配分片",
    busy: "处理中的对象",
    waiting: "排队的命令",
    batches: "每秒批次",
    size: "每批变更集",
    lanes: "排队的变更集",
    pool: "使用中的连接",
    poolWaits: "等待连接",
    due: "到期任务数",
    mixed: "两个版本的节点同时运行。请完成升级或回退。",
    lost: "部分分片没有所属节点。相关命令会返回 503 并自动重试，不会丢失数据。启停后一分钟内会自行恢复；若持续存在，请重启未持有分片的节点。",
    runners: "运行节点",
    runner: "节点",
    state: "状态",
    held: "分片",
    atWork: "处理中",
    connections: "连接",
    queue: "等待",
    heap: "堆内存",
    loop: "事件循环 p99",
    skew: "时钟",
    heard: "最近心跳",
    version: "版本",
    messages: "消息",
    laneTable: "写入 Postgres 的通道",
    lane: "通道",
    mean: "平均批量",
    max: "最大批量",
    ms: "每批毫秒",
    count: "批次",
    kinds: "处理中的对象",
    kind: "类型",
    last: "最近两分钟"
  }
}
type Texts = typeof texts.en

/** Seconds that the lines show. */
const seconds = 120

const clusterAtom = OperatorsApi.query("cluster", "get", {})

/** The figures that the lines are drawn from. */
interface Sample {
  readonly at: number
  readonly busy: number
  readonly waiting: number
  readonly batches: number
  readonly lanes: number
  readonly pool: number
  readonly due: number
}

const sum = (numbers: ReadonlyArray<number | null>): number => numbers.reduce<number>((all, one) => all + (one ?? 0), 0)

const there = ({ runners }: ClusterResource) => runners.filter(({ state }) => state !== "gone")

const sampleOf = (cluster: ClusterResource): Sample => {
  const runners = there(cluster)
  return {
    at: Date.now(),
    busy: sum(runners.flatMap(({ commands }) => commands.map(({ objects_busy }) => objects_busy))),
    waiting: sum(runners.flatMap(({ commands }) => commands.map(({ waiting }) => waiting))),
    batches: sum(runners.flatMap(({ lanes }) => lanes.map(({ batches }) => batches))),
    lanes: sum(runners.flatMap(({ lanes }) => lanes.map(({ waiting }) => waiting))),
    pool: sum(runners.map(({ pool }) => pool.in_use)),
    due: sum(cluster.backlogs.map(({ due }) => due))
  }
}

/** The samples of the last two minutes, one a second. */
const useSamples = (): ReadonlyArray<Sample> => {
  const [samples, setSamples] = useState<ReadonlyArray<Sample>>([])
  useEffect(() => {
    return registry.subscribe(clusterAtom, (result) => {
      if (!AsyncResult.isSuccess(result) || result.waiting) return
      const sample = sampleOf(result.value.data)
      setSamples((all) => [...all, sample].filter(({ at }) => at > sample.at - seconds * 1_000))
    })
  }, [])
  return samples
}

/** Batches a second between each two samples. Runners report every few seconds, so this is the mean of five. */
const ratesOf = (samples: ReadonlyArray<Sample>): ReadonlyArray<number> =>
  samples.map((sample, index) => {
    const before = samples[Math.max(0, index - 5)]!
    const passed = (sample.at - before.at) / 1_000
    return passed <= 0 ? 0 : Math.max(0, (sample.batches - before.batches) / passed)
  })

const Cluster = () => {
  const words = useWords(texts)
  const cluster = useLive(clusterAtom, 1_000)
  const samples = useSamples()
  const { merchantId } = useOperator()
  return (
    <section className="list">
      <header className="head">
        <h1>{words.title}</h1>
        <p className="soft small">{words.live}</p>
      </header>
      <Loaded result={cluster} lines={10}>
        {({ data }) => (
          <>
            {data.shards.held < data.shards.total && (
              <p className="trouble" role="alert">
                {words.lost}
              </p>
            )}
            {data.versions.length > 1 && (
              <p className="trouble" role="alert">
                {words.mixed} {data.versions.join(", ")}
              </p>
            )}
            <Tiles cluster={data} samples={samples} words={words} />
            <Runners cluster={data} words={words} />
            {data.can_kill && <Demonstration merchantId={merchantId} />}
            <div className="halves">
              <Lanes cluster={data} words={words} />
              <div className="stack">
                <Kinds cluster={data} words={words} />
                <DueRows backlogs={data.backlogs} />
              </div>
            </div>
          </>
        )}
      </Loaded>
      <Doctor />
    </section>
  )
}

const Tiles = (props: {
  readonly cluster: ClusterResource
  readonly samples: ReadonlyArray<Sample>
  readonly words: Texts
}) => {
  const { cluster, samples, words } = props
  const language = useLanguage()
  const { backlogs, shards } = cluster
  const now = sampleOf(cluster)
  const runners = there(cluster)
  const { all, down, up } = runnersUp(cluster.runners)
  const rates = ratesOf(samples)
  const sizes = runners.flatMap(({ lanes }) => lanes.filter(({ batches }) => batches > 0))
  const mean =
    sum(sizes.map(({ batch_size_mean, batches }) => batch_size_mean * batches)) /
    Math.max(1, sum(sizes.map(({ batches }) => batches)))
  const poolWaits = sum(runners.map(({ pool }) => pool.waiting))
  const line = (of: (sample: Sample) => number) => samples.map(of)
  const tiles: ReadonlyArray<{
    readonly name: string
    readonly figure: string
    readonly isBad?: boolean
    readonly line?: ReadonlyArray<number>
    readonly more?: string
  }> = [
    {
      name: words.alive,
      figure: `${up} / ${all}`,
      isBad: up < all,
      ...(down.length === 0
        ? {}
        : { more: down.map((runner) => `${nameOfRunner(runner)}: ${stateText(runner.state, language)}`).join(", ") })
    },
    { name: words.shards, figure: `${shards.held} / ${shards.total}`, isBad: shards.held < shards.total },
    {
      name: words.busy,
      figure: now.busy.toLocaleString(),
      more: `${words.waiting}: ${now.waiting.toLocaleString()}`,
      line: line(({ busy }) => busy)
    },
    {
      name: words.batches,
      figure: (rates.at(-1) ?? 0).toFixed(1),
      more: `${words.size}: ${mean.toFixed(1)}`,
      line: rates
    },
    { name: words.lanes, figure: now.lanes.toLocaleString(), line: line(({ lanes }) => lanes) },
    {
      name: words.pool,
      figure: now.pool.toLocaleString(),
      more: `${words.poolWaits}: ${poolWaits}`,
      isBad: poolWaits > 0,
      line: line(({ pool }) => pool)
    },
    { name: words.due, figure: now.due.toLocaleString(), isBad: backlogs.some(isLate), line: line(({ due }) => due) }
  ]
  return (
    <div className="tiles live">
      {tiles.map(({ figure, isBad, line: values, more, name }) => (
        <div key={name} className={`card tile ${isBad === true ? "bad" : ""}`}>
          <span className="soft">{name}</span>
          <span className="figure">{figure}</span>
          {more !== undefined && <span className="small soft">{more}</span>}
          {values !== undefined && <Sparkline values={values} points={seconds} label={`${name}: ${words.last}`} />}
        </div>
      ))}
    </div>
  )
}

const megabytes = (bytes: number | null) => (bytes === null ? "–" : `${Math.round(bytes / 1_000_000)} MB`)

const Runners = ({
  cluster: { can_kill, runners },
  words
}: {
  readonly cluster: ClusterResource
  readonly words: Texts
}) => {
  const isAlone = runners.filter(({ draining, state }) => state === "alive" && !draining).length < 2
  return (
    <Table
      title={words.runners}
      heads={[
        [words.runner],
        [words.state],
        [words.acts],
        [words.held, true],
        [words.atWork, true],
        [words.connections, true],
        [words.loop, true],
        [words.heap, true],
        [words.skew, true],
        [words.version],
        [words.heard]
      ]}
    >
      {runners.map((runner) => {
        const { clock_skew_seconds: skew, memory, pool } = runner
        return (
          <tr key={runner.instance_id}>
            <td>
              <code className="short" title={runner.instance_id}>
                {nameOfRunner(runner)}
              </code>
            </td>
            <td>
              <State of={runner.state} />
              {runner.draining && <span className="soft small block">{words.draining}</span>}
            </td>
            <td>
              {runner.state === "alive" && (
                <span className="acts">
                  {!runner.draining && <DrainRunner runner={runner} isAlone={isAlone} words={words} />}
                  {can_kill && <Kill runner={runner} words={words} />}
                </span>
              )}
            </td>
            <td className="number">{runner.state === "gone" ? "–" : (runner.shards ?? "–")}</td>
            <td className="number">
              {runner.state === "gone" ? "–" : sum(runner.commands.map(({ objects_busy }) => objects_busy))}
            </td>
            <td className="number">{runner.state === "gone" ? "–" : (pool.in_use ?? "–")}</td>
            <td className="number">{runner.event_loop_delay_ms.p99?.toFixed(1) ?? "–"} ms</td>
            <td className="number">
              {megabytes(memory.heap_used_bytes)}
              <span className="soft"> / {megabytes(memory.heap_limit_bytes)}</span>
            </td>
            <td className="number">{skew === null ? "–" : `${(skew * 1_000).toFixed(0)} ms`}</td>
            <td>
              {runner.version}
              {runner.messages !== null && (
                <span className="soft small block">
                  {words.messages} {runner.messages.join(", ")}
                </span>
              )}
            </td>
            <td>
              <Time at={runner.last_heartbeat_at} />
            </td>
          </tr>
        )
      })}
    </Table>
  )
}

type Runner = ClusterResource["runners"][number]

const DrainRunner = (props: { readonly runner: Runner; readonly isAlone: boolean; readonly words: Texts }) => {
  const { isAlone, runner, words } = props
  return (
    <OperatorAct
      act="cluster.drain"
      name={words.drain}
      endangers={nameOfRunner(runner)}
      says={words.drainSays}
      notNow={isAlone ? words.alone : undefined}
      request={() => ({ params: { instance_id: runner.instance_id } })}
    />
  )
}

const Kill = ({ runner, words }: { readonly runner: Runner; readonly words: Texts }) => (
  <OperatorAct
    act="cluster.kill"
    name={words.kill}
    endangers={nameOfRunner(runner)}
    says={words.killSays}
    isOnce
    request={() => ({ params: { instance_id: runner.instance_id } })}
  />
)

const Lanes = ({ cluster, words }: { readonly cluster: ClusterResource; readonly words: Texts }) => (
  <Table
    title={words.laneTable}
    heads={[
      [words.lane],
      [words.queue, true],
      [words.count, true],
      [words.mean, true],
      [words.max, true],
      [words.ms, true]
    ]}
  >
    {there(cluster).flatMap(({ address, instance_id, lanes }) =>
      lanes.map(({ batch_ms_mean, batch_size_max, batch_size_mean, batches, lane, waiting }) => (
        <tr key={`${instance_id} ${lane}`}>
          <td>
            {there(cluster).length > 1 && <code>{address ?? instance_id} </code>}
            {lane}
          </td>
          <td className="number">{waiting}</td>
          <td className="number">{batches.toLocaleString()}</td>
          <td className="number">{batch_size_mean.toFixed(2)}</td>
          <td className="number">{batch_size_max}</td>
          <td className="number">{batch_ms_mean.toFixed(2)}</td>
        </tr>
      ))
    )}
  </Table>
)

const Kinds = ({ cluster, words }: { readonly cluster: ClusterResource; readonly words: Texts }) => {
  const language = useLanguage()
  const all = there(cluster).flatMap(({ commands }) => commands)
  const kinds = Array.from(new Set(all.map(({ kind }) => kind))).toSorted()
  const of = (kind: string) => all.filter((each) => each.kind === kind)
  return (
    <Table title={words.kinds} heads={[[words.kind], [words.atWork, true], [words.queue, true]]}>
      {kinds.map((kind) => (
        <tr key={kind}>
          <td>{workerText(kind, language)}</td>
          <td className="number">{sum(of(kind).map(({ objects_busy }) => objects_busy))}</td>
          <td className="number">{sum(of(kind).map(({ waiting }) => waiting))}</td>
        </tr>
      ))}
    </Table>
  )
}

export default Cluster
