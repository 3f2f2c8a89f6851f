/** The doctor's report: problems first, then the passed checks. */
import type { DoctorReport } from "@coffer/contract/Doctor"
import { shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { useAtom } from "../api/registry.ts"
import { Loaded } from "../parts/states.tsx"
import { State, Time } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { checkName, doctorText } from "./doctorWords.tsx"
import { useOperator } from "./operator.tsx"

const texts = {
  en: {
    title: "Doctor report",
    says: "Settings, disks, Postgres, certificates and outbound network, as seen by the runner that answered:",
    calm: "No problems found.",
    others: "checks passed or do not apply here",
    do: "Fix:"
  },
  zh: {
    title: "诊断报告",
    says: "响应节点检测到的设置、磁盘、Postgres、证书和外网连接：",
    calm: "未发现问题。",
    others: "项检查通过或不适用",
    do: "处理方法："
  }
}

const report = OperatorsApi.query("doctor", "get", { reactivityKeys: shown })

type Finding = DoctorReport["findings"][number]

const Findings = ({ findings }: { readonly findings: ReadonlyArray<Finding> }) => {
  const words = useWords(texts)
  const language = useLanguage()
  return (
    <ul className="findings">
      {findings.map(({ advice, name, observation, status }) => (
        <li key={name}>
          <p>
            <strong>{checkName(name, language)}</strong> <State of={status} />
          </p>
          <p>{doctorText(observation, language)}</p>
          {advice !== null && (
            <p className="soft">
              {words.do} {doctorText(advice, language)}
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}

export const Doctor = () => {
  const words = useWords(texts)
  const { may } = useOperator()
  return may("doctor.get") ? <Report words={words} /> : null
}

const Report = ({ words }: { readonly words: typeof texts.en }) => (
  <section className="card">
    <h2>{words.title}</h2>
    <Loaded result={useAtom(report)} lines={6}>
      {({ data: { findings, looked_at, runner } }) => {
        const wrong = findings
          .filter(({ status }) => status === "error" || status === "warning")
          .toSorted((a, b) => a.status.localeCompare(b.status))
        const others = findings.filter((finding) => !wrong.includes(finding))
        return (
          <>
            <p className="soft">
              {words.says} <code>{runner}</code>, <Time at={looked_at} />
            </p>
            {wrong.length === 0 ? <p>{words.calm}</p> : <Findings findings={wrong} />}
            <details>
              <summary>
                {others.length} {words.others}
              </summary>
              <Findings findings={others} />
            </details>
          </>
        )
      }}
    </Loaded>
  </section>
)
