/** The evidence of a dispute: texts and files are saved as a draft, and submitted to the bank. */
import type { DisputeResource, EvidenceResource } from "@coffer/contract/Disputes"
import type { OrderResource } from "@coffer/contract/Orders"
import { evidenceNames } from "@coffer/model/Evidence"
import { evidenceTextLengthMax } from "@coffer/model/Limits"
import { useId, useRef, useState } from "react"
import { useApi } from "../api/accountApi.ts"
import { ActKeys, withKeys } from "../api/actKeys.ts"
import { act, ask, readAgain } from "../api/acts.ts"
import { draftName, forgetDraft, keepDraft, readDraft } from "../api/drafts.ts"
import { patiently } from "../api/patience.ts"
import { lastOf, useAtom } from "../api/registry.ts"
import { sent } from "../api/sent.ts"
import { sessionAtom, useAccount } from "../api/session.ts"
import { Act, Field } from "../parts/act.tsx"
import { ChangedMeanwhile } from "../parts/ChangedMeanwhile.tsx"
import { Facts } from "../parts/ObjectPage.tsx"
import { RefusedContext, useRefusals } from "../parts/refused.tsx"
import { Trouble } from "../parts/states.tsx"
import { Time } from "../parts/values.tsx"
import { useWords } from "../parts/words.ts"
import { type EvidenceFile, EvidenceFiles, type FileType, linked } from "./EvidenceFiles.tsx"
import { callOf } from "./MerchantAct.tsx"
import { dayOf, prefilled } from "./prefilled.ts"

type Name = (typeof evidenceNames)[number]

const texts = {
  en: {
    title: "Evidence",
    none: "No evidence submitted.",
    draft: "Draft saved. It has not been submitted to the bank.",
    submitted: "Evidence submitted to the bank on",
    more: "More fields",
    files: "Files",
    upload: "Add file",
    uploadHint: "PDF, PNG or JPEG. Up to 8 files of 10 MB each.",
    kind: "Document type",
    remove: "Remove",
    file: "File",
    save: "Save draft",
    saved: "Draft saved.",
    saving: "Saving…",
    kept: "Unsaved changes from earlier, kept in this browser.",
    discard: "Discard",
    mineSays: "If you keep yours, fields that you haven't changed take their text.",
    prefilled: "Filled in from the order. Check it before you submit.",
    receipt: "Receipt",
    summary: "What the bank receives",
    empty: "There is no evidence yet.",
    submit: "Submit to bank",
    submitSays: "The bank receives the text and files as shown here. You can't add more unless the bank asks.",
    names: {
      product_description: "Product description",
      customer_name: "Buyer's name",
      customer_email_address: "Buyer's email",
      customer_purchase_ip: "Buyer's IP address at purchase",
      billing_address: "Billing address",
      shipping_address: "Shipping address",
      shipping_carrier: "Carrier",
      shipping_tracking_number: "Tracking number",
      shipping_date: "Shipping date",
      service_date: "Service date",
      access_activity_log: "Activity log",
      refund_policy_disclosure: "Refund policy disclosure",
      refund_refusal_explanation: "Refund refusal explanation",
      cancellation_policy_disclosure: "Cancellation policy disclosure",
      cancellation_rebuttal: "Cancellation rebuttal"
    } satisfies Record<Name, string>,
    types: {
      receipt: "Receipt",
      customer_communication: "Customer communication",
      customer_signature: "Customer signature",
      shipping_documentation: "Shipping documentation",
      service_documentation: "Service documentation",
      cancellation_policy: "Cancellation policy",
      refund_policy: "Refund policy",
      invoice_showing_distinct_transactions: "Invoices of the separate payments",
      recurring_transaction_agreement: "Recurring transaction agreement",
      uncategorized_file: "Other"
    } satisfies Record<FileType, string>
  },
  zh: {
    title: "证据",
    none: "未提交证据。",
    draft: "草稿已保存，尚未提交给银行。",
    submitted: "证据提交时间",
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
    kept: "此浏览器中保留了您之前未提交的内容。",
    discard: "放弃",
    mineSays: "如保留您的内容，未修改的字段将采用对方的内容。",
    prefilled: "已根据订单填写，请在提交前核对。",
    receipt: "收据",
    summary: "银行将收到的内容",
    empty: "还没有证据。",
    submit: "提交给银行",
    submitSays: "银行将收到此处显示的文字和文件。除非银行要求，之后无法再补充。",
    names: {
      product_description: "商品或服务描述",
      customer_name: "买家姓名",
      customer_email_address: "买家邮箱",
      customer_purchase_ip: "买家下单 IP",
      billing_address: "账单地址",
      shipping_address: "收货地址",
      shipping_carrier: "承运商",
      shipping_tracking_number: "运单号",
      shipping_date: "发货日期",
      service_date: "服务日期",
      access_activity_log: "买家使用日志",
      refund_policy_disclosure: "退款政策告知情况",
      refund_refusal_explanation: "拒绝退款的理由",
      cancellation_policy_disclosure: "取消政策告知情况",
      cancellation_rebuttal: "对“已取消”的反驳"
    } satisfies Record<Name, string>,
    types: {
      receipt: "收据",
      customer_communication: "与买家的沟通记录",
      customer_signature: "买家签名",
      shipping_documentation: "发货凭证",
      service_documentation: "服务凭证",
      cancellation_policy: "取消政策",
      refund_policy: "退款政策",
      invoice_showing_distinct_transactions: "各笔交易的单独发票",
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
  readonly order: OrderResource
}

export const Evidence = ({ dispute, order, stored }: Props) => {
  const { may } = useAccount()
  const words = useWords(texts)
  const isOpen = dispute.status === "needs_response" && !stored.submitted && may("disputes:write")
  return (
    <section className="card">
      <h2>{words.title}</h2>
      {isOpen ? (
        <Draft dispute={dispute} stored={stored} order={order} words={words} />
      ) : (
        <Kept stored={stored} words={words} />
      )}
    </section>
  )
}

/** Saved or submitted evidence, read-only. */
const Kept = ({ stored, words }: { readonly stored: EvidenceResource; readonly words: Texts }) => {
  if (Object.keys(stored.evidence).length === 0 && stored.files.length === 0)
    return <p className="soft">{words.none}</p>
  return (
    <>
      {stored.submitted && (
        <p className="soft">
          {words.submitted} <Time at={stored.submitted_at} />
        </p>
      )}
      <EvidenceFacts typed={{ texts: textsOf(stored), files: stored.files }} words={words} />
    </>
  )
}

/** The texts and files as the bank reads them. */
const EvidenceFacts = ({ typed, words }: { readonly typed: Typed; readonly words: Texts }) => {
  const named = Object.entries(typed.texts).filter(([, text]) => text.trim() !== "")
  if (named.length === 0 && typed.files.length === 0) return <p className="soft">{words.empty}</p>
  return (
    <Facts
      isBare
      facts={[
        ...named.map(([name, text]) => [words.names[name as Name] ?? name, text] as const),
        ...typed.files.map(
          ({ type, url }, index) => [`${words.file} ${index + 1}`, linked(words.types[type], url)] as const
        )
      ]}
    />
  )
}

/** What is sent, as it is when the dialog opens. */
const Summary = ({ read, words }: { readonly read: () => Typed; readonly words: Texts }) => {
  const [typed] = useState(read)
  return (
    <section className="stack">
      <h3>{words.summary}</h3>
      <EvidenceFacts typed={typed} words={words} />
    </section>
  )
}

interface Typed {
  readonly texts: Readonly<Record<string, string>>
  readonly files: ReadonlyArray<EvidenceFile>
}

const isFiles = (more: unknown): more is ReadonlyArray<EvidenceFile> =>
  Array.isArray(more) && more.every((each) => typeof each?.url === "string" && typeof each?.type === "string")

const versionOf = ({ updated_at }: EvidenceResource) => updated_at ?? "none"
const textsOf = ({ evidence }: EvidenceResource): Typed["texts"] => evidence as Record<string, string>

/**
 * Merges typed evidence with the stored one: fields that this person has edited win, all others take the stored text.
 */
const merged = (typed: Typed, before: Typed, stored: EvidenceResource): Typed => {
  const own = Object.entries(typed.texts).filter(([name, text]) => text !== (before.texts[name] ?? ""))
  const isOwn = JSON.stringify(typed.files) !== JSON.stringify(before.files)
  return { texts: { ...textsOf(stored), ...Object.fromEntries(own) }, files: isOwn ? typed.files : stored.files }
}

/** The draft, and the person's unsent changes in this browser. */
const Draft = (props: Props & { readonly words: Texts }) => {
  const { dispute, order, stored, words } = props
  const { merchantId, mode } = useAccount()
  const session = useAtom(sessionAtom)
  const personId = lastOf(session)?.data.person.person_id ?? ""
  const name = draftName(personId, merchantId, mode, dispute.dispute_no)
  const now: Typed = { texts: textsOf(stored), files: stored.files }
  // The initial evidence of the form, and the version that it replaces. `times`: how often the form was refilled.
  const [form, setForm] = useState(() => {
    const kept = readDraft(name, isFiles)
    const isSame =
      kept !== undefined && evidenceNames.every((each) => (kept.texts[each] ?? "") === (now.texts[each] ?? ""))
    // A first draft begins with what the order says, which counts as nobody's edit.
    const begun = stored.updated_at === null ? { texts: prefilled(order, words.receipt), files: [] } : now
    return kept === undefined || (isSame && kept.more.length === now.files.length)
      ? { typed: begun, before: begun, version: versionOf(stored), isKept: false, times: 0 }
      : { typed: { texts: kept.texts, files: kept.more }, before: begun, version: kept.version, isKept: true, times: 0 }
  })
  const fill = (typed: Typed, isKept: boolean) =>
    setForm({ typed, before: now, version: versionOf(stored), isKept, times: form.times + 1 })
  return (
    <>
      {form.isKept && (
        <div className="note" role="status">
          <p>{words.kept}</p>
          <button
            type="button"
            className="button quiet small"
            onClick={() => {
              forgetDraft(name)
              fill(now, false)
            }}
          >
            {words.discard}
          </button>
        </div>
      )}
      {form.typed !== now && !form.isKept && form.times === 0 && stored.updated_at === null && (
        <p className="small soft">{words.prefilled}</p>
      )}
      <DraftForm
        key={form.times}
        {...props}
        name={name}
        initial={form.typed}
        version={form.version}
        onSaved={(version) => setForm({ ...form, version, isKept: false })}
        onTheirs={() => {
          forgetDraft(name)
          fill(now, false)
        }}
        onMine={(typed) => fill(merged(typed, form.before, stored), false)}
      />
    </>
  )
}

const DraftForm = (
  props: Props & {
    readonly words: Texts
    /** Its storage key in this browser. */
    readonly name: string
    readonly initial: Typed
    readonly version: string
    readonly onSaved: (version: string) => void
    readonly onTheirs: () => void
    readonly onMine: (typed: Typed) => void
  }
) => {
  const { dispute, initial, name: place, onMine, onSaved, onTheirs, stored, version, words } = props
  const api = useApi()
  const form = useRef<HTMLFormElement>(null)
  const formId = useId()
  const [files, setFiles] = useState(initial.files)
  const [isSaving, setSaving] = useState(false)
  const [note, setNote] = useState("")
  const [keys] = useState(() => new ActKeys())
  const { noteInput, problem, refused, tell } = useRefusals(form)
  const { dispute_no, reason } = dispute
  const first = firstOf[reason] ?? firstOfOthers
  const isConflict = problem?.kind === "refused" && problem.code === "conflict" && versionOf(stored) !== version
  const typedNow = (chosen = files): Typed => {
    const typed = new FormData(form.current!)
    const texts = evidenceNames.map((name) => [name, String(typed.get(name) ?? "").replaceAll("\r\n", "\n")] as const)
    return { texts: Object.fromEntries(texts), files: chosen }
  }
  const keep = (chosen = files) => {
    const typed = typedNow(chosen)
    keepDraft(place, { version, texts: typed.texts, more: typed.files })
    setNote("")
  }
  const bodyOf = (submit: boolean) => {
    const typed = typedNow()
    const named = Object.entries(typed.texts).filter(([, text]) => text.trim() !== "")
    const { uncategorized_text } = stored.evidence
    const kept = uncategorized_text === undefined ? {} : { uncategorized_text }
    return { evidence: { ...Object.fromEntries(named), ...kept }, files: typed.files, submit }
  }
  const send = async (submit: boolean) => {
    const outcome = await act(
      api,
      api.use((client) =>
        client.disputes.submitEvidence({ params: { ref: dispute_no }, payload: sent(bodyOf(submit)) })
      ),
      3,
      version
    )
    if ("done" in outcome) forgetDraft(place)
    else if (outcome.problem.kind === "refused" && outcome.problem.code === "conflict") void readAgain(api)
    return outcome
  }
  const save = (event: React.FormEvent) => {
    event.preventDefault()
    setSaving(true)
    tell(undefined)
    void withKeys(keys, () => send(false)).then(async (outcome) => {
      setSaving(false)
      if ("problem" in outcome) return tell(outcome.problem)
      setNote(words.saved)
      // The reload may fail. Then the next save reports the conflict.
      const read = await patiently(
        () =>
          ask(
            api,
            api.use((client) => client.disputes.getEvidence({ params: { ref: dispute_no } }))
          ),
        { signal: new AbortController().signal, onWait: () => undefined }
      )
      if ("done" in read) onSaved(versionOf(read.done.data))
    })
  }
  const field = (name: Name) => (
    <EvidenceField key={name} name={name} initial={initial.texts[name] ?? ""} words={words} />
  )
  return (
    <>
      <form
        ref={form}
        id={formId}
        className="stack"
        onSubmit={save}
        onInput={(event) => {
          noteInput(event)
          keep()
        }}
      >
        {stored.updated_at !== null && <p className="soft small">{words.draft}</p>}
        <RefusedContext value={refused}>
          {first.map(field)}
          <details className="fold">
            <summary>{words.more}</summary>
            <div className="stack">{evidenceNames.filter((name) => !first.includes(name)).map(field)}</div>
          </details>
        </RefusedContext>
        <EvidenceFiles
          files={files}
          onChange={(chosen) => {
            setFiles(chosen)
            keep(chosen)
          }}
          words={words}
        />
        {isConflict ? (
          <ChangedMeanwhile onTheirs={onTheirs} onMine={() => onMine(typedNow())}>
            <p>{words.mineSays}</p>
          </ChangedMeanwhile>
        ) : (
          problem !== undefined && <Trouble problem={problem} />
        )}
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
          isWide
          fields={<Summary read={typedNow} words={words} />}
          run={() => send(true)}
          code={() => callOf("disputes.submitEvidence", { params: { ref: dispute_no }, payload: bodyOf(true) })}
        />
      </div>
    </>
  )
}

/** A date is asked for as one, unless it was written otherwise. */
const isDate = (name: Name, text: string) =>
  name.endsWith("_date") && (text === "" || (dayOf(text) === text && text.length === 10))

const EvidenceField = (props: { readonly name: Name; readonly initial: string; readonly words: Texts }) => (
  <Field label={props.words.names[props.name]}>
    {(id, described) =>
      isDate(props.name, props.initial) ? (
        <input id={id} name={props.name} type="date" defaultValue={props.initial} aria-describedby={described} />
      ) : (
        <textarea
          id={id}
          name={props.name}
          rows={props.initial.split("\n").length}
          className={props.initial.includes("\n") ? "" : "low"}
          maxLength={evidenceTextLengthMax}
          defaultValue={props.initial}
          aria-describedby={described}
        />
      )
    }
  </Field>
)
