/**
 * The one search box, which `/` and Ctrl-K open. It offers pages whose names start with the typed text, objects that
 * are found by it, and a search for it; arrow keys select, Enter opens. Without an arrow key Enter opens a page, or an
 * object only if it is the only one that is found.
 */
import { useEffect, useId, useRef, useState } from "react"
import { useLocation } from "wouter"
import { bare } from "./typing.ts"
import { useWords } from "./words.ts"

export interface NamedPage {
  readonly href: string
  readonly name: string
  /** Its group in the menu. */
  readonly group?: string | undefined
}

const texts = { en: { find: "Find", pages: "Pages" }, zh: { find: "查找", pages: "页面" } }

/** The maximum of offered pages. */
const offeredMax = 8

/** Whether a word of the name, or the page's own address, begins with the text. */
const fits = ({ href, name }: NamedPage, text: string): boolean => {
  const typed = text.toLowerCase()
  const words = name.toLowerCase().split(/\s+/)
  const own = href.slice(href.lastIndexOf("/") + 1)
  return words.some((word) => word.startsWith(typed)) || own.startsWith(typed) || name.toLowerCase().startsWith(typed)
}

/** An object that was found, and what tells it from its neighbours. */
export interface SearchOption {
  readonly href: string
  readonly name: string
  readonly note: string
}

/** The pause in typing after which objects are looked for, in milliseconds. */
const pause = 250

/** The objects that are found by the text; those of an earlier text are dropped. */
export const useFound = (text: string, look: Props["look"]): ReadonlyArray<SearchOption> => {
  const [found, setFound] = useState<{ readonly text: string; readonly options: ReadonlyArray<SearchOption> }>()
  const newest = useRef(look)
  newest.current = look
  useEffect(() => {
    if (text.length < 2 || newest.current === undefined) return
    let isOver = false
    const timer = setTimeout(() => {
      void newest.current?.(text).then((options) => isOver || setFound({ text, options }))
    }, pause)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [text])
  return found?.text === text ? found.options : []
}

interface Props {
  readonly label: string
  readonly onFind: (text: string) => void
  /** Looks for objects while a person types. */
  readonly look?: ((text: string) => Promise<ReadonlyArray<SearchOption>>) | undefined
  readonly pages: ReadonlyArray<NamedPage>
}

export const SearchBox = ({ label, look, onFind, pages }: Props) => {
  const words = useWords(texts)
  const input = useRef<HTMLInputElement>(null)
  const list = useId()
  const [, go] = useLocation()
  const [text, setText] = useState("")
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState<number>()
  useKeys(input)
  const typed = bare(text)
  const named = pages.filter((page) => fits(page, typed)).slice(0, offeredMax)
  const found = useFound(typed, look)
  const options = [
    ...named.map(({ group, href, name }) => ({ key: href, name, note: group, choose: () => go(href) })),
    ...found.map(({ href, name, note }) => ({ key: href, name, note, choose: () => go(href) })),
    ...(typed === ""
      ? []
      : [{ key: "find", name: `${words.find} “${typed}”`, note: undefined, choose: () => onFind(typed) }])
  ]
  const isShown = isOpen && options.length > 0
  const first = named.length > 0 || found.length === 1 ? 0 : options.length - 1
  const chosen = Math.min(active ?? first, options.length - 1)
  const choose = (index: number) => {
    const option = options[index]
    if (option === undefined) return
    setOpen(false)
    setText("")
    input.current?.blur()
    option.choose()
  }
  const press = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && options.length > 0) {
      event.preventDefault()
      setOpen(true)
      setActive((chosen + step + options.length) % options.length)
    }
    if (event.key === "Escape") {
      setOpen(false)
      if (!isShown) input.current?.blur()
    }
  }
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        choose(chosen)
      }}
    >
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={isShown}
        aria-autocomplete="list"
        {...(isShown ? { "aria-controls": list, "aria-activedescendant": `${list}-${chosen}` } : {})}
        placeholder={label}
        value={text}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        onChange={(event) => {
          setText(event.target.value)
          setActive(undefined)
          setOpen(true)
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
      />
      <kbd aria-hidden="true">/</kbd>
      {isShown && (
        <ul id={list} className="options" role="listbox" aria-label={words.pages}>
          {options.map(({ key, name, note }, index) => (
            <li
              key={key}
              id={`${list}-${index}`}
              role="option"
              aria-selected={index === chosen}
              // The box keeps the focus, so that its list stays until the click.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(index)}
            >
              <span title={name}>{name}</span>
              {note !== undefined && (
                <span className="soft small" title={note}>
                  {note}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </form>
  )
}

/** `/` outside of fields, and Ctrl-K or ⌘K everywhere. */
const useKeys = (input: React.RefObject<HTMLInputElement | null>) =>
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping = (event.target as Element).closest("input, textarea, select, [contenteditable]") !== null
      const isAsked = (event.key === "/" && !isTyping) || (event.key === "k" && (event.metaKey || event.ctrlKey))
      // A dialog is in front of the box.
      if (!isAsked || document.querySelector("dialog[open]") !== null) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    addEventListener("keydown", press)
    return () => removeEventListener("keydown", press)
  }, [input])
