/** The merchant by name, and the switch of merchant and environment. */
import { Link, useLocation } from "wouter"
import { lastOf, useAtom } from "../api/registry.ts"
import { settingsAtom, useAccount } from "../api/session.ts"
import type { SignedIn } from "../parts/Shell.tsx"
import { useWords } from "../parts/words.ts"

const texts = {
  en: { merchant: "Merchant", environment: "Environment", sandbox: "Sandbox", live: "Live", operators: "Operators" },
  zh: { merchant: "商户", environment: "环境", sandbox: "沙盒", live: "正式", operators: "运营方" }
}

const useName = (id: string): string | undefined => lastOf(useAtom(settingsAtom(id)))?.data.name

const Merchant = ({ id }: { readonly id: string }) => <option value={id}>{useName(id) ?? id}</option>

const Name = ({ id }: { readonly id: string }) => <strong title={id}>{useName(id) ?? ""}</strong>

export const Place = ({ signedIn }: { readonly signedIn: SignedIn }) => {
  const { merchantId, mode } = useAccount()
  const words = useWords(texts)
  const [path, go] = useLocation()
  const { roles } = signedIn.person
  const merchants = roles.flatMap(({ merchant_id }) => (merchant_id === null ? [] : [merchant_id]))
  const page = path.split("/")[3] ?? ""
  return (
    <div className="place">
      {merchants.length === 1 && <Name id={merchantId} />}
      {merchants.length > 1 && (
        <select
          aria-label={words.merchant}
          value={merchantId}
          onChange={(event) => go(`/${event.target.value}/${mode}`)}
        >
          {merchants.map((id) => (
            <Merchant key={id} id={id} />
          ))}
        </select>
      )}
      <div className="switch" role="group" aria-label={words.environment}>
        {(["sandbox", "live"] as const).map((each) => (
          <Link
            key={each}
            href={`/${merchantId}/${each}/${page}`}
            aria-current={each === mode ? "true" : undefined}
            className={each}
          >
            {words[each]}
          </Link>
        ))}
      </div>
      {roles.some(({ merchant_id }) => merchant_id === null) && (
        <Link href={`/operator?mode=${mode}`}>{words.operators} →</Link>
      )}
    </div>
  )
}
