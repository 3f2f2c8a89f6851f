/**
 * Puts the sections of a report and their pictures into docs/performance.md, each between its marks. The text around
 * them and sections that were not measured stay.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import type { Section } from "./sections.ts"

const docs = path.resolve(import.meta.dirname, "../../../../docs")

export const publish = async (sections: ReadonlyArray<Section>): Promise<void> => {
  const folder = path.join(docs, "performance")
  await mkdir(folder, { recursive: true })
  for (const { name, svg } of sections.flatMap(({ pictures = [] }) => pictures)) {
    await writeFile(path.join(folder, `${name}.svg`), svg)
  }
  const page = path.join(docs, "performance.md")
  await writeFile(page, filled(await readFile(page, "utf8"), sections))
}

/** `<!-- bench: curve -->` begins the section `curve`. */
const marked = /(<!-- bench: ([a-z]+) -->\n)[\s\S]*?(<!-- bench end -->)/g

export const filled = (page: string, sections: ReadonlyArray<Section>): string =>
  page.replaceAll(marked, (whole, begin: string, name: string, end: string) => {
    const section = sections.find((each) => each.name === name)
    if (section === undefined) return whole
    const pictures = (section.pictures ?? []).map((each) => `![${each.title}](performance/${each.name}.svg)`)
    return `${begin}\n${[section.text, ...pictures].join("\n\n")}\n\n${end}`
  })
