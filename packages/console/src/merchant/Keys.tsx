/** The keys of one environment: the main key, and keys with scopes. */
import type { ApiKeyQuery, ApiKeyResource } from "@coffer/contract/ApiKeys"
import { apiKeys } from "@coffer/resources/merchants"
import { personMayDo } from "@coffer/rules/people/mayDo"
import { lacking } from "@coffer/rules/people/rights"
import { scopesOfRole } from "@coffer/rules/people/roleScopes"
import * as Effect from "effect/Effect"
import { act, shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { lastOf, useAtom } from "../api/registry.ts"
import { sent } from "../api/sent.ts"
import { useAccount } from "../api/session.ts"
import { Act, ChoiceField, TextField } from "../parts/act.tsx"
import { columnsOf } from "../parts/declared.tsx"
import type { Column, ListBy } from "../parts/ListPage.tsx"
import { OldEnds, SecretOnce } from "../parts/Secret.tsx"
import { stateText } from "../parts/stateWords.ts"
import { Empty } from "../parts/states.tsx"
import { Time } from "../parts/values.tsx"
import { type Language, useLanguage, useWords, wordsIn } from "../parts/words.ts"
import { ObjectList } from "./ObjectList.tsx"
import { type Reader, useReader } from "./reader.ts"
import { Scopes, ScopesTable } from "./ScopesTable.tsx"

type Key = ApiKeyResource

const texts = {
  en: {
    main: "Main key",
    mainSays:
      "Full access to this environment. Your server sends it in the X-Api-Key header. It can't be shown again: " +
      "only its hash is stored.",
    reset: "Reset",
    resetSays:
      "Creates a new main key. The current one keeps working for the time you choose; after that your programs can't make calls until they use the new key.",
    oldUntil: "Old secret works until",
    oldOver: "The old secret no longer works.",
    end: "End old secrets",
    endSays: "All old secrets stop working immediately. Programs that still send one are refused.",
    freshLive: "You need to have signed in within the last 15 minutes.",
    own: "A key can't have more permissions than your role.",
    beyond: "This key has permissions that your role doesn't have.",
    fresh:
      "You need to have signed in within the last 15 minutes. If this is refused, sign out, sign in again and retry.",
    onlyOwner: "Only an owner can reset it.",
    newKey: "New key",
    create: "Create key",
    createSays:
      "Give each program a key with only the permissions it needs. A key's permissions can't be changed later.",
    name: "Name",
    nameHint: "What it is for, such as “Accounting”.",
    expires: "Expires",
    never: "Never",
    month: "In 30 days",
    quarter: "In 90 days",
    year: "In 1 year",
    allowlist: "IP allowlist",
    allowlistHint: "IP addresses and ranges the key can be used from. Leave empty to use the environment's allowlist.",
    from: "from",
    left: "No longer here: roll this key",
    change: "Edit",
    acts: "Actions",
    roll: "Roll key",
    rollSays: "Creates a new secret for this key. The old one keeps working for the time you choose.",
    overlap: "Old secret expires",
    overlaps: { 0: "now", 60: "in 1 hour", 720: "in 12 hours", 1440: "in 24 hours" },
    revoke: "Revoke",
    revokeSays: "The key stops working immediately. This can't be undone.",
    emptyTitle: "No restricted keys yet",
    empty:
      "The main key has full access. A restricted key has only the permissions you select, such as reading orders or making refunds."
  },
  zh: {
    main: "主密钥",
    mainSays: "拥有当前环境的全部权限。您的服务器通过 X-Api-Key 请求头发送。系统仅保存其哈希值，无法再次显示。",
    reset: "重置",
    resetSays: "将生成新的主密钥。当前密钥在您选择的时间内仍然有效，之后未更换为新密钥的程序无法发起调用。",
    oldUntil: "旧密钥值有效至",
    oldOver: "旧密钥值已失效。",
    end: "停用旧密钥值",
    endSays: "所有旧密钥值将立即失效，仍在使用的程序会被拒绝。",
    freshLive: "需要在 15 分钟内登录过。",
    own: "密钥的权限不会超过您的角色所拥有的权限。",
    beyond: "此密钥拥有您的角色所没有的权限。",
    fresh: "需要在 15 分钟内登录过。如被拒绝，请退出并重新登录后再试。",
    onlyOwner: "仅所有者可以重置。",
    newKey: "新密钥",
    create: "创建密钥",
    createSays: "为每个程序创建仅含所需权限的密钥。密钥的权限创建后不可更改。",
    name: "名称",
    nameHint: "用途，例如“会计”。",
    expires: "有效期",
    never: "永久",
    month: "30 天",
    quarter: "90 天",
    year: "一年",
    allowlist: "IP 白名单",
    allowlistHint: "允许使用该密钥的 IP 地址和网段。留空则使用环境的 IP 白名单。",
    from: "来自",
    left: "已离开，请轮换此密钥",
    change: "编辑",
    acts: "操作",
    roll: "轮换",
    rollSays: "为该密钥生成新的密钥值。旧值在您选择的时间内仍然有效。",
    overlap: "旧密钥值失效时间",
    overlaps: { 0: "立即", 60: "1 小时后", 720: "12 小时后", 1440: "24 小时后" },
    revoke: "吊销",
    revokeSays: "该密钥将立即失效，此操作无法撤销。",
    emptyTitle: "还没有受限密钥",
    empty: "主密钥拥有全部权限。受限密钥仅拥有您勾选的权限，例如读取订单或发起退款。"
  }
}
type Texts = typeof texts.en

/** The person who was shown the secret, and knows it, also after leaving. */
const knownTo = ({ created_by, rolled_at, rolled_by }: Key) => (rolled_at === null ? created_by : rolled_by)

const KnownTo = ({ email }: { readonly email: string | null }) => {
  const { merchantId } = useAccount()
  const words = useWords(texts)
  const people = useAtom(OwnApi.query("people", "list", { params: { merchant_id: merchantId }, reactivityKeys: shown }))
  if (email === null) return <span className="soft">–</span>
  const isHere = people._tag !== "Success" || people.value.data.data.some((person) => person.email === email)
  return (
    <span className="small">
      {email}
      {!isHere && <strong className="block">{words.left}</strong>}
    </span>
  )
}

const columns = (
  words: Texts,
  language: Language,
  { account }: Reader,
  actsOf: ActsOf | undefined
): ReadonlyArray<Column<Key>> => [
  ...columnsOf<Key>(apiKeys, language, {
    scopes: { cell: ({ scopes }) => <Scopes of={scopes} /> },
    last_used_at: {
      cell: ({ last_used_at, last_used_ip }) => (
        <>
          <Time at={last_used_at} none={words.never} />
          {last_used_ip !== null && (
            <span className="soft small block">
              {words.from} {last_used_ip}
            </span>
          )}
        </>
      )
    },
    expires_at: { cell: ({ expires_at }) => <Time at={expires_at} none={words.never} /> },
    name: {
      cell: ({ name, previous_ends }) => (
        <>
          {name}
          <OldEnds ends={previous_ends} says={words.oldUntil} />
        </>
      )
    },
    created_by: {
      text: (key) => knownTo(key) ?? "",
      cell: (key) => (account === undefined ? knownTo(key) : <KnownTo email={knownTo(key)} />)
    }
  }),
  ...(actsOf === undefined ? [] : [{ id: "acts", name: words.acts, cell: actsOf }])
]

type ActsOf = (key: Key) => React.ReactNode

/** The list for any reader. `actsOf`: the actions on a key. */
export const useKeys = (actsOf: ActsOf | undefined): ListBy<Key, ApiKeyQuery> => {
  const reader = useReader()
  const words = useWords(texts)
  const language = useLanguage()
  return {
    id: "keys",
    title: wordsIn(apiKeys.listing.label, language),
    columns: columns(words, language, reader, actsOf),
    ...reader.lists.keys,
    keyOf: ({ key_id }) => key_id,
    liveEvery: 30_000,
    empty: (
      <Empty title={words.emptyTitle}>
        <p>{words.empty}</p>
      </Empty>
    )
  }
}

const Keys = () => {
  const mayChange = personMayDo(useAccount().role, "api_keys.create")
  const list = useKeys(mayChange ? (key) => <KeyActs apiKey={key} /> : undefined)
  return <ObjectList list={{ ...list, acts: mayChange && <CreateKey />, above: <MainKey /> }} />
}

interface WithKey {
  readonly data: { readonly key: string; readonly previous_ends: ReadonlyArray<string> }
}

/** The new secret, and until when those before it work. */
const NewSecret = ({ data: { key, previous_ends } }: WithKey) => {
  const words = useWords(texts)
  return (
    <SecretOnce label={words.newKey} secret={key}>
      {previous_ends.length === 0 ? <p>{words.oldOver}</p> : <OldEnds ends={previous_ends} says={words.oldUntil} />}
    </SecretOnce>
  )
}

/** Ends the old secrets of a key, main or with scopes, while any works. */
const EndOld = <Done, E>(props: {
  readonly object: string
  readonly ends: ReadonlyArray<string>
  readonly end: Effect.Effect<Done, E, OwnApi>
}) => {
  const words = useWords(texts)
  if (props.ends.length === 0) return null
  return (
    <Act
      name={words.end}
      endangers={props.object}
      says={
        <>
          <p>{words.endSays}</p>
          <OldEnds ends={props.ends} says={words.oldUntil} />
        </>
      }
      run={() => act(OwnApi, props.end)}
    />
  )
}

const Overlap = () => {
  const words = useWords(texts)
  return <ChoiceField label={words.overlap} name="overlap" initial="60" choices={Object.entries(words.overlaps)} />
}

const overlapOf = (typed: FormData) => ({ overlap_minutes: Number(typed.get("overlap")) })

const MainKey = () => {
  const language = useLanguage()
  const { merchantId, mode, role } = useAccount()
  const words = useWords(texts)
  const params = { merchant_id: merchantId, mode }
  const object = `${words.main} · ${stateText(mode, language)}`
  const isOwner = personMayDo(role, "main_keys.reset")
  const found = useAtom(OwnApi.query("main_keys", "get", { params, reactivityKeys: shown }))
  const ends = lastOf(found)?.data.previous_ends ?? []
  const reset = (typed: FormData) =>
    OwnApi.use((client) =>
      Effect.flatMap(client.main_keys.reset({ params, payload: overlapOf(typed) }), ({ data: { key } }) =>
        Effect.map(client.main_keys.get({ params }), ({ data }) => ({ data: { ...data, key } }))
      )
    )
  return (
    <section className="card">
      <header className="head">
        <h2>{words.main}</h2>
        <div className="acts">
          {isOwner && (
            <EndOld
              object={object}
              ends={ends}
              end={OwnApi.use((client) => client.main_keys.endPrevious({ params }))}
            />
          )}
          <Act
            name={words.reset}
            endangers={object}
            notNow={isOwner ? undefined : words.onlyOwner}
            says={
              <>
                <p>{words.resetSays}</p>
                <p>{words.fresh}</p>
              </>
            }
            fields={<Overlap />}
            run={(typed) => act(OwnApi, reset(typed), 1)}
            result={(made: WithKey) => <NewSecret {...made} />}
          />
        </div>
      </header>
      <p className="soft">{words.mainSays}</p>
      <OldEnds ends={ends} says={words.oldUntil} />
    </section>
  )
}

// Creating one -------------------------------------------------------------------------

const lifetimes = { never: 0, month: 30, quarter: 90, year: 365 }

const text = (typed: FormData, name: string) => String(typed.get(name) ?? "").trim()

const bodyOf = (typed: FormData, mode: "sandbox" | "live") => {
  const days = lifetimes[text(typed, "lifetime") as keyof typeof lifetimes] ?? 0
  return {
    mode,
    name: text(typed, "name"),
    scopes: typed.getAll("scopes").map(String),
    ...(text(typed, "ip_allowlist") === "" ? {} : { ip_allowlist: text(typed, "ip_allowlist") }),
    ...(days === 0 ? {} : { expires_at: new Date(Date.now() + days * 86_400_000).toISOString() })
  }
}

const CreateKey = () => {
  const { merchantId, mode, role } = useAccount()
  const words = useWords(texts)
  return (
    <Act
      name={words.create}
      says={
        <>
          <p>{words.createSays}</p>
          {role !== "owner" && <p>{words.own}</p>}
          {mode === "live" && <p>{words.freshLive}</p>}
        </>
      }
      isPrimary
      fields={
        <>
          <TextField label={words.name} name="name" isRequired maxLength={100} hint={words.nameHint} />
          <ScopesTable mode={mode} held={scopesOfRole(role, mode)} />
          <ChoiceField
            label={words.expires}
            name="lifetime"
            choices={(["never", "month", "quarter", "year"] as const).map((each) => [each, words[each]])}
          />
          <TextField label={words.allowlist} name="ip_allowlist" hint={words.allowlistHint} />
        </>
      }
      run={(typed) =>
        act(
          OwnApi,
          OwnApi.use((client) =>
            client.api_keys.create({ params: { merchant_id: merchantId }, payload: sent(bodyOf(typed, mode)) })
          ),
          1
        )
      }
      result={({ data }: WithKey) => <SecretOnce label={words.newKey} secret={data.key} />}
    />
  )
}

// Acts with one ------------------------------------------------------------------------

const KeyActs = ({ apiKey }: { readonly apiKey: Key }) => {
  const { merchantId, role } = useAccount()
  const words = useWords(texts)
  const params = { merchant_id: merchantId, key_id: apiKey.key_id }
  if (apiKey.status !== "active") return null
  const isBeyond = lacking({ is: "person", role }, { is: "key", ...apiKey }).length > 0
  const notNow = isBeyond ? words.beyond : undefined
  return (
    <span className="acts">
      <Act
        object={apiKey.name}
        name={words.roll}
        notNow={notNow}
        says={
          <>
            <p>{words.rollSays}</p>
            {apiKey.mode === "live" && <p>{words.freshLive}</p>}
          </>
        }
        fields={<Overlap />}
        run={(typed) =>
          act(
            OwnApi,
            OwnApi.use((client) => client.api_keys.roll({ params, payload: overlapOf(typed) })),
            1
          )
        }
        result={(made: WithKey) => <NewSecret {...made} />}
      />
      <EndOld
        object={apiKey.name}
        ends={apiKey.previous_ends}
        end={OwnApi.use((client) => client.api_keys.endPrevious({ params }))}
      />
      <Act
        object={apiKey.name}
        name={words.change}
        isEdit
        notNow={notNow}
        says={apiKey.mode === "live" ? words.freshLive : undefined}
        fields={
          <>
            <TextField label={words.name} name="name" isRequired maxLength={100} initial={apiKey.name} />
            <TextField
              label={words.allowlist}
              name="ip_allowlist"
              hint={words.allowlistHint}
              initial={apiKey.ip_allowlist}
            />
          </>
        }
        run={(typed) =>
          act(
            OwnApi,
            OwnApi.use((client) =>
              client.api_keys.update({
                params,
                payload: { name: text(typed, "name"), ip_allowlist: text(typed, "ip_allowlist") }
              })
            )
          )
        }
      />
      <Act
        endangers={apiKey.name}
        name={words.revoke}
        says={words.revokeSays}
        run={() =>
          act(
            OwnApi,
            OwnApi.use((client) => client.api_keys.revoke({ params }))
          )
        }
      />
    </span>
  )
}

export default Keys
