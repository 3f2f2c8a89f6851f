/** The pages of operators: the whole installation, whatever merchant and environment. */
import { Role } from "@coffer/model/Role"
import { mayDo } from "@coffer/rules/people/mayDo"
import { useCallback, useMemo } from "react"
import { type AroundNavHandler, Link, Router, useLocation } from "wouter"
import { NotForRole } from "../parts/NotForRole.tsx"
import { PageRoutes, routesOf, useHeading } from "../parts/PageRoutes.tsx"
import { menuOf } from "../parts/menuOf.ts"
import { Part } from "../parts/Part.tsx"
import { Shell, type SignedIn } from "../parts/Shell.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { lookFor, placeOf } from "./find.ts"
import { OperatorContext, operatorOf } from "./operator.tsx"
import { operatorPages } from "./pages.ts"
import { ShownMode, useMode, useShownMode } from "./shownMode.ts"

const routes = routesOf(operatorPages)

const texts = {
  en: { search: "Search by ID, name or email", merchantPages: "Merchant console", operators: "Operators" },
  zh: { search: "按编号、名称或邮箱搜索", merchantPages: "商户控制台", operators: "运营方" }
}

const base = "/operator"

/** Links and searches carry the environment that is shown. */
const OperatorPages = (props: { readonly signedIn: SignedIn }) => {
  const { carry, mode } = useShownMode()
  const around: AroundNavHandler = useCallback((go, to, options) => go(carry(to), options), [carry])
  return (
    <Router hrefs={carry} aroundNav={around}>
      <ShownMode value={mode}>
        <Pages {...props} />
      </ShownMode>
    </Router>
  )
}

const Pages = ({ signedIn }: { readonly signedIn: SignedIn }) => {
  const words = useWords(texts)
  const language = useLanguage()
  const [path, go] = useLocation()
  const mode = useMode()
  useHeading(path)
  const { person } = signedIn
  const role = person.roles.find(({ merchant_id }) => merchant_id === null)?.role as Role
  const own = person.roles.find(({ merchant_id }) => merchant_id !== null)?.merchant_id ?? undefined
  const operator = useMemo(() => operatorOf(role, person.person_id, own), [role, person.person_id, own])
  const { may } = operator
  const nav = menuOf(operatorPages, language, ({ reads }) => may(reads))
  const place = (
    <div className="place">
      <strong>{words.operators}</strong>
      {own !== undefined && <Link href={`/${own}/${mode}`}>{words.merchantPages} →</Link>}
    </div>
  )
  return (
    <OperatorContext value={operator}>
      <Shell
        signedIn={signedIn}
        base={base}
        nav={nav}
        place={place}
        search={{
          label: words.search,
          look: (text) => lookFor(operator, text, language),
          onFind: (text) => go(placeOf(text))
        }}
      >
        <Part at={path}>
          <PageRoutes
            routes={routes}
            base={base}
            place={words.operators}
            sees={may}
            refused={(act) => (
              <NotForRole role={role} roles={Role.literals.filter((each) => mayDo(each, act))} people={[]} />
            )}
          />
        </Part>
      </Shell>
    </OperatorContext>
  )
}

export default OperatorPages
