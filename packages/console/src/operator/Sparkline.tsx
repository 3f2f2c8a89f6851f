/** A line of the last values, newest at the right. It has no axis: the figure beside it is the value now. */
const width = 120
const height = 28

export const Sparkline = (props: {
  readonly values: ReadonlyArray<number>
  /** Values that fill the width. */
  readonly points: number
  readonly label: string
}) => {
  const { label, points, values } = props
  const most = Math.max(1, ...values)
  const step = width / (points - 1)
  const first = points - values.length
  const at = values.map(
    (value, index) =>
      `${((first + index) * step).toFixed(1)},${(height - 1 - (value / most) * (height - 3)).toFixed(1)}`
  )
  return (
    <svg className="spark" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
      {at.length > 1 && (
        <>
          <polygon points={`${(first * step).toFixed(1)},${height} ${at.join(" ")} ${width},${height}`} />
          <polyline points={at.join(" ")} />
        </>
      )}
    </svg>
  )
}
