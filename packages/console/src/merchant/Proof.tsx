/** Verifies a wallet's ledger in the merchant's own browser, with progress, stop and resume. */
import type { Link as ChainLink, Rule } from "@coffer/rules/wallet/chain"
import { useEffect, useRef, useState } from "react"
import { Link } from "wouter"
import { accountApi } from "../api/accountApi.ts"
import type { Problem } from "../api/acts.ts"
import { useAccount } from "../api/session.ts"
import { AsCode } from "../parts/AsCode.tsx"
import { Trouble, Waiting } from "../parts/states.tsx"
import { useWords } from "../parts/words.ts"
import { currencies } from "./moneyWords.ts"
import { type Finding, makeProof, type Progress, type Proof as Proving, readerOf } from "./verify.ts"
import { callOf } from "./MerchantAct.tsx"

const texts = {
  en: {
    title: "Verify the ledger",
    says:
      "Every row contains the hash of the row before it. Your browser reads all rows and recomputes every hash, " +
      "so any row that was changed, removed or inserted is found.",
    wallet: "Wallet",
    begin: "Verify in this browser",
    stop: "Stop",
    goOn: "Resume",
    again: "Verify again",
    read: "rows verified",
    of: "of",
    holds: "All rows are valid.",
    none: "This wallet has no rows yet.",
    remembered: "This browser remembers the newest row and checks for it next time. To compare it elsewhere:",
    broken: "Invalid row:",
    gone: "This row existed at the last verification and is now missing:",
    tell: "Report this row to the operator of the service.",
    insecure: "This browser can't compute hashes without HTTPS. Open the console over HTTPS, or use the command line:",
    rules: {
      1: "its hash does not match its text: the row was changed",
      2: "the previous row is missing, or rows were reordered",
      3: "it was not written after the row that now precedes it",
      4: "its text describes a different row",
      5: "its text does not match the ledger",
      6: "its hash differs from the one this browser remembers: the chain was rewritten"
    } satisfies Record<Rule, string>
  },
  zh: {
    title: "验证账本",
    says: "每条流水都包含前一条的哈希。您的浏览器会读取全部流水并重新计算每个哈希，可发现任何修改、删除或插入。",
    wallet: "钱包",
    begin: "在本浏览器中验证",
    stop: "停止",
    goOn: "继续",
    again: "重新验证",
    read: "行已验证",
    of: "/",
    holds: "全部流水验证通过。",
    none: "此钱包还没有流水。",
    remembered: "本浏览器会记住最新一条流水，并在下次验证时核对。如需在别处比对：",
    broken: "此流水未通过验证：",
    gone: "上次验证时存在的此流水已消失：",
    tell: "请将此流水告知平台运营方。",
    insecure: "此浏览器在非 HTTPS 页面上无法计算哈希。请通过 HTTPS 打开控制台，或使用命令行：",
    rules: {
      1: "哈希与内容不符：流水被修改过",
      2: "前一条流水缺失，或顺序被改动",
      3: "它并非写在当前的前一条之后",
      4: "其内容描述的是另一条流水",
      5: "其内容与账本不符",
      6: "哈希与本浏览器记住的不同：哈希链被重写过"
    } satisfies Record<Rule, string>
  }
}
type Texts = typeof texts.en
type Currency = (typeof currencies)[number]

type Kept = Pick<ChainLink, "hash" | "id">

const storedKept = (name: string): Kept | undefined => {
  const [id, hash] = localStorage.getItem(name)?.split("=") ?? []
  return id !== undefined && hash !== undefined ? { id, hash } : undefined
}

export const Proof = ({ initial }: { readonly initial: Currency }) => {
  const words = useWords(texts)
  const [currency, setCurrency] = useState<Currency>(initial)
  return (
    <details className="card fold proof">
      <summary>
        <h2>{words.title}</h2>
      </summary>
      <div className="stack">
        <p className="soft">{words.says}</p>
        <div className="field">
          <label htmlFor="wallet">{words.wallet}</label>
          <select id="wallet" value={currency} onChange={(event) => setCurrency(event.target.value as Currency)}>
            {currencies.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </div>
        {globalThis.crypto.subtle === undefined ? (
          <p>
            {words.insecure} <code>coffer ledger verify --currency {currency}</code>
          </p>
        ) : (
          <Prover key={currency} currency={currency} words={words} />
        )}
        <AsCode
          call={callOf(
            "balance.chain",
            { params: { currency }, query: { limit: "100" } },
            `ledger verify --currency ${currency}`
          )}
        />
      </div>
    </details>
  )
}

const Prover = ({ currency, words }: { readonly currency: Currency; readonly words: Texts }) => {
  const account = useAccount()
  const [progress, setProgress] = useState<Progress>()
  const [wait, setWait] = useState<number>()
  const [found, setFound] = useState<Finding>()
  const [problem, setProblem] = useState<Problem>()
  const [isRunning, setRunning] = useState(false)
  const proof = useRef<Proving>(undefined)
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const name = `coffer.ledger.${account.merchantId}.${account.mode}.${currency}`

  const run = () => {
    proof.current ??= makeProof(readerOf(accountApi(account), currency), storedKept(name))
    stop.current = new AbortController()
    setRunning(true)
    setProblem(undefined)
    setFound(undefined)
    void proof.current.run(setProgress, { signal: stop.current.signal, onWait: setWait }).then((result) => {
      setRunning(false)
      if (result === "stopped") return
      if ("kind" in result) return setProblem(result)
      setFound(result)
      proof.current = undefined
      if (result.holds && result.head !== undefined) {
        localStorage.setItem(name, `${result.head.id}=${result.head.hash}`)
      }
    })
  }
  const isBegun = proof.current !== undefined
  return (
    <>
      {progress !== undefined && (
        <>
          <progress value={progress.done} max={progress.total ?? 1} aria-label={words.title} />
          <p role="status">
            {progress.done.toLocaleString()} {words.of} {(progress.total ?? 0).toLocaleString()} {words.read}{" "}
            <Waiting seconds={wait} />
          </p>
        </>
      )}
      {problem !== undefined && <Trouble problem={problem} />}
      {found !== undefined && <Verdict found={found} words={words} />}
      <div className="buttons">
        {isRunning ? (
          <button type="button" className="button quiet" onClick={() => stop.current?.abort()}>
            {words.stop}
          </button>
        ) : (
          <button type="button" className="button" onClick={run}>
            {isBegun ? words.goOn : found === undefined ? words.begin : words.again}
          </button>
        )}
      </div>
    </>
  )
}

const Verdict = ({ found, words }: { readonly found: Finding; readonly words: Texts }) => {
  const { base } = useAccount()
  if (found.holds) {
    if (found.head === undefined) return <p role="status">{words.none}</p>
    return (
      <div className="note holds" role="status">
        <p>
          <strong>✓ {words.holds}</strong>
        </p>
        <p className="small soft">{words.remembered}</p>
        <p className="small">
          <code>
            {found.head.id}={found.head.hash}
          </code>
        </p>
      </div>
    )
  }
  const id = "broken" in found ? found.broken.id : found.gone
  return (
    <div className="trouble" role="alert">
      <p>
        <strong>{"broken" in found ? words.broken : words.gone}</strong>{" "}
        <Link href={`${base}/ledger/${id}`}>
          <code>{id}</code>
        </Link>
      </p>
      {"broken" in found && <p>{words.rules[found.broken.rule]}</p>}
      <p>{words.tell}</p>
    </div>
  )
}
