/** A buyer's data: preview and run an erasure, the progress of erasures, and an archive of everything kept. */
import { ask, shown } from "../api/acts.ts"
import { asQuery, type PlainQuery } from "../api/lists.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { sent } from "../api/sent.ts"
import { TextField } from "../parts/act.tsx"
import { ErasureList } from "../parts/ErasureList.tsx"
import { Erasing, foundBy } from "../parts/erasing.tsx"
import { TypedWord, typedIn } from "../parts/typed.tsx"
import { useWords } from "../parts/words.ts"
import { Download } from "./Download.tsx"
import { callOf, MerchantLink, OperatorAct, useOperator } from "./operator.tsx"

const texts = {
  en: {
    title: "Buyer data",
    email: "Buyer's email",
    would: "will be changed, across all merchants",
    do: "Erase permanently",
    doSays: "Everything that identifies the buyer is overwritten. This can't be undone.",
    export: "Export buyer data",
    exportSays:
      "A tar archive of everything kept about this buyer at all merchants. The audit log records who requested it, but not the email."
  },
  zh: {
    title: "买家数据",
    email: "买家电子邮箱",
    would: "条将被修改（所有商户）",
    do: "永久删除",
    doSays: "所有可识别买家身份的内容都会被覆盖，此操作无法撤销。",
    export: "导出买家数据",
    exportSays: "tar 归档文件，包含该买家在所有商户的全部数据。审计日志会记录申请人，但不记录邮箱。"
  }
}
type Texts = typeof texts.en

/** First a dry run, then the erasure of exactly that. */
const Erase = ({ words }: { readonly words: Texts }) => {
  const { may } = useOperator()
  if (!may("erasures.create")) return null
  return (
    <Erasing
      would={words.would}
      look={(terms) =>
        foundBy(
          ask(
            OperatorsApi,
            OperatorsApi.use((client) => client.erasures.create({ payload: sent({ ...terms, dry_run: true }) }))
          )
        )
      }
      act={(terms, word, onDone) => (
        <OperatorAct
          act="erasures.create"
          name={words.do}
          endangers={word}
          says={words.doSays}
          fields={<TypedWord word={word} />}
          onDone={onDone}
          request={() => ({ payload: terms })}
        />
      )}
    />
  )
}

const Buyers = () => {
  const words = useWords(texts)
  const { may } = useOperator()
  return (
    <div className="stack">
      <header className="head">
        <h1>{words.title}</h1>
        <Download
          act="exports.buyer"
          name={words.export}
          says={words.exportSays}
          file="buyer.tar"
          fields={<TextField label={words.email} name="email" type="email" isRequired />}
          read={(client, typed) => client.exports.buyer({ payload: sent({ email: typedIn(typed, "email") ?? "" }) })}
          code={(typed) => callOf("exports.buyer", { payload: { email: typedIn(typed, "email") ?? "" } })}
        />
      </header>
      <Erase words={words} />
      <ErasureList
        id="operator.erasures"
        merchant={(id) => <MerchantLink id={id} />}
        page={(query) =>
          OperatorsApi.query("erasures", "list", { query: asQuery<PlainQuery>(query), reactivityKeys: shown })
        }
        archives={may("audit_log.list") ? "/operator/audit?act=exports.buyer" : undefined}
      />
    </div>
  )
}

export default Buyers
