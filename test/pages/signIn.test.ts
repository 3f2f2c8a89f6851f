/** The console's sign-in page in a real browser: by the link of a mail, and by a passkey of a virtual authenticator. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { findings } from "../kit/pages/axe.ts"
import { executable, needsChromium, openPage } from "../kit/pages/Browser.ts"
import { invite, linkIn } from "../kit/callers/console.ts"
import { mailServer } from "../kit/servers/MailServer.ts"
import { openIdProvider } from "../kit/servers/openIdProvider.ts"
import { freePort, start } from "../kit/Service.ts"

const email = "ada@shop.example"

const begin = Effect.fnUntraced(function* (env: Record<string, string> = {}, ownPort?: number) {
  const mails = yield* mailServer()
  const port = ownPort ?? (yield* freePort)
  const origin = `http://localhost:${port}`
  const running = yield* start({
    port,
    env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example", PUBLIC_URL: origin, ...env }
  })
  const { merchantId } = running.merchant
  const ada = yield* invite(running.api, mails, { email, merchant_id: merchantId, role: "owner" })
  // With `?manage` a person who has signed in stays on the page; without it the console opens.
  const entrance = `${origin}/console/sign-in`
  return { ...running, mails, origin, entrance, address: `${entrance}?manage`, ada, merchantId }
})

/** A page of a browser of its own. Its requests to others, and its lines on the console, are in `said`. */
const browser = Effect.fnUntraced(function* (options: Parameters<typeof openPage>[1] = {}) {
  const page = yield* openPage(undefined, options)
  const said: Array<string> = []
  // Chromium writes every refusal on the console.
  page.on("console", (message) => /status of 4/.test(message.text()) || said.push(message.text()))
  page.on("pageerror", (error) => said.push(error.message))
  page.on("request", (request) => {
    if (!/^(data:|http:\/\/localhost)/.test(request.url())) said.push(request.url())
  })
  return { page, said }
})

/** A device that knows its person, as far as it tells. */
const withAuthenticator = (page: Page, isUserVerified = true) =>
  Effect.promise(async () => {
    const session = await page.context().newCDPSession(page)
    await session.send("WebAuthn.enable")
    const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified,
        automaticPresenceSimulation: true
      }
    })
    return { session, authenticatorId }
  })

const askForLink = (page: Page, address: string) =>
  Effect.promise(async () => {
    await page.goto(address)
    await page.getByLabel("Email address").fill(email)
    await page.getByRole("button", { name: "Email me a sign-in link" }).click()
    await page.getByText("sent it a sign-in link").waitFor()
  })
const signedIn = (page: Page) => page.getByText("Signed in as").waitFor()

describe.skipIf(executable === undefined)(`the console's sign-in page${needsChromium}`, () => {
  it.live("signs in by a link, registers a passkey, and signs in with it in one press", () =>
    Effect.gen(function* () {
      const { address, mails } = yield* begin()
      const { page, said } = yield* browser()
      const { authenticatorId, session } = yield* withAuthenticator(page)
      yield* askForLink(page, address)
      const token = linkIn(yield* mails.mail(2))
      yield* Effect.promise(async () => {
        await page.goto(`${address}#${token}`)
        await signedIn(page)
        assert.strictEqual(page.url(), address)
        await page.getByLabel("Name for the new passkey").fill("My laptop")
        await page.getByRole("button", { name: "Add a passkey" }).click()
        await page.getByText("Passkey added").waitFor()
        await page.getByLabel("New name for My laptop").waitFor()
        await page.getByRole("button", { name: "Sign out" }).click()
        await page.getByText("You are signed out").waitFor()
        await page.getByRole("button", { name: "Sign in with a passkey" }).click()
        await signedIn(page)
        await page.getByText(email).waitFor()
        // It is one that names the person by itself.
        const { credentials } = await session.send("WebAuthn.getCredentials", { authenticatorId })
        assert.deepStrictEqual(
          credentials.map(({ isResidentCredential }) => isResidentCredential),
          [true]
        )
        await page.reload()
        await signedIn(page)
      })
      assert.deepStrictEqual(said, [])
    }).pipe(Effect.scoped)
  )

  it.live("leads to the page that was open before, and a person who is signed in already to the console", () =>
    Effect.gen(function* () {
      const { entrance, mails, merchantId, origin } = yield* begin()
      const { page } = yield* browser()
      const before = `${origin}/console/${merchantId}/sandbox/orders?status=paid`
      yield* Effect.promise(async () => {
        await page.goto(before)
        await page.waitForURL(entrance)
        await page.getByLabel("Email address").fill(email)
        await page.getByRole("button", { name: "Email me a sign-in link" }).click()
      })
      const token = linkIn(yield* mails.mail(2))
      yield* Effect.promise(async () => {
        await page.goto(`${entrance}#${token}`)
        await page.waitForURL(before)
        await page.goto(entrance)
        await page.getByRole("link", { name: "Open the console" }).click()
        await page.waitForURL(`${origin}/console/${merchantId}/sandbox`)
      })
    }).pipe(Effect.scoped)
  )

  it.live("leads to no address that is not a page of the console", () =>
    Effect.gen(function* () {
      const { address, entrance, mails, merchantId, origin } = yield* begin()
      const { page } = yield* browser()
      yield* withAuthenticator(page)
      yield* askForLink(page, address)
      const token = linkIn(yield* mails.mail(2))
      const elsewhere = [
        "https://evil.example/console/",
        "//evil.example/console/",
        "/\\evil.example/console/",
        "javascript:alert(1)//console/",
        "/console/../checkout/x",
        "/console/%2e%2e/checkout/x",
        "/console/sign-in?manage",
        "/consolexyz",
        "http://["
      ]
      yield* Effect.promise(async () => {
        await page.goto(`${address}#${token}`)
        await page.getByRole("button", { name: "Add a passkey" }).click()
        await page.getByText("Passkey added").waitFor()
        for (const then of elsewhere) {
          await page.goto(address)
          await page.getByRole("button", { name: "Sign out" }).click()
          await page.getByText("You are signed out").waitFor()
          await page.goto(entrance)
          await page.evaluate((value) => sessionStorage.setItem("coffer.then", value), then)
          await page.getByRole("button", { name: "Sign in with a passkey" }).click()
          await page.waitForURL(`${origin}/console/${merchantId}/sandbox`)
        }
      })
    }).pipe(Effect.scoped)
  )

  it.live("takes no passkey of a device that has not known its person", () =>
    Effect.gen(function* () {
      const { address, mails } = yield* begin()
      const { page } = yield* browser()
      yield* withAuthenticator(page, false)
      yield* askForLink(page, address)
      const token = linkIn(yield* mails.mail(2))
      yield* Effect.promise(async () => {
        await page.goto(`${address}#${token}`)
        await signedIn(page)
        await page.getByRole("button", { name: "Add a passkey" }).click()
        await page.getByText("The passkey was not added").waitFor()
      })
    }).pipe(Effect.scoped)
  )

  it.live("refuses a stolen link in the thief's browser, and a link that was used", () =>
    Effect.gen(function* () {
      const { address, mails } = yield* begin()
      const { page } = yield* browser()
      const { page: thief } = yield* browser()
      yield* askForLink(page, address)
      const token = linkIn(yield* mails.mail(2))
      yield* Effect.promise(async () => {
        await thief.goto(`${address}#${token}`)
        await thief.getByText("requested in another browser").waitFor()
        await page.goto(`${address}#${token}`)
        await signedIn(page)
        await page.getByRole("button", { name: "Sign out" }).click()
        await page.goto("about:blank")
        await page.goto(`${address}#${token}`)
        await page.getByText("This link has been used").waitFor()
      })
    }).pipe(Effect.scoped)
  )

  it.live("lets a person whose passkey is demanded register one and go on", () =>
    Effect.gen(function* () {
      const { address, api, mails, merchantId } = yield* begin({ DEMAND_PASSKEYS: "live" })
      yield* api.operator("POST", `/merchants/${merchantId}`, { approved: true })
      const { page } = yield* browser()
      yield* withAuthenticator(page)
      yield* askForLink(page, address)
      const token = linkIn(yield* mails.mail(2))
      yield* Effect.promise(async () => {
        await page.goto(`${address}#${token}`)
        await page.getByText("A passkey is required here. Add one").waitFor()
        await page.getByRole("button", { name: "Add a passkey" }).click()
        await page.getByText("Passkey added").waitFor()
        await page.getByRole("link", { name: "Open the console" }).waitFor()
        await page.reload()
        await signedIn(page)
        assert.isFalse(await page.getByText("A passkey is required here. Add one").isVisible())
        await page.getByRole("button", { name: "Remove Passkey" }).click()
        await page.getByText("this is your last one").waitFor()
        await page.getByLabel("New name for Passkey").waitFor()
      })
    }).pipe(Effect.scoped)
  )

  it.live("renames and removes a passkey by the keyboard alone, and axe finds nothing, in both languages", () =>
    Effect.gen(function* () {
      const { address, mails } = yield* begin()
      const { page, said } = yield* browser()
      yield* withAuthenticator(page)
      yield* askForLink(page, address)
      const token = linkIn(yield* mails.mail(2))
      yield* Effect.promise(async () => {
        await page.goto(`${address}#${token}`)
        await signedIn(page)
        await page.getByLabel("Name for the new passkey").fill("Old <b>laptop</b>")
        await page.getByRole("button", { name: "Add a passkey" }).click()
        const field = page.getByLabel("New name for Old <b>laptop</b>")
        await field.focus()
        await page.keyboard.press("ControlOrMeta+A")
        await page.keyboard.type("Key of Ada")
        await page.keyboard.press("Enter")
        await page.getByText("Passkey renamed").waitFor()
        for (const language of ["en", "zh"]) {
          await page.goto(`${address}&lang=${language}`)
          await page.getByRole("button", { name: "Key of Ada" }).first().waitFor()
          assert.deepStrictEqual(await findings(page, "light"), [], language)
          await page.emulateMedia({ colorScheme: "dark" })
          assert.deepStrictEqual(await findings(page, "dark"), [], language)
          await page.emulateMedia({ colorScheme: "light" })
        }
        await page.getByRole("button", { name: "移除 Key of Ada" }).focus()
        await page.keyboard.press("Enter")
        await page.getByText("通行密钥已移除").waitFor()
        assert.isTrue(await page.getByRole("status").evaluate((status) => status === document.activeElement))
        assert.strictEqual(await page.getByRole("listitem").count(), 0)
        await page.reload()
        await page.getByText("您已登录").waitFor()
        assert.strictEqual(await page.getByRole("button", { name: "移除" }).count(), 0)
      })
      assert.deepStrictEqual(said, [])
    }).pipe(Effect.scoped)
  )

  it.live("signs in at an OpenID provider of another site, and back", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const provider = yield* openIdProvider(`http://localhost:${port}/console/sign-in`)
      const { address, merchantId, origin } = yield* begin(provider.env, port)
      provider.accounts.set("ada", { email, email_verified: true })
      const { page } = yield* browser()
      yield* Effect.promise(async () => {
        await page.goto(address)
        await page.getByRole("button", { name: `Sign in with ${new URL(provider.issuer).host}` }).click()
        await page.locator("input[name=login]").fill("ada")
        await page.locator("input[name=password]").fill("any")
        await page.locator("button[type=submit]").click()
        // Neither the code nor the state stays in the address.
        await page.waitForURL(`${origin}/console/${merchantId}/sandbox`)
        await page.goto(address)
        await signedIn(page)
        // Another person's way back, sent to this browser, signs no one in.
        await page.getByRole("button", { name: "Sign out" }).click()
        await page.goto(`${address}&code=stolen&state=stolen`)
        await page.getByText("Sign-in failed. Use your passkey").waitFor()
      })
    }).pipe(Effect.scoped)
  )

  it.live("is Chinese in a Chinese browser, cannot be framed, and loads nothing from elsewhere", () =>
    Effect.gen(function* () {
      const { address } = yield* begin()
      const { page, said } = yield* browser({ locale: "zh-CN" })
      yield* Effect.promise(async () => {
        await page.goto(address)
        await page.getByRole("heading", { name: "登录 Coffer" }).waitFor()
        await page.getByRole("button", { name: "使用通行密钥登录" }).waitFor()
      })
      assert.deepStrictEqual(said, [])
      const { headers } = yield* Effect.promise(() => fetch(address))
      const policy = headers.get("content-security-policy")
      for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "connect-src 'self'"]) {
        assert.include(policy, rule)
      }
      assert.notInclude(policy, "unsafe")
      assert.deepStrictEqual(
        ["x-frame-options", "referrer-policy", "cache-control"].map((name) => headers.get(name)),
        ["DENY", "no-referrer", "no-store"]
      )
    }).pipe(Effect.scoped)
  )
})
