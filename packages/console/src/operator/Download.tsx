/** An archive that the service makes, saved as a file once it is whole. */
import type { OperatorActName } from "@coffer/contract/acts"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { act } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { Act } from "../parts/act.tsx"
import { saved } from "../parts/erasing.tsx"
import type { Call } from "../parts/AsCode.tsx"
import { type Client, useOperator } from "./operator.tsx"

export const Download = (props: {
  readonly act: OperatorActName
  readonly name: string
  readonly says: React.ReactNode
  readonly file: string
  readonly fields?: React.ReactNode
  readonly code?: (typed: FormData) => Call
  readonly read: (
    client: Client,
    typed: FormData
  ) => Effect.Effect<Stream.Stream<Uint8Array, unknown, never>, unknown, never>
}) => {
  const { may } = useOperator()
  if (!may(props.act)) return null
  const run = (typed: FormData) =>
    saved(
      props.file,
      act(
        OperatorsApi,
        OperatorsApi.use((client) => Effect.flatMap(props.read(client, typed), Stream.runCollect)),
        1
      )
    )
  return (
    <Act
      name={props.name}
      says={props.says}
      fields={props.fields}
      run={run}
      {...(props.code === undefined ? {} : { code: props.code })}
    />
  )
}
