/** Loading, failed and empty states. */
import type * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { type Problem, problemOf, readAgain } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { awaySince } from "../api/connection.ts"
import { useAtom } from "../api/registry.ts"
import { adviceFor } from "./advice.ts"
import { refusalText } from "./refusals.ts"
import { hourText } from "./values.tsx"
import { useLanguage, useWords } from "./words.ts"

const texts = {
  en: {
    loading: "Loading",
    away: "The service is not responding. Your connection or the service is down; this page retries automatically.",
    unexpected: "The console could not read the response. Reload the page; if this continues, tell the operator:",
    request: "Request ID",
    waits: "Rate limit reached, or the service is busy. Continuing automatically in seconds:",
    old: "You signed in more than 15 minutes ago.",
    signIn: "Sign in again in a new tab",
    oldSays: "Then come back and try again; what you entered stays here.",
    asOf: "Could not refresh. As of",
    again: "Try again"
  },
  zh: {
    loading: "加载中",
    away: "服务没有响应。您的网络或服务已中断；此页面会自动重试。",
    unexpected: "控制台无法读取响应。请重新加载页面；如问题持续，请告知平台运营方：",
    request: "请求 ID",
    waits: "已达到频率限制，或服务繁忙。将在以下秒数后自动继续：",
    old: "您的登录已超过 15 分钟。",
    signIn: "请在新标签页中重新登录",
    oldSays: "然后回到此处重试，已填写的内容会保留。",
    asOf: "刷新失败，数据截至",
    again: "重试"
  }
}

/** The role allows the action, but it has to be proved again who acts. */
const isOfOldSession = ({ code, message }: Extract<Problem, { readonly kind: "refused" }>): boolean =>
  code === "forbidden" && message.startsWith("This session is older than 15 minutes.")

/** A failed call, and what to do about it. */
export const Trouble = ({ problem }: { readonly problem: Problem }) => {
  const words = useWords(texts)
  if (problem.kind === "away")
    return (
      <p className="trouble" role="alert">
        {words.away}
      </p>
    )
  if (problem.kind === "unexpected") {
    return (
      <p className="trouble" role="alert">
        {words.unexpected} {problem.message}
      </p>
    )
  }
  if (isOfOldSession(problem))
    return (
      <p className="trouble" role="alert">
        {words.old}{" "}
        <a href="/console/sign-in?again" target="_blank" rel="opener">
          {words.signIn}
        </a>
        . {words.oldSays}
      </p>
    )
  const language = useLanguage()
  const advice = adviceFor(problem.code, language)
  const isOfField = problem.code === "invalid_request" || problem.message.includes("minor units")
  const says = isOfField ? refusalText(problem.message, language) : problem.message
  return (
    <div className="trouble" role="alert">
      <p>
        {problem.param === undefined ? "" : <code>{problem.param}: </code>}
        {says} {advice}
      </p>
      {problem.requestId !== "" && (
        <p className="small soft">
          <code>{problem.code}</code> · {words.request} <code>{problem.requestId}</code>
        </p>
      )}
    </div>
  )
}

/** The notice that work waits for a rate limit, and how long. */
export const Waiting = ({ seconds }: { readonly seconds: number | undefined }) => {
  const words = useWords(texts)
  return seconds === undefined ? null : (
    <span className="soft">
      {words.waits} {seconds}
    </span>
  )
}

export const Skeleton = ({ lines = 5 }: { readonly lines?: number }) => {
  const words = useWords(texts)
  return (
    <div className="skeleton" role="status" aria-label={words.loading}>
      {Array.from({ length: lines }, (_, index) => (
        <i key={index} />
      ))}
    </div>
  )
}

/** After these errors old content is no longer shown. */
const isOver = (problem: Problem): boolean =>
  problem.kind === "refused" && /_not_found$|^(forbidden|route_not_found|missing_api_key)$/.test(problem.code)

/**
 * The value of a call once it is loaded. The previous value and typed input stay on the screen during a reload, and if
 * that fails, with the time that they are from. Only a first load may be an error page.
 */
export const Loaded = <A, E>(props: {
  readonly result: AsyncResult.AsyncResult<A, E>
  readonly children: (value: A) => React.ReactNode
  readonly lines?: number
  /** What it loads is not seen by itself, so its age is not shown. */
  readonly isFrame?: boolean
}): React.ReactNode => {
  const { children, isFrame = false, lines, result } = props
  if (AsyncResult.isInitial(result)) return <Skeleton lines={lines ?? 5} />
  const problem = AsyncResult.isFailure(result) ? problemOf(result.cause as Cause.Cause<unknown>) : undefined
  const value = AsyncResult.value(result)
  if (problem !== undefined && isOver(problem)) return <Trouble problem={problem} />
  if (problem !== undefined && value._tag === "None") {
    return (
      <div className="stack">
        <Trouble problem={problem} />
        <p>
          <Again />
        </p>
      </div>
    )
  }
  return (
    <>
      {!isFrame && <Age result={result} />}
      {value._tag === "Some" && children(value.value)}
    </>
  )
}

/** The age of a value that could not be read again, for a page that shows it by itself. */
export const Age = <A, E>({ result }: { readonly result: AsyncResult.AsyncResult<A, E> }) =>
  AsyncResult.isFailure(result) ? <Stale at={Option.getOrUndefined(result.previousSuccess)?.timestamp} /> : null

/** Since when the content is not up to date. The frame says so itself while the service is away. */
const Stale = ({ at }: { readonly at: number | undefined }) => {
  const words = useWords(texts)
  const language = useLanguage()
  const isAway = useAtom(awaySince) !== undefined
  if (isAway) return null
  return (
    <p className="stale small" role="status">
      {words.asOf} {hourText(at ?? Date.now(), language)}. <Again />
    </p>
  )
}

const Again = () => {
  const words = useWords(texts)
  return (
    <button type="button" className="button quiet small" onClick={() => void readAgain(OwnApi)}>
      {words.again}
    </button>
  )
}

/** Nothing yet, and how it begins. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: React.ReactNode }) => (
  <div className="empty">
    <p className="lead">{title}</p>
    {children}
  </div>
)
