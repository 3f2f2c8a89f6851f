/**
 * The script of the pages for buyers. It is inline, so that nobody waits for it. The page's policy allows exactly this
 * text, by its hash. Without it everything can be paid by card and by wallet as well.
 */
import { Html } from "../pages/html.ts"
import { headers, policy } from "../pages/respond.ts"
import { sha256 } from "../platform/runtime/Secrets.ts"
import * as cardTyping from "./browser/cardTyping.ts"
import * as following from "./browser/following.ts"
import * as printing from "./browser/printing.ts"
import * as sending from "./browser/sending.ts"

/** The functions as they are written, without indentation and comments: each knows the others by their names. */
const functions = [cardTyping, following, printing, sending].flatMap((module) => Object.values(module).map(String))

const source = `(() => {
"use strict"
${functions.join("\n")}
listen()
begin()
follow()
offerPrint()
})()`
  .replace(/^[ \t]+/gm, "")
  .replace(/^(\/\/|\/\*\*).*\n/gm, "")

/** Not escaped, so nothing of an order may ever be put into it. */
export const script = new Html(`<script>${source}</script>`)

/** The source expression of this text for the Content-Security-Policy. */
const scriptSource = `'sha256-${Buffer.from(sha256(source), "hex").toString("base64")}'`

/** For pages with the script, which asks the page's own address and no other. */
export const checkoutHeaders = {
  ...headers,
  "content-security-policy": policy([`script-src ${scriptSource}`, "connect-src 'self'"])
}
