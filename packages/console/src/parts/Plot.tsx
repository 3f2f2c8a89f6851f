/**
 * Bars by day or by hour, with an axis and an earlier period as a dashed line, and a table as an alternative. Our own:
 * some dozens of bars need no library of 45 kB, and each of them is a link that keys, fingers and screen readers reach.
 */
import { useId, useRef, useState } from "react"
import { Link } from "wouter"
import { ceilingOf } from "./plotCeiling.ts"
import { useWords } from "./words.ts"

export interface Bar {
  /** `2026-11-24`, `14:00`. */
  readonly name: string
  readonly value: number
  /** The value for people: `$19.99`. */
  readonly text: string
  /** The same of the earlier period. */
  readonly earlier?: { readonly name: string; readonly value: number; readonly text: string } | undefined
  /** The list of what is counted. */
  readonly to: string
}

const texts = {
  en: {
    table: "Show as table",
    cut: "is higher than the scale:",
    open: "Open the list"
  },
  zh: {
    table: "以表格形式显示",
    cut: "超出刻度：",
    open: "查看列表"
  }
}

const height = 120

interface Props {
  readonly title: string
  /** What the names are: days, hours. */
  readonly unit: string
  readonly bars: ReadonlyArray<Bar>
  /** What the dashed line is. */
  readonly earlier: string
  /** The bar that is read first; the last one by default. */
  readonly latest?: number | undefined
  /** A value at the axis: `$1.2K`. */
  readonly markOf: (value: number) => string
}

export const Plot = ({ bars, earlier, latest, markOf, title, unit }: Props) => {
  const words = useWords(texts)
  const id = useId()
  const [active, setActive] = useState<number>()
  const { cut, top } = ceilingOf(bars.flatMap((bar) => [bar.value, bar.earlier?.value ?? 0]))
  const width = 100 / bars.length
  const tallOf = (value: number) => (Math.min(value, top) / top) * (height - 4)
  const line = bars.flatMap((bar, index) =>
    bar.earlier === undefined ? [] : [`${(index + 0.5) * width},${height - tallOf(bar.earlier.value)}`]
  )
  const hasEarlier = line.length > 0
  const chosen = bars[active ?? latest ?? bars.length - 1]
  return (
    <figure className="plot" aria-labelledby={id}>
      <figcaption id={id}>
        <strong>{title}</strong>{" "}
        {hasEarlier && (
          <span className="small soft">
            <span className="dashes" aria-hidden="true" /> {earlier}
          </span>
        )}
      </figcaption>
      <p className="reading small">
        {chosen !== undefined && (
          <>
            <strong>{chosen.name}</strong> {chosen.text}
            {chosen.earlier !== undefined && (
              <span className="soft">
                {" "}
                · {chosen.earlier.name} {chosen.earlier.text}
              </span>
            )}{" "}
            <Link href={chosen.to} tabIndex={-1}>
              {words.open} →
            </Link>
          </>
        )}
      </p>
      <div className="axes">
        <p className="marks small soft" aria-hidden="true">
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{markOf(value)}</span>
          ))}
        </p>
        <div className="field">
          <svg viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" aria-hidden="true">
            <line className="grid" x1={0} x2={100} y1={height - tallOf(top / 2)} y2={height - tallOf(top / 2)} />
            {bars.map(({ name, value }, index) => (
              <Column
                key={name}
                x={index * width}
                width={width}
                tall={value === 0 ? 1 : Math.max(2, tallOf(value))}
                className={`bar ${value === 0 ? "none" : ""} ${index === active ? "chosen" : ""}`}
                isCut={value > top}
              />
            ))}
            {hasEarlier && <polyline className="before" points={line.join(" ")} />}
          </svg>
          <Reaches bars={bars} active={active} onActive={setActive} title={title} />
        </div>
        <span />
        <p className="ends small soft" aria-hidden="true">
          {[bars[0], bars[Math.floor((bars.length - 1) / 2)], bars.at(-1)].map((bar, index) => (
            <span key={index}>{bar?.name}</span>
          ))}
        </p>
      </div>
      {cut.length > 0 && (
        <p className="small">
          {bars
            .flatMap((bar) => [bar, ...(bar.earlier === undefined ? [] : [bar.earlier])])
            .filter(({ value }) => value > top)
            .map(({ name, text }) => `${name} ${words.cut} ${text}`)
            .join("; ")}
        </p>
      )}
      <Values bars={bars} title={title} unit={unit} earlier={hasEarlier ? earlier : undefined} summary={words.table} />
    </figure>
  )
}

/** A bar; one that is cut off ends in a gap below its top. */
const Column = (props: {
  readonly x: number
  readonly width: number
  readonly tall: number
  readonly className: string
  readonly isCut: boolean
}) => {
  const { className, isCut, tall, width, x } = props
  const [left, wide] = [x + width * 0.15, width * 0.7]
  return (
    <>
      <rect className={className} x={left} y={height - tall} width={wide} height={tall} />
      {isCut && <rect className="gap" x={left} y={height - tall + 8} width={wide} height={3} />}
    </>
  )
}

/**
 * A link for each bar. One of them is a stop of the tab key; the arrow keys move to the others, and the focus reads
 * them out. A finger's first touch shows the value, its second follows the link.
 */
const Reaches = (props: {
  readonly bars: ReadonlyArray<Bar>
  readonly active: number | undefined
  readonly onActive: (index: number) => void
  readonly title: string
}) => {
  const { active, bars, onActive, title } = props
  const root = useRef<HTMLDivElement>(null)
  const touched = useRef(false)
  const move = (event: React.KeyboardEvent, index: number) => {
    const moves: Readonly<Record<string, number>> = {
      ArrowLeft: index - 1,
      ArrowRight: index + 1,
      Home: 0,
      End: bars.length - 1
    }
    const next = moves[event.key]
    if (next === undefined) return
    event.preventDefault()
    root.current?.querySelectorAll<HTMLElement>("a")[Math.max(0, Math.min(bars.length - 1, next))]?.focus()
  }
  return (
    <div className="reaches" ref={root} role="group" aria-label={title}>
      {bars.map(({ earlier, name, text, to }, index) => (
        <Link
          key={name}
          href={to}
          aria-label={`${name}: ${text}${earlier === undefined ? "" : `; ${earlier.name}: ${earlier.text}`}`}
          tabIndex={index === (active ?? bars.length - 1) ? 0 : -1}
          onFocus={() => onActive(index)}
          onMouseEnter={() => onActive(index)}
          onPointerDown={({ pointerType }: React.PointerEvent) => {
            touched.current = pointerType === "touch" && active !== index
          }}
          onClick={(event: React.MouseEvent) => {
            if (touched.current) event.preventDefault()
            touched.current = false
          }}
          onKeyDown={(event: React.KeyboardEvent) => move(event, index)}
        />
      ))}
    </div>
  )
}

const Values = (props: {
  readonly bars: ReadonlyArray<Bar>
  readonly title: string
  readonly unit: string
  readonly earlier: string | undefined
  readonly summary: string
}) => {
  const { bars, earlier, summary, title, unit } = props
  return (
    <details>
      <summary className="small soft">{summary}</summary>
      <div className="table" tabIndex={0} role="region" aria-label={title}>
        <table>
          <thead>
            <tr>
              <th scope="col">{unit}</th>
              <th scope="col" className="number">
                {title}
              </th>
              {earlier !== undefined && (
                <th scope="col" className="number">
                  {earlier}
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {bars.toReversed().map((bar) => (
              <tr key={bar.name}>
                <td>
                  <Link href={bar.to}>{bar.name}</Link>
                </td>
                <td className="number">{bar.text}</td>
                {earlier !== undefined && <td className="number">{bar.earlier?.text ?? "–"}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
