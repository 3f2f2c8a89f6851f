/** Typed input in dialogs: a confirmation word, and the values of fields. */
import { bare } from "./typing.ts"
import { useWords } from "./words.ts"

const texts = { en: { type: "To confirm, type" }, zh: { type: "请输入以下内容以确认：" } }

/** For irreversible actions: the button is enabled only after the word was typed. */
export const TypedWord = ({ word }: { readonly word: string }) => {
  const words = useWords(texts)
  const escaped = word.replaceAll(/[$()*+.?[\\\]^{|}/]/g, String.raw`\$&`)
  return (
    <div className="field">
      <label htmlFor="typed-word">
        {words.type} <code>{word}</code>
      </label>
      <input id="typed-word" name="typed_word" required pattern={escaped} title={word} autoComplete="off" />
    </div>
  )
}

/** The fields of a form that have a text. */
export const typedFields = <const Name extends string>(
  typed: FormData,
  names: ReadonlyArray<Name>
): { readonly [Each in Name]?: string } =>
  Object.fromEntries(
    names.flatMap((name) => {
      const text = typedIn(typed, name)
      return text === undefined ? [] : [[name, text] as const]
    })
  ) as { readonly [Each in Name]?: string }

export const typedText = (typed: FormData, name: string): string => bare(String(typed.get(name) ?? ""))

/** The text of a field; undefined if it is empty. */
export const typedIn = (typed: FormData, name: string): string | undefined => {
  const text = typedText(typed, name)
  return text === "" ? undefined : text
}
