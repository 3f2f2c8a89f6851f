/**
 * Whether a GET of a payment link is a person's visit or comes from a link previewer, which must not use the link up
 * (silences: L4). A person who is mistaken for a program has to press one more button, which makes the order.
 */
import type { HttpServerRequest } from "effect/http"

/** `isSecure`: browsers reach this service by HTTPS. `isLimited`: the link can be used up. */
interface Visited {
  readonly isSecure: boolean
  readonly isLimited: boolean
}

export const looksAhead = (
  { headers, method }: Pick<HttpServerRequest.HttpServerRequest, "headers" | "method">,
  { isLimited, isSecure }: Visited
): boolean => {
  const agent = headers["user-agent"] ?? ""
  const purpose = `${headers["sec-purpose"]} ${headers["purpose"]} ${headers["x-purpose"]} ${headers["x-moz"]}`
  return (
    method === "HEAD" ||
    /prefetch|prerender|preview/i.test(purpose) ||
    // An image, a frame or a script, not a page that a person opens.
    (headers["sec-fetch-dest"] ?? "document") !== "document" ||
    previewers.test(agent) ||
    (isLimited && isSecure && headers["sec-fetch-mode"] === undefined && sendsFetchMode.test(agent))
  )
}

/**
 * By HTTPS these browsers send how a page is opened. A program with their User-Agent, such as many mail scanners, does
 * not. The versions have three digits; the headers are older.
 */
const sendsFetchMode = /\b(?:Chrome|Firefox)\/\d{3}/

/**
 * Names of programs as they appear in their user agents: whole words, since there are phones called CUBOT, and apps
 * whose own browsers name the app. A user agent with a page about itself (`+https://`) is also a program's.
 */
const names = [
  // Messengers and social networks that preview links.
  "facebookexternalhit|facebookcatalog|Facebot|meta-externalagent|meta-externalfetcher|meta-webindexer",
  "Twitterbot|LinkedInBot|Slackbot|Slackbot-LinkExpanding|Slack-ImgProxy|Discordbot|TelegramBot|redditbot",
  "Pinterestbot|Snap URL Preview Service|SkypeUriPreview|line-poker|kakaotalk-scrap|vkShare|OdklBot",
  "Bluesky Cardyb|DingTalkBot-LinkService|Mattermost-Bot|Quora Link Preview|Quora-Bot|XING-contenttabreceiver",
  "FlipboardProxy|Iframely|Embedly|BitlyBot",
  // Search engines, and crawlers for training.
  "Googlebot|Googlebot-Image|Googlebot-Video|Googlebot-News|GoogleOther|Google-InspectionTool|Google-Safety",
  "Google-PageRenderer|Google-Read-Aloud|Google-Site-Verification|Storebot-Google|AdsBot-Google|AdsBot-Google-Mobile",
  "Mediapartners-Google|APIs-Google|FeedFetcher-Google|GoogleImageProxy|Chrome-Lighthouse",
  "bingbot|BingPreview|MicrosoftPreview|adidxbot|msnbot|Applebot|SeznamBot",
  "YandexBot|YandexMobileBot|YandexImages|YandexRenderResourcesBot",
  "Baiduspider|Baiduspider-render|Sogou web spider|360Spider|YisouSpider|PetalBot|Bytespider|TikTokSpider",
  "Yahoo! Slurp|YahooMailProxy|DuckDuckBot|DuckAssistBot|Qwantbot|Mail\\.RU_Bot|archive\\.org_bot|CCBot|Amazonbot",
  "GPTBot|ChatGPT-User|OAI-SearchBot|ClaudeBot|Claude-User|PerplexityBot|Perplexity-User",
  "AhrefsBot|SemrushBot|MJ12bot|DotBot",
  // Mail: scanners of links.
  "ms-office|MSOffice|Microsoft Office Existence Discovery|Barracuda Sentinel|BarracudaCentral|CiscoSecureEmail",
  "Mimecast|Proofpoint"
].join("|")

const previewers = new RegExp(
  [
    `(?<![\\w-])(?:${names})(?![\\w-])`,
    // Their apps send these words as well, later in the User-Agent.
    "^WhatsApp/\\d",
    "^Pinterest/0",
    "\\+https?://"
  ].join("|"),
  "i"
)
