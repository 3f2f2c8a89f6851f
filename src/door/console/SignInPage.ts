/**
 * The console's sign-in page: by a link that comes by mail, by a passkey, which is registered here too, or at an OpenID
 * provider. A static page; its script asks who is signed in. The policy allows exactly that script, by its hash.
 */
import { HttpServerResponse } from "effect/http"
import { html } from "../../shared/pages/html.ts"
import { type Language, languages, tags } from "../../shared/pages/language.ts"
import { layout, marks } from "../../shared/pages/layout.ts"
import { pageScript } from "../../shared/pages/pageScript.ts"
import { headers, headersIn, policy, respondWith } from "../../shared/pages/respond.ts"
import * as signingIn from "./browser/signingIn.ts"

const { allowed, element: script } = pageScript([signingIn], [signingIn.begin])

export const signInHeaders = {
  ...headers,
  "content-security-policy": policy([`script-src ${allowed}`, "connect-src 'self'"]),
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "publickey-credentials-get=(self), publickey-credentials-create=(self)"
}

/** The ways to sign in besides a link. */
export interface Ways {
  /** The console's own address for signing in. */
  readonly origin: string
  readonly passkeys: boolean
  /** The OpenID provider; undefined: none. */
  readonly openId: string | undefined
}

export const respondSignIn = (ways: Ways, language: Language): HttpServerResponse.HttpServerResponse =>
  respondWith(renderSignIn(ways, language), 200, { ...signInHeaders, ...headersIn(language) })

const en = {
  title: "Sign in to Coffer",
  email: "Email address",
  send: "Email me a sign-in link",
  or: "or",
  passkey: "Sign in with a passkey",
  openId: "Sign in with",
  signedIn: "Signed in as",
  open: "Open the console",
  passkeys: "Your passkeys",
  name: "Name for the new passkey",
  add: "Add a passkey",
  newName: "New name for",
  rename: "Rename",
  remove: "Remove",
  leave: "Sign out",
  footer: "Coffer",
  script: "This page needs JavaScript.",
  atOtherName: "You can only sign in at this service's own address:",
  notices: {
    sent:
      "If an account uses this address, we've sent it a sign-in link. The link works once, in this browser, for " +
      "15 minutes.",
    linkFailed: "This link has been used, has expired, or was requested in another browser. Request a new one here.",
    passkeyFailed: "Passkey sign-in failed. Try again, or request a link.",
    openIdFailed:
      "Sign-in failed. Use your passkey if you have one, try again, or check with your administrator that you " +
      "have access.",
    openIdAway: "That service is not responding. Try again in a moment, or request a link.",
    passkeyDemanded: "A passkey is required here. Sign in with yours.",
    needsPasskey: "A passkey is required here. Add one to continue.",
    tooOld: "You signed in more than 15 minutes ago. To change your passkeys, sign out and sign in again.",
    addFailed: "The passkey was not added. You may have added it already.",
    added: "Passkey added. You can now sign in with it.",
    renamed: "Passkey renamed.",
    removed: "Passkey removed. Other sessions opened with it have ended. Delete it on your device too.",
    lastStays: "A passkey is required here, and this is your last one. Add another one first.",
    gone: "This passkey no longer exists.",
    signedOut: "You are signed out.",
    notAnAddress: "Enter one email address, such as name@shop.example.",
    tooOften: "Too many attempts from your network. Wait a minute.",
    failed: "Something went wrong. Check your connection and try again."
  }
}
type Texts = typeof en

const zh: Texts = {
  title: "登录 Coffer",
  email: "您的电子邮箱",
  send: "发送登录链接",
  or: "或",
  passkey: "使用通行密钥登录",
  openId: "登录方式：",
  signedIn: "您已登录：",
  open: "打开控制台",
  passkeys: "您的通行密钥",
  name: "新通行密钥的名称",
  add: "添加通行密钥",
  newName: "新名称：",
  rename: "重命名",
  remove: "移除",
  leave: "退出登录",
  footer: "Coffer",
  script: "此页面需要 JavaScript。",
  atOtherName: "只能通过本服务的指定地址登录：",
  notices: {
    sent: "如果该邮箱已注册，登录链接已发出。请在 15 分钟内于此浏览器中打开。链接只能使用一次。",
    linkFailed: "该链接已使用、已过期，或是在其他浏览器中申请的。请在此重新获取。",
    passkeyFailed: "通行密钥登录失败。请重试，或获取登录链接。",
    openIdFailed: "登录失败。如有通行密钥请使用通行密钥登录，或重试，或向管理员确认您是否有访问权限。",
    openIdAway: "该服务没有响应。请稍后重试，或获取登录链接。",
    passkeyDemanded: "此系统要求使用通行密钥登录，请使用您的通行密钥。",
    needsPasskey: "此系统要求使用通行密钥，请先添加通行密钥再继续。",
    tooOld: "您登录已超过 15 分钟。请退出后重新登录，再更改通行密钥。",
    addFailed: "未能添加通行密钥。您可能已经添加过它。",
    added: "通行密钥已添加，今后可用它登录。",
    renamed: "通行密钥已重命名。",
    removed: "通行密钥已移除，由它登录的其他会话已退出。请同时在设备上删除它。",
    lastStays: "此系统要求使用通行密钥，这是您的最后一个。请先添加另一个。",
    gone: "该通行密钥已不存在。",
    signedOut: "您已退出登录。",
    notAnAddress: "请输入一个电子邮箱地址，例如 name@shop.example。",
    tooOften: "您的网络尝试次数过多，请一分钟后再试。",
    failed: "操作失败。请检查网络后重试。"
  }
}

const zhHant: Texts = {
  title: "登入 Coffer",
  email: "您的電子郵件",
  send: "傳送登入連結",
  or: "或",
  passkey: "使用通行密鑰登入",
  openId: "登入方式：",
  signedIn: "您已登入：",
  open: "開啟控制台",
  passkeys: "您的通行密鑰",
  name: "新通行密鑰的名稱",
  add: "新增通行密鑰",
  newName: "新名稱：",
  rename: "重新命名",
  remove: "移除",
  leave: "登出",
  footer: "Coffer",
  script: "此頁面需要 JavaScript。",
  atOtherName: "只能透過本服務的指定地址登入：",
  notices: {
    sent: "如果該電子郵件已註冊，登入連結已發出。請在 15 分鐘內於此瀏覽器中開啟。連結只能使用一次。",
    linkFailed: "該連結已使用、已過期，或是在其他瀏覽器中申請的。請在此重新取得。",
    passkeyFailed: "通行密鑰登入失敗。請重試，或取得登入連結。",
    openIdFailed: "登入失敗。如有通行密鑰請使用通行密鑰登入，或重試，或向管理員確認您是否有存取權限。",
    openIdAway: "該服務沒有回應。請稍後重試，或取得登入連結。",
    passkeyDemanded: "此系統要求使用通行密鑰登入，請使用您的通行密鑰。",
    needsPasskey: "此系統要求使用通行密鑰，請先新增通行密鑰再繼續。",
    tooOld: "您登入已超過 15 分鐘。請登出後重新登入，再更改通行密鑰。",
    addFailed: "未能新增通行密鑰。您可能已經新增過它。",
    added: "通行密鑰已新增，今後可用它登入。",
    renamed: "通行密鑰已重新命名。",
    removed: "通行密鑰已移除，由它登入的其他工作階段已退出。請同時在裝置上刪除它。",
    lastStays: "此系統要求使用通行密鑰，這是您的最後一個。請先新增另一個。",
    gone: "該通行密鑰已不存在。",
    signedOut: "您已登出。",
    notAnAddress: "請輸入一個電子郵件地址，例如 name@shop.example。",
    tooOften: "您的網路嘗試次數過多，請一分鐘後再試。",
    failed: "操作失敗。請檢查網路後重試。"
  }
}

const texts: Readonly<Record<Language, Texts>> = { en, zh, "zh-Hant": zhHant }
/** As their readers write them. */
const names: Readonly<Record<Language, string>> = { en: "English", zh: "简体中文", "zh-Hant": "繁體中文" }

export const renderSignIn = (ways: Ways, language: Language): string => {
  const words = texts[language]
  const others = languages.filter((each) => each !== language)
  return layout({
    language,
    title: words.title,
    script,
    footer: words.footer,
    top: html`<nav class="languages">
      ${others.map(
        (each) =>
          html`<a class="switch" href="?lang=${each}" hreflang="${tags[each]}" lang="${tags[each]}">${names[each]}</a> `
      )}
    </nav>`,
    main: html`
      <section class="card stack" data-origin="${ways.origin}">
        <h1>${words.title}</h1>
        <div role="status" tabindex="-1">
          ${Object.entries(words.notices).map(([name, text]) => html`<p hidden data-notice="${name}">${text}</p>`)}
          <p hidden data-notice="atOtherName">
            ${words.atOtherName} <a href="${ways.origin}/console">${ways.origin}/console</a>
          </p>
        </div>
        <noscript><p>${words.script}</p></noscript>
        ${guest(words, ways)} ${person(words, ways)}
      </section>
    `
  })
}

const guest = (words: Texts, { openId, passkeys }: Ways) => html`
  <div class="stack" hidden data-part="guest">
    <form class="stack">
      <div class="field">
        <label class="label" for="email">${words.email}</label>
        <input
          id="email"
          name="email"
          type="text"
          inputmode="email"
          autocapitalize="off"
          spellcheck="false"
          autocomplete="username"
          required
          maxlength="254"
        />
      </div>
      <button class="button">${words.send}</button>
    </form>
    ${passkeys || openId !== undefined ? html`<p class="or">${words.or}</p>` : undefined}
    ${passkeys ? html`<button class="button quiet" type="button" value="passkey">${words.passkey}</button>` : undefined}
    ${
      openId === undefined
        ? undefined
        : html`<button class="button quiet" type="button" value="openid">${words.openId} <bdi>${openId}</bdi></button>`
    }
  </div>
`

const person = (words: Texts, { passkeys }: Ways) => html`
  <div class="stack" hidden data-part="person">
    ${marks.good}
    <p>${words.signedIn} <bdi data-email></bdi></p>
    <a class="button" href="/console" data-open>${words.open}</a>
    ${
      passkeys
        ? html`<h2 class="label">${words.passkeys}</h2>
            <ul class="stack" data-passkeys></ul>
            <template>
              <li class="stack">
                <form class="stack">
                  <div class="field">
                    <label class="label">${words.newName} <bdi></bdi></label>
                    <input name="passkey" required maxlength="60" autocomplete="off" />
                  </div>
                  <button class="button quiet">${words.rename} <bdi></bdi></button>
                  <button class="button quiet" type="button" value="remove">${words.remove} <bdi></bdi></button>
                </form>
              </li>
            </template>
            <div class="field">
              <label class="label" for="name">${words.name}</label>
              <input id="name" name="name" maxlength="60" autocomplete="off" />
            </div>
            <button class="button" type="button" value="add">${words.add}</button>`
        : undefined
    }
    <button class="button quiet" type="button" value="leave">${words.leave}</button>
  </div>
`
