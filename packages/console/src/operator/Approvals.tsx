/** Requests that wait for a second operator. */
import { useAtom } from "../api/registry.ts"
import { Empty, Loaded } from "../parts/states.tsx"
import { useWords } from "../parts/words.ts"
import { Approval, approvalsAtom } from "./approving.tsx"

const texts = {
  en: {
    title: "Approvals",
    says: "Some actions need two operators (TWO_OPERATORS). The first operator's request waits here for a day.",
    none: "No pending approvals",
    noneSays:
      "With TWO_OPERATORS=payouts:100000,live_keys,fees,channels,approvals these actions wait here until a second operator approves them."
  },
  zh: {
    title: "待批准",
    says: "部分操作需要两位运营人员批准（TWO_OPERATORS）。第一位提交的请求会在此保留一天。",
    none: "没有待批准的请求",
    noneSays:
      "设置 TWO_OPERATORS=payouts:100000,live_keys,fees,channels,approvals 后，这些操作会在此等待第二位运营人员批准。"
  }
}

const Approvals = () => {
  const words = useWords(texts)
  return (
    <section className="list">
      <header className="head">
        <h1>{words.title}</h1>
      </header>
      <Loaded result={useAtom(approvalsAtom())}>
        {({ data: { data: rows } }) =>
          rows.length === 0 ? (
            <Empty title={words.none}>
              <p>{words.noneSays}</p>
            </Empty>
          ) : (
            <>
              <p className="soft">{words.says}</p>
              {rows.map((approval) => (
                <Approval key={`${approval.act} ${approval.target} ${approval.created_at}`} approval={approval} />
              ))}
            </>
          )
        }
      </Loaded>
    </section>
  )
}

export default Approvals
