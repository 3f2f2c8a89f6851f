/**
 * Starts the console: finds the signed-in person, and shows the pages of the account or the installation in the
 * address.
 */
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { render } from "preact"
import { useEffect } from "react"
import { Redirect, Route, Router, Switch, useLocation } from "wouter"
import { registry, useAtom } from "./api/registry.ts"
import { sessionAtom, useReturn } from "./api/session.ts"
import { Invitations } from "./parts/Invitations.tsx"
import { page, Part } from "./parts/Part.tsx"
import { Loaded, Skeleton } from "./parts/states.tsx"
import { guardMenus } from "./parts/menus.ts"
import { Toasts } from "./parts/toasts.tsx"
import { guardTyping } from "./parts/typing.ts"
import { beginDocument, languageAtom, loadCharacters, useWords } from "./parts/words.ts"

const MerchantPages = page(() => import("./merchant/MerchantPages.tsx"))
const OperatorPages = page(() => import("./operator/OperatorPages.tsx"))

const texts = {
  en: {
    title: "Welcome",
    nothing: "You don't have a role yet. Accept an invitation, or ask a merchant's owner or an operator to invite you."
  },
  zh: { title: "欢迎", nothing: "您还没有任何角色。请接受邀请，或联系商户所有者或平台运营方邀请您。" }
}

const Console = () => {
  const session = useAtom(sessionAtom)
  const words = useWords(texts)
  const [path] = useLocation()
  useTop()
  useReturn()
  return (
    <Loaded result={session} isFrame>
      {({ data }) => {
        if (data.needs_passkey) {
          location.assign("/console/sign-in")
          return <Skeleton />
        }
        const { roles } = data.person
        const [first] = roles.flatMap(({ merchant_id }) => (merchant_id === null ? [] : [merchant_id]))
        const isOperator = roles.some(({ merchant_id }) => merchant_id === null)
        const begin = isOperator ? "/operator" : first !== undefined ? `/${first}/sandbox` : undefined
        if (begin === undefined)
          return (
            <Part at={path}>
              <main className="alone stack">
                <h1>{words.title}</h1>
                <p>{words.nothing}</p>
                <Invitations />
              </main>
            </Part>
          )
        return (
          <Part at={path}>
            <Invitations />
            <Switch>
              <Route path="/operator/*?">
                {isOperator ? <OperatorPages signedIn={data} /> : <Redirect to={begin} />}
              </Route>
              <Route path="/:merchant/:mode/*?">
                {({ merchant, mode }) =>
                  mode === "sandbox" || mode === "live" ? (
                    <MerchantPages key={`${merchant}/${mode}`} signedIn={data} merchantId={merchant} mode={mode} />
                  ) : (
                    <Redirect to={begin} />
                  )
                }
              </Route>
              <Route>
                <Redirect to={begin} />
              </Route>
            </Switch>
          </Part>
        )
      }}
    </Loaded>
  )
}

/** A new page begins at its top. */
const useTop = () => {
  const [path] = useLocation()
  useEffect(() => {
    // React would take the promise for a cleanup function.
    void scrollTo(0, 0)
  }, [path])
}

beginDocument()
guardTyping()
guardMenus()
const root = document.querySelector("#console")!
const begin = () => {
  root.replaceChildren()
  render(
    <Router base="/console">
      <Console />
      <Toasts />
    </Router>,
    root
  )
}
const language = registry.get(languageAtom)
const ready = language === "zh-Hant" ? loadCharacters(language) : undefined
// The frame in the HTML has a menu that leads on, so it stays until it is known who is signed in.
let isBegun = false
registry.subscribe(
  sessionAtom,
  (session) => {
    if (isBegun || AsyncResult.isInitial(session)) return
    isBegun = true
    if (ready === undefined) begin()
    else void ready.then(begin)
  },
  { immediate: true }
)
