/** The pages of operators: the whole installation, whatever merchant and environment. */
import { Role } from "@coffer/model/Role"
import { mayDo } from "@coffer/rules/people/mayDo"
import { useMemo } from "react"
import { Link, useLocation } from "wouter"
import { NotForRole } from "../parts/NotForRole.tsx"
import { PageRoutes, routesOf, useHeading } from "../parts/PageRoutes.tsx"
import { menuOf } from "../parts/menuOf.ts"
import { Part } from "../parts/Part.tsx"
import { Shell, type SignedIn } from "../parts/Shell.tsx"
import { useLanguage, useWords } from "../parts/words.ts"
import { lookFor, placeOf } from "./find.ts"
import { OperatorContext, operatorOf } from "./operator.tsx"
import { operatorPages } from "./pages.ts"

const routes = routesOf(operatorPages)

const texts = {
  en: { search: "Search by ID, name or email", merchantPages: "Merchant console", operators: "Operators" },
  zh: { search: "按编号、名称或邮箱搜索", merchantPages: "商户控制台", operators: "运营方" }
}

const base = "/operator"

const OperatorPages = ({ signedIn }: { readonly signedIn: SignedIn }) => {
  const words = useWords(texts)
  const language = useLanguage()
  const [path, go] = useLocation()
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
      {own !== undefined && <Link href={`/${own}/sandbox`}>{words.merchantPages} →</Link>}
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
