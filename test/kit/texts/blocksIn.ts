/** The texts between the fences of this language in a page of Markdown. */
export const blocksIn = (text: string, language: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, "gm")), ([, code]) => code!)
