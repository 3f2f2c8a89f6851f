/**
 * A script by itself of one kilobyte, which runs while the other ones are on their way (0256): gives the frame in the
 * HTML its language and appearance, and asks for what each page asks for first. `api/remembering.ts` takes the answers.
 */
import { chosenLanguage, stored, tags } from "./parts/language.ts"
import { earlyReads } from "./api/early.ts"

const root = document.documentElement
root.lang = tags[chosenLanguage()]
const theme = stored("coffer.theme")
if (theme === "dark" || theme === "light") root.dataset["theme"] = theme
// Now it is known in which language its words are.
root.dataset["begun"] = ""

const ask = (path: string) => {
  const url = new URL(path, location.origin).href
  // A failure is that of the read which takes it.
  const answer = fetch(url, { headers: { "Coffer-Console": "1" } })
  answer.catch(() => undefined)
  earlyReads().set(url, answer)
}

ask("/console/api/session")
const [, merchantId, mode, page] = /^\/console\/(mer_\w+)\/(live|sandbox)(?:\/|$)(.*)/.exec(location.pathname) ?? []
if (merchantId !== undefined) {
  ask(`/console/api/merchants/${merchantId}/settings`)
  // The figures of the home page, for the days that it begins with.
  if (page === "" && location.search === "") ask(`/console/api/merchants/${merchantId}/overview?mode=${mode}&days=30`)
  // The document behind this script is already there, since the script is its end.
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".frame a[data-to]")) {
    link.href = `/console/${merchantId}/${mode}${link.dataset["to"]}`
  }
}
