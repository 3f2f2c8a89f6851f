/** A merchant's keys with scopes: operators create, roll, edit and revoke them. */
import type { ApiKeyResource } from "@coffer/contract/ApiKeys"
import { sent } from "../api/sent.ts"
import { ChoiceField, TextField } from "../parts/act.tsx"
import { useWords } from "../parts/words.ts"
import { useKeys } from "../merchant/Keys.tsx"
import { ObjectList } from "../merchant/ObjectList.tsx"
import { ScopesTable } from "../merchant/ScopesTable.tsx"
import { typedIn } from "../parts/typed.tsx"
import { type Mode, OperatorAct } from "./operator.tsx"

const texts = {
  en: {
    create: "Create key",
    createSays:
      "The key has only the permissions you select, and they can't be changed later. The secret is shown once: send it to the merchant securely.",
    name: "Name",
    nameHint: "What it is for, such as “Accounting”.",
    expires: "Expires after (UTC date)",
    expiresHint: "Leave empty for a key that never expires.",
    allowlist: "IP allowlist",
    allowlistHint: "IP addresses and ranges the key can be used from. Leave empty to use the environment's allowlist.",
    change: "Edit",
    roll: "Roll key",
    rollSays: "Creates a new secret for this key, shown once. The old one keeps working for the time you choose.",
    overlap: "Old secret expires",
    overlaps: { 0: "now", 60: "in 1 hour", 720: "in 12 hours", 1440: "in 24 hours" },
    revoke: "Revoke",
    revokeSays: "The key stops working immediately on all runners. This can't be undone."
  },
  zh: {
    create: "创建密钥",
    createSays: "密钥仅含所勾选的权限，且创建后不可更改。密钥值仅显示一次，请以安全的方式交给商户。",
    name: "名称",
    nameHint: "用途，例如“会计”。",
    expires: "到期日（UTC）",
    expiresHint: "留空表示永不过期。",
    allowlist: "IP 白名单",
    allowlistHint: "允许使用该密钥的 IP 地址和网段。留空则使用环境的 IP 白名单。",
    change: "修改",
    roll: "轮换",
    rollSays: "为该密钥生成新的密钥值，仅显示一次。旧值在您选择的时间内仍然有效。",
    overlap: "旧密钥值失效时间",
    overlaps: { 0: "立即", 60: "1 小时后", 720: "12 小时后", 1440: "24 小时后" },
    revoke: "吊销",
    revokeSays: "该密钥将立即在所有节点上失效，此操作无法撤销。"
  }
}

const secret = ({ key }: { readonly key: string }) => key

interface Place {
  readonly merchantId: string
  readonly mode: Mode
}

/** It ends with a day, so that a second operator can send the same request. */
const bodyOf = (typed: FormData, mode: Mode) => {
  const [allowlist, day] = [typedIn(typed, "ip_allowlist"), typedIn(typed, "expires_on")]
  return {
    mode,
    name: typedIn(typed, "name") ?? "",
    scopes: typed.getAll("scopes").map(String),
    ...(allowlist === undefined ? {} : { ip_allowlist: allowlist }),
    ...(day === undefined ? {} : { expires_at: `${day}T23:59:59.999Z` })
  }
}

const CreateKey = ({ merchantId, mode }: Place) => {
  const words = useWords(texts)
  return (
    <OperatorAct
      act="api_keys.create"
      name={words.create}
      isPrimary
      isOnce
      says={words.createSays}
      fields={
        <>
          <TextField label={words.name} name="name" isRequired maxLength={100} hint={words.nameHint} />
          <ScopesTable mode={mode} />
          <TextField label={words.expires} name="expires_on" type="date" hint={words.expiresHint} />
          <TextField label={words.allowlist} name="ip_allowlist" hint={words.allowlistHint} />
        </>
      }
      request={(typed) => ({ params: { merchant_id: merchantId }, payload: sent(bodyOf(typed, mode)) })}
      secret={secret}
    />
  )
}

const MerchantKeys = (place: Place) => {
  const list = useKeys((key) => <KeyActs apiKey={key} merchantId={place.merchantId} />)
  return <ObjectList list={{ ...list, acts: <CreateKey {...place} /> }} />
}

const KeyActs = ({ apiKey, merchantId }: { readonly apiKey: ApiKeyResource; readonly merchantId: string }) => {
  const words = useWords(texts)
  const { ip_allowlist, key_id, name, status } = apiKey
  const params = { merchant_id: merchantId, key_id }
  const overlapOf = (typed: FormData) => ({ overlap_minutes: Number(typed.get("overlap") ?? 60) })
  const changeOf = (typed: FormData) => ({
    name: typedIn(typed, "name") ?? "",
    ip_allowlist: typedIn(typed, "ip_allowlist") ?? ""
  })
  if (status !== "active") return null
  return (
    <span className="acts">
      <OperatorAct
        act="api_keys.roll"
        name={words.roll}
        object={name}
        isOnce
        says={words.rollSays}
        fields={
          <ChoiceField label={words.overlap} name="overlap" initial="60" choices={Object.entries(words.overlaps)} />
        }
        request={(typed) => ({ params, payload: overlapOf(typed) })}
        secret={secret}
      />
      <OperatorAct
        act="api_keys.update"
        name={words.change}
        isEdit
        object={name}
        fields={
          <>
            <TextField label={words.name} name="name" isRequired maxLength={100} initial={name} />
            <TextField label={words.allowlist} name="ip_allowlist" hint={words.allowlistHint} initial={ip_allowlist} />
          </>
        }
        request={(typed) => ({ params, payload: changeOf(typed) })}
      />
      <OperatorAct
        act="api_keys.revoke"
        name={words.revoke}
        endangers={name}
        says={words.revokeSays}
        request={() => ({ params })}
      />
    </span>
  )
}

export default MerchantKeys
