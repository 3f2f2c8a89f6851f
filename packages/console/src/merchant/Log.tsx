/** The page of an API call: what was sent, what was answered, from where, and the same call to copy. */
import { apiLogs } from "@coffer/resources/calls"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { useState } from "react"
import { Link } from "wouter"
import { useApi } from "../api/accountApi.ts"
import { shown } from "../api/acts.ts"
import { useAtom } from "../api/registry.ts"
import { useAccount } from "../api/session.ts"
import { copyText } from "../api/unsafePage.ts"
import { AsCode, type Call, curlOf } from "../parts/AsCode.tsx"
import { factsOf } from "../parts/declared.tsx"
import { Json } from "../parts/Json.tsx"
import { ObjectPage } from "../parts/ObjectPage.tsx"
import { stateText } from "../parts/stateWords.ts"
import { Loaded, Trouble } from "../parts/states.tsx"
import { useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { Status } from "./Logs.tsx"

const texts = {
  en: {
    sent: "Request body",
    answered: "Response body",
    again: "The same call again. Replace the values shown as [redacted].",
    mainKey: "Main key",
    copy: "Copy as curl",
    copied: "Copied",
    nearest: "did you mean"
  },
  zh: {
    sent: "请求正文",
    answered: "响应正文",
    again: "重新发起相同的调用。请替换显示为 [redacted] 的值。",
    mainKey: "主密钥",
    copy: "复制为 curl",
    copied: "已复制",
    nearest: "您是否想用"
  }
}

const Log = ({ number }: { readonly number: string }) => {
  const { base } = useAccount()
  const api = useApi()
  const words = useWords(texts)
  const language = useLanguage()
  const found = useAtom(api.query("logs", "list", { query: { request_id: number }, reactivityKeys: shown }))
  return (
    <Loaded result={found}>
      {({ data: { data } }) => {
        const [log] = data
        if (log === undefined)
          return <Trouble problem={{ kind: "refused", code: "log_not_found", message: "", requestId: number }} />
        const body = isObject(log.request_body) ? log.request_body : undefined
        const call: Call = { method: methodOf(log.method), path: log.path, ...(body === undefined ? {} : { body }) }
        return (
          <ObjectPage
            result={AsyncResult.success(log)}
            back={[`${base}/logs`, wordsIn(apiLogs.listing.label, language)]}
            number={number}
            head={() => (
              <>
                <code>
                  {log.method} {log.path}
                </code>{" "}
                <Status of={log.status} />
              </>
            )}
            acts={() => <CopyCurl call={call} />}
            facts={() =>
              factsOf(apiLogs, log, language, {
                ...(log.error_code !== null && {
                  error_code: (
                    <Link href={`${base}/logs?error_code=${encodeURIComponent(log.error_code)}`}>{log.error_code}</Link>
                  )
                }),
                duration_ms: `${log.duration_ms} ms`,
                source: stateText(log.source, language),
                key_id:
                  log.source === "console" ? undefined : log.key_id === null ? (
                    words.mainKey
                  ) : (
                    <Link href={`${base}/keys`}>
                      <code>{log.key_id}</code>
                    </Link>
                  ),
                ignored_fields: log.ignored_fields
                  ?.map(({ name, nearest }) => (nearest === null ? name : `${name} (${words.nearest} ${nearest})`))
                  .join(", ")
              })
            }
          >
            {() => (
              <>
                <section className="card">
                  <h2>{words.sent}</h2>
                  <Json value={log.request_body} label={words.sent} />
                  <p className="small soft">{words.again}</p>
                  <AsCode call={call} />
                </section>
                <section className="card">
                  <h2>{words.answered}</h2>
                  <Json value={log.response_body} label={words.answered} />
                </section>
              </>
            )}
          </ObjectPage>
        )
      }}
    </Loaded>
  )
}

const CopyCurl = ({ call }: { readonly call: Call }) => {
  const words = useWords(texts)
  const [isCopied, setCopied] = useState(false)
  const copy = () =>
    void copyText(curlOf(call)).then((isDone) => {
      setCopied(isDone)
      setTimeout(() => setCopied(false), 1_500)
    })
  return (
    <button type="button" className="button quiet" onClick={copy}>
      <span aria-live="polite">{isCopied ? words.copied : words.copy}</span>
    </button>
  )
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !("_truncated" in value)

const methodOf = (method: string) => (method === "POST" || method === "DELETE" ? method : "GET")

export default Log
