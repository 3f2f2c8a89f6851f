/** The evidence in a dispute: texts and files as a draft, which the bank gets once it is submitted. */
import type { DisputeResource, EvidenceResource } from "@coffer/contract/Disputes"
import { EvidenceFileType, evidenceNames } from "@coffer/model/Evidence"
import { evidenceFilesMax, evidenceTextLengthMax } from "@coffer/model/Limits"
import { useId, useRef, useState } from "react"
import { act, type Problem } from "../api/acts.ts"
import { useAccount } from "../api/session.ts"
import { Act, Field } from "../parts/act.tsx"
import { Facts } from "../parts/ObjectPage.tsx"
import { Trouble } from "../parts/states.tsx"
import { UploadField } from "../parts/UploadField.tsx"
import { isWeb } from "./find.ts"
import { Time } from "../parts/values.tsx"
import { useLanguage, useWords } from "../parts/words.ts"

type Name = (typeof evidenceNames)[number]
type FileType = (typeof EvidenceFileType.literals)[number]
type File = EvidenceResource["files"][number]

const texts = {
  en: {
    title: "Evidence",
    none: "No evidence was sent.",
    draft: "A draft is kept. The bank does not have it yet.",
    submitted: "The bank has this evidence. Sent",
    more: "More fields",
    files: "Files",
    upload: "Add a file",
    uploadHint: "PDF, PNG or JPEG, at most 10 MB, at most 8 files.",
    kind: "What the file shows",
    remove: "Remove",
    file: "File",
    save: "Save the draft",
    saved: "The draft is saved.",
    saving: "Saving…",
    submit: "Submit to the bank",
    submitSays:
      "The bank gets the texts and files as they stand here. It decides by them, and takes no more unless it asks again.",
    names: {
      product_description: "Goods or service",
      customer_name: "Buyer's name",
      customer_email_address: "Buyer's e-mail",
      customer_purchase_ip: "Address that the buyer ordered from (IP)",
      billing_address: "Billing address",
      shipping_address: "Shipping address",
      shipping_carrier: "Carrier",
      shipping_tracking_number: "Tracking number",
      shipping_date: "Shipped on",
      service_date: "Service given on",
      access_activity_log: "When the buyer used it",
      refund_policy_disclosure: "How the refund policy was shown",
      refund_refusal_explanation: "Why no refund is due",
      cancellation_policy_disclosure: "How the cancellation policy was shown",
      cancellation_rebuttal: "Why it was not cancelled"
    } satisfies Record<Name, string>,
    types: {
      receipt: "Receipt",
      customer_communication: "Messages with the buyer",
      customer_signature: "Buyer's signature",
      shipping_documentation: "Proof of shipping",
      service_documentation: "Proof of service",
      cancellation_policy: "Cancellation policy",
      refund_policy: "Refund policy",
      invoice_showing_distinct_transactions: "Invoice of distinct payments",
      recurring_transaction_agreement: "Agreement on recurring payments",
      uncategorized_file: "Something else"
    } satisfies Record<FileType, string>
  },
  zh: {
    title: "证据",
    none: "未提交证据。",
    draft: "已保存草稿，银行尚未收到。",
    submitted: "银行已收到此证据。发送时间",
    more: "更多字段",
    files: "文件",
    upload: "添加文件",
    uploadHint: "PDF、PNG 或 JPEG，每个不超过 10 MB，最多 8 个。",
    kind: "文件内容",
    remove: "移除",
    file: "文件",
    save: "保存草稿",
    saved: "草稿已保存。",
    saving: "正在保存…",
    submit: "提交给银行",
    submitSays: "银行将收到此处的文字和文件并据此裁定；除非再次要求，否则不再接收补充。",
    names: {
      product_description: "商品或服务",
      customer_name: "买家姓名",
      customer_email_address: "买家邮箱",
      customer_purchase_ip: "买家下单 IP",
      billing_address: "账单地址",
      shipping_address: "收货地址",
      shipping_carrier: "承运商",
      shipping_tracking_number: "运单号",
      shipping_date: "发货日期",
      service_date: "服务日期",
      access_activity_log: "买家使用记录",
      refund_policy_disclosure: "退款政策的告知方式",
      refund_refusal_explanation: "不予退款的理由",
      cancellation_policy_disclosure: "取消政策的告知方式",
      cancellation_rebuttal: "未取消的理由"
    } satisfies Record<Name, string>,
    types: {
      receipt: "收据",
      customer_communication: "与买家的沟通记录",
      customer_signature: "买家签名",
      shipping_documentation: "发货凭证",
      service_documentation: "服务凭证",
      cancellation_policy: "取消政策",
      refund_policy: "退款政策",
      invoice_showing_distinct_transactions: "区分各笔交易的发票",
      recurring_transaction_agreement: "定期扣款协议",
      uncategorized_file: "其他"
    } satisfies Record<FileType, string>
  }
}
type Texts = typeof texts.en

/** The texts that a bank looks at first, by the dispute's reason; the others are behind a click. */
const firstOf: Readonly<Record<string, ReadonlyArray<Name>>> = {
  fraudulent: [
    "product_description",
    "customer_name",
    "customer_email_address",
    "customer_purchase_ip",
    "shipping_tracking_number"
  ],
  product_not_received: ["product_description", "shipping_carrier", "shipping_tracking_number", "shipping_date"],
  subscription_canceled: ["cancellation_policy_disclosure", "cancellation_rebuttal", "access_activity_log"],
  credit_not_processed: ["refund_policy_disclosure", "refund_refusal_explanation"]
}
const firstOfOthers: ReadonlyArray<Name> = ["product_description", "customer_name", "refund_refusal_explanation"]

interface Props {
  readonly dispute: DisputeResource
  readonly stored: EvidenceResource
}

export const Evidence = ({ dispute, stored }: Props) => {
  const { may } = useAccount()
  const words = useWords(texts)
  const isOpen = dispute.status === "needs_response" && !stored.submitted && may("disputes:write")
  return (
    <section className="card">
      <h2>{words.title}</h2>
      {isOpen ? <Draft dispute={dispute} stored={stored} words={words} /> : <Kept stored={stored} words={words} />}
    </section>
  )
}

/** The evidence that was kept or sent, to read. */
const Kept = ({ stored, words }: { readonly stored: EvidenceResource; readonly words: Texts }) => {
  const named = Object.entries(stored.evidence as Record<string, string>)
  if (named.length === 0 && stored.files.length === 0) return <p className="soft">{words.none}</p>
  return (
    <>
      {stored.submitted && (
        <p className="soft">
          {words.submitted} <Time at={stored.submitted_at} />
        </p>
      )}
      <Facts
        facts={[
          ...named.map(([name, text]) => [words.names[name as Name] ?? name, text] as const),
          ...stored.files.map(
            ({ type, url }, index) => [`${words.file} ${index + 1}`, link(words.types[type], url)] as const
          )
        ]}
      />
    </>
  )
}

const link = (text: string, url: string) =>
  isWeb(url) ? (
    <a href={url} target="_blank" rel="noreferrer">
      {text}
    </a>
  ) : (
    text
  )

const Draft = ({ dispute, stored, words }: Props & { readonly words: Texts }) => {
  const { api } = useAccount()
  const form = useRef<HTMLFormElement>(null)
  const formId = useId()
  const [files, setFiles] = useState<ReadonlyArray<File>>(stored.files)
  const [isSaving, setSaving] = useState(false)
  const [note, setNote] = useState("")
  const [problem, setProblem] = useState<Problem>()
  const { dispute_no, reason } = dispute
  const first = firstOf[reason] ?? firstOfOthers
  const bodyOf = (submit: boolean) => {
    const typed = new FormData(form.current!)
    const named = evidenceNames.flatMap((name) => {
      const text = String(typed.get(name) ?? "").replaceAll("\r\n", "\n")
      return text.trim() === "" ? [] : [[name, text] as const]
    })
    const { uncategorized_text } = stored.evidence
    const kept = uncategorized_text === undefined ? {} : { uncategorized_text }
    return { evidence: { ...Object.fromEntries(named), ...kept }, files, submit }
  }
  const send = (submit: boolean) =>
    act(
      api,
      api.use((client) =>
        client.disputes.submitEvidence({ params: { ref: dispute_no }, payload: bodyOf(submit) as never })
      )
    )
  const save = (event: React.FormEvent) => {
    event.preventDefault()
    setSaving(true)
    setProblem(undefined)
    void send(false).then((outcome) => {
      setSaving(false)
      if ("problem" in outcome) setProblem(outcome.problem)
      else setNote(words.saved)
    })
  }
  return (
    <>
      <form ref={form} id={formId} className="stack" onSubmit={save} onInput={() => setNote("")}>
        {stored.updated_at !== null && <p className="soft small">{words.draft}</p>}
        {first.map((name) => (
          <EvidenceField key={name} name={name} stored={stored} words={words} />
        ))}
        <details className="fold">
          <summary>{words.more}</summary>
          <div className="stack">
            {evidenceNames
              .filter((name) => !first.includes(name))
              .map((name) => (
                <EvidenceField key={name} name={name} stored={stored} words={words} />
              ))}
          </div>
        </details>
        <Files files={files} onChange={setFiles} words={words} />
        {problem !== undefined && <Trouble problem={problem} />}
        <p role="status" className="small" hidden={note === ""}>
          {note}
        </p>
      </form>
      <div className="buttons">
        <button form={formId} className="button quiet" disabled={isSaving}>
          {isSaving ? words.saving : words.save}
        </button>
        <Act
          name={words.submit}
          isPrimary
          says={words.submitSays}
          run={() => send(true)}
          code={() => ({
            method: "POST",
            path: `/v1/disputes/${dispute_no}/evidence`,
            body: bodyOf(true),
            sdk: "coffer.disputes.submitEvidence",
            args: [dispute_no]
          })}
        />
      </div>
    </>
  )
}

const EvidenceField = (props: { readonly name: Name; readonly stored: EvidenceResource; readonly words: Texts }) => {
  const { name, stored, words } = props
  return (
    <Field label={words.names[name]}>
      {(id) => (
        <textarea
          id={id}
          name={name}
          rows={1}
          className="low"
          maxLength={evidenceTextLengthMax}
          defaultValue={stored.evidence[name] ?? ""}
        />
      )}
    </Field>
  )
}

const Files = (props: {
  readonly files: ReadonlyArray<File>
  readonly onChange: (files: ReadonlyArray<File>) => void
  readonly words: Texts
}) => {
  const { files, onChange, words } = props
  const language = useLanguage()
  const [problem, setProblem] = useState<Problem>()
  const types = EvidenceFileType.literals
  return (
    <fieldset className="files">
      <legend>{words.files}</legend>
      <ul>
        {files.map((file, index) => (
          <li key={file.url}>
            {link(`${words.file} ${index + 1}`, file.url)}
            <select
              aria-label={`${words.kind} ${index + 1}`}
              value={file.type}
              onChange={(event) =>
                onChange(
                  files.map((each) => (each === file ? { ...each, type: event.target.value as FileType } : each))
                )
              }
            >
              {types.map((type) => (
                <option key={type} value={type}>
                  {texts[language].types[type]}
                </option>
              ))}
            </select>
            <button
              type="button"
              className="button quiet small"
              onClick={() => onChange(files.filter((each) => each !== file))}
            >
              {words.remove}
            </button>
          </li>
        ))}
      </ul>
      {files.length < evidenceFilesMax && (
        <UploadField
          label={words.upload}
          hint={words.uploadHint}
          accept="application/pdf,image/png,image/jpeg"
          onProblem={setProblem}
          onDone={(url) => onChange([...files, { type: "uncategorized_file", url }])}
        />
      )}
      {problem !== undefined && <Trouble problem={problem} />}
    </fieldset>
  )
}
