/** The page of an object: title and state, actions, fields, and related objects. */
import type * as AsyncResult from "effect/reactivity/AsyncResult"
import { Link } from "wouter"
import { PageObject } from "./act.tsx"
import { Loaded } from "./states.tsx"
import { Num } from "./values.tsx"

/** Names of fields with what they show. */
export type NamedFacts = ReadonlyArray<readonly [name: string, value: React.ReactNode]>

export const ObjectPage = <A, E>(props: {
  readonly result: AsyncResult.AsyncResult<A, E>
  /** The list that it belongs to. */
  readonly back: readonly [href: string, text: string]
  readonly number: string
  readonly head: (value: A) => React.ReactNode
  readonly acts?: (value: A) => React.ReactNode
  readonly facts: (value: A) => NamedFacts
  readonly children?: (value: A) => React.ReactNode
}) => (
  <article className="object">
    <nav className="crumb">
      <Link href={props.back[0]}>← {props.back[1]}</Link>
      <Num id={props.number} />
    </nav>
    <Loaded result={props.result} lines={8}>
      {(value) => (
        <PageObject value={{ number: props.number, shown: props.head(value) }}>
          <header className="head">
            <h1>{props.head(value)}</h1>
            <div className="acts">{props.acts?.(value)}</div>
          </header>
          <div className="sides">
            <div className="stack">{props.children?.(value)}</div>
            <Facts facts={props.facts(value)} />
          </div>
        </PageObject>
      )}
    </Loaded>
  </article>
)

/** `isBare`: within a card. */
export const Facts = ({ facts, isBare = false }: { readonly facts: NamedFacts; readonly isBare?: boolean }) => (
  <dl className={isBare ? "facts" : "facts card"}>
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
