/** The findings of `axe-core` on a page. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Serious and critical ones, or all of them. In the dark only colours differ. */
export const findings = async (page: Page, scheme: "light" | "dark", which: "serious" | "all" = "serious") => {
  // Half a megabyte, which goes through two processes.
  if (await page.evaluate("window.axe === undefined")) await page.evaluate(`(() => { ${axe} })()`)
  const found = await page.evaluate(
    (rules) =>
      (
        window as never as {
          axe: {
            run: (options: object) => Promise<{
              violations: Array<{ id: string; impact: string; nodes: Array<{ html: string }> }>
            }>
          }
        }
      ).axe.run(rules),
    // Nothing but violations is looked at: to describe what passes takes half of the time.
    { resultTypes: ["violations"], preload: false, ...(scheme === "light" ? {} : { runOnly: ["color-contrast"] }) }
  )
  return found.violations
    .filter(({ impact }) => which === "all" || impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`)
}
