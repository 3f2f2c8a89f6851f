/**
 * Bars by day, as inline SVG with a table as an alternative. Our own: thirty bars and an axis need no library of 45 kB,
 * and each bar is an element that screen readers and pointers can reach.
 */
import { useId } from "react"
import { useWords } from "./words.ts"

export interface Bar {
  /** `2026-11-24`. */
  readonly day: string
  readonly value: number
  /** The value for people: `$19.99`. */
  readonly text: string
}

const texts = {
  en: { table: "Show as table", day: "Day", most: "up to" },
  zh: { table: "以表格形式显示", day: "日期", most: "最高" }
}

const height = 120

export const Plot = ({ bars, title }: { readonly title: string; readonly bars: ReadonlyArray<Bar> }) => {
  const words = useWords(texts)
  const id = useId()
  const most = Math.max(1, ...bars.map(({ value }) => value))
  const width = 100 / bars.length
  const highest = bars.find(({ value }) => value === most)
  return (
    <figure className="plot">
      <figcaption id={id}>
        <strong>{title}</strong>{" "}
        {highest !== undefined && (
          <span className="small soft">
            {words.most} {highest.text}
          </span>
        )}
      </figcaption>
      <svg viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" role="img" aria-labelledby={id}>
        {bars.map(({ day, text, value }, index) => {
          const tall = value === 0 ? 1 : Math.max(2, (value / most) * (height - 4))
          return (
            <g key={day}>
              <title>{`${day}: ${text}`}</title>
              <rect className="reach" x={index * width} y={0} width={width} height={height} />
              <rect
                className={value === 0 ? "bar none" : "bar"}
                x={index * width + width * 0.15}
                y={height - tall}
                width={width * 0.7}
                height={tall}
              />
            </g>
          )
        })}
      </svg>
      <p className="ends small soft" aria-hidden="true">
        <span>{bars[0]?.day}</span>
        <span>{bars.at(-1)?.day}</span>
      </p>
      <details>
        <summary className="small soft">{words.table}</summary>
        <div className="table" tabIndex={0} role="region" aria-label={title}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.day}</th>
                <th scope="col" className="number">
                  {title}
                </th>
              </tr>
            </thead>
            <tbody>
              {bars.toReversed().map(({ day, text }) => (
                <tr key={day}>
                  <td>{day}</td>
                  <td className="number">{text}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}
