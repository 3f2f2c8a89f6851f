/** Fields of a shop's look: its colour with the contrast that it has, and its time zone from the list of all. */
import { accentProblem, contrastOf, inkOn } from "@coffer/rules/shop/accent"
import { useId, useState } from "react"
import { grounds } from "../tokens.ts"
import { Field, TextField } from "./act.tsx"
import { useWords } from "./words.ts"

const texts = {
  en: {
    pick: "Choose a color",
    black: "black",
    white: "white",
    onPage: (ratio: string) => `Contrast with the page ${ratio}:1, at least 4.5:1 is needed.`,
    low: (ratio: string) => `Contrast with the page ${ratio}:1 is too low. 4.5:1 is needed: choose a darker color.`,
    button: (ink: string, ratio: string) => `Text on buttons is ${ink}, ${ratio}:1.`
  },
  zh: {
    pick: "选择颜色",
    black: "黑色",
    white: "白色",
    onPage: (ratio: string) => `与页面的对比度 ${ratio}:1，要求不低于 4.5:1。`,
    low: (ratio: string) => `与页面的对比度 ${ratio}:1，低于要求的 4.5:1。请选择更深的颜色。`,
    button: (ink: string, ratio: string) => `按钮文字为${ink}，${ratio}:1。`
  }
}

/** Rounded down, so that what is refused never appears sufficient. */
const ratioText = (ratio: number) => (Math.floor(ratio * 10) / 10).toFixed(1)

const isColor = (text: string) => /^#[0-9a-f]{6}$/i.test(text)
/** What pages have without a colour of the shop. */
const ownColor = "#17614f"

export const AccentField = (props: { readonly label: string; readonly hint: string; readonly initial: string }) => {
  const words = useWords(texts)
  const [color, setColor] = useState(props.initial)
  return (
    <Field label={props.label} hint={isColor(color) ? <Contrast color={color} /> : props.hint}>
      {(id, described) => (
        <span className="color">
          <input
            id={id}
            name="accent_color"
            value={color}
            maxLength={16}
            aria-describedby={described}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => setColor(target.value)}
          />
          <input
            type="color"
            aria-label={words.pick}
            value={isColor(color) ? color : ownColor}
            onChange={({ target }) => setColor(target.value)}
          />
        </span>
      )}
    </Field>
  )
}

const Contrast = ({ color }: { readonly color: string }) => {
  const words = useWords(texts)
  const ratio = ratioText(Math.min(...grounds.light.map((ground) => contrastOf(color, ground))))
  const ink = inkOn(color)
  return (
    <span className={accentProblem(color, grounds.light) === undefined ? "" : "low-contrast"}>
      {accentProblem(color, grounds.light) === undefined ? words.onPage(ratio) : words.low(ratio)}{" "}
      {words.button(ink === "#ffffff" ? words.white : words.black, ratioText(contrastOf(color, ink)))}
    </span>
  )
}

/** Typing in it searches the list. */
export const ZoneField = (props: { readonly label: string; readonly hint: string; readonly initial: string }) => {
  const id = useId()
  return (
    <>
      <TextField {...props} name="time_zone" maxLength={64} isRequired list={id} />
      <datalist id={id}>
        {["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  )
}

/** The colour itself beside its name. */
export const Swatch = ({ color }: { readonly color: string }) => (
  <span className="color">
    <span className="swatch" style={{ background: color }} aria-hidden="true" /> <code>{color}</code>
  </span>
)
