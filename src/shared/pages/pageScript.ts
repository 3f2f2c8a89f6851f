/**
 * The inline script of a page, which saves a request, and the source expression for its policy, which allows exactly
 * this text. It is written as functions of a module, which call each other by their names.
 */
import { sha256 } from "../../platform/runtime/Secrets.ts"
import { Html } from "./html.ts"

interface PageScript {
  /** The element. Its text is not escaped, so no user's text may ever be put into it. */
  readonly element: Html
  /** The source expression of this text for the Content-Security-Policy. */
  readonly allowed: string
}

/**
 * The functions of `first` are called in their order. A bundler may rename functions; a renamed one can be called by
 * either name.
 */
export const pageScript = (modules: ReadonlyArray<object>, first: ReadonlyArray<() => void>): PageScript => {
  const functions = modules.flatMap((module) =>
    Object.entries(module as Readonly<Record<string, () => void>>).map(([name, made]) =>
      made.name === name ? String(made) : `${String(made)}\nconst ${name} = ${made.name}`
    )
  )
  const calls = first.map(({ name }) => `${name}()`)
  // Without indentation and comments.
  const source = `(() => {\n"use strict"\n${[...functions, ...calls].join("\n")}\n})()`
    .replace(/^[ \t]+/gm, "")
    .replace(/^(\/\/|\/\*\*).*\n/gm, "")
  return {
    element: new Html(`<script>${source}</script>`),
    allowed: `'${sha256Source(source)}'`
  }
}

/** The hash of a script or a style as policies write it, without the quotes. */
export const sha256Source = (text: string): string => `sha256-${Buffer.from(sha256(text), "hex").toString("base64")}`
