/** The pages of a merchant in one environment. */
import { PersonRole } from "@coffer/model/PersonRole"
import { useMemo } from "react"
import { useLocation } from "wouter"
import { shown } from "../api/acts.ts"
import { OwnApi } from "../api/clients.ts"
import { lastOf, useAtom } from "../api/registry.ts"
import { AccountContext, inAccount, settingsAtom, useAccount } from "../api/session.ts"
import { aheadIn, AheadContext } from "../parts/accountClock.ts"
import { NotForRole } from "../parts/NotForRole.tsx"
import { PageRoutes, routesOf, useHeading } from "../parts/PageRoutes.tsx"
import { menuOf } from "../parts/menuOf.ts"
import { Part } from "../parts/Part.tsx"
import { Shell, type SignedIn } from "../parts/Shell.tsx"
import { Trouble } from "../parts/states.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { Bell } from "./Bell.tsx"
import { placeOf } from "./find.ts"
import { merchantPages } from "./pages.ts"
import { type MerchantRead, maySee } from "./maySee.ts"
import { Place } from "./Place.tsx"

const routes = routesOf(merchantPages)
const routesOfLive = routes.filter(({ isOfSandbox }) => isOfSandbox !== true)

const texts = {
  en: { search: "Search orders, amounts, emails, numbers", sandbox: "Sandbox", live: "Live" },
  zh: { search: "搜索订单、金额、邮箱、编号", sandbox: "沙盒", live: "正式环境" }
}

/** What a search has found is drawn by a module of its own. */
const matches = () => import("./matches.tsx")

interface Props {
  readonly signedIn: SignedIn
  readonly merchantId: string
  readonly mode: "sandbox" | "live"
}

const MerchantPages = ({ merchantId, mode, signedIn }: Props) => {
  const words = useWords(texts)
  const language = useLanguage()
  const [path, go] = useLocation()
  useHeading(path)
  const role = signedIn.person.roles.find(({ merchant_id }) => merchant_id === merchantId)?.role as
    | PersonRole
    | undefined
  const account = useMemo(
    () => (role === undefined ? undefined : inAccount({ merchantId, mode }, role)),
    [merchantId, mode, role]
  )
  const ahead = useMemo(() => aheadIn(settingsAtom(merchantId), mode), [merchantId, mode])
  if (account === undefined) {
    return <Trouble problem={{ kind: "refused", code: "merchant_not_found", message: "", requestId: "" }} />
  }
  const { base } = account
  const nav = menuOf(
    merchantPages,
    language,
    ({ isOfSandbox, reads }) => maySee(account, reads) && (mode === "sandbox" || isOfSandbox !== true)
  )
  return (
    <AccountContext value={account}>
      <AheadContext value={ahead}>
        <Shell
          signedIn={signedIn}
          mode={mode}
          base={base}
          nav={nav}
          place={<Place signedIn={signedIn} />}
          bell={<Bell />}
          search={{
            label: words.search,
            look: (text) =>
              matches().then(
                ({ matchOptions }) => matchOptions(account, text, language),
                () => []
              ),
            onFind: (text) =>
              void matches()
                .then(({ findPlace }) => findPlace(account, text))
                .then(
                  (at) => go(`${base}${at}`),
                  () => go(`${base}${placeOf(text)}`)
                )
          }}
        >
          <Part at={path}>
            <PageRoutes
              routes={mode === "sandbox" ? routes : routesOfLive}
              base={base}
              place={words[mode]}
              sees={(act) => maySee(account, act)}
              refused={(act) => <AskPeople act={act} />}
            />
          </Part>
        </Shell>
      </AheadContext>
    </AccountContext>
  )
}

/** A page that the role may not see, with the people of the merchant whose roles may. */
const AskPeople = ({ act }: { readonly act: MerchantRead }) => {
  const { merchantId, mode, role } = useAccount()
  const found = useAtom(OwnApi.query("people", "list", { params: { merchant_id: merchantId }, reactivityKeys: shown }))
  const roles = PersonRole.literals.filter((each) => maySee(inAccount({ merchantId, mode }, each), act))
  const people = (lastOf(found)?.data.data ?? []).filter((person) =>
    person.roles.some((each) => each.merchant_id === merchantId && roles.some((name) => name === each.role))
  )
  return <NotForRole role={role} roles={roles} people={people} />
}

export default MerchantPages
