/**
 * An act of the merchant API. Its operation and its request say both what the page sends and how a program does the
 * same: method, path and the SDK's name come from the contract.
 */
import { Api } from "@coffer/contract/Api"
import type { Operation } from "@coffer/contract/acts"
import { publishedName } from "@coffer/contract/operationNames"
import { useApi } from "../api/accountApi.ts"
import { act } from "../api/acts.ts"
import type { AccountApi } from "../api/accountApi.ts"
import * as operations from "../api/operations.ts"
import { Act, type ActProps } from "../parts/act.tsx"
import type { Call } from "../parts/AsCode.tsx"

type Contract = typeof Api
export type ParamsOf<Name extends Operation> = operations.ParamsOf<Contract, Name>
export type PayloadOf<Name extends Operation> = operations.PayloadOf<Contract, Name>
export type RequestOf<Name extends Operation> = operations.RequestOf<Contract, Name>
type AnswerOf<Name extends Operation> = operations.AnswerOf<Contract, Name>

/** Sends the request of an operation. */
export const send = <Name extends Operation>(api: AccountApi, operation: Name, request: RequestOf<Name>) =>
  api.use((client) => operations.send<Contract, Name>(client, operation, request))

/** The call of an operation, as a program makes it. `cli`: the words after `coffer`. */
export const callOf = (operation: Operation, shown: operations.Shown = {}, cli?: string): Call => {
  const { method, path } = operations.endpointIn(Api, operation)
  return {
    ...operations.callIn(Api, operation, shown),
    sdk: `coffer.${publishedName(operation, method.toLowerCase(), path.replaceAll(/:(\w+)/g, "{$1}"))}`,
    args: Object.values(shown.params ?? {}),
    ...(cli === undefined ? {} : { cli })
  }
}

interface MerchantActProps<Name extends Operation> extends Omit<ActProps<AnswerOf<Name>>, "run" | "code"> {
  readonly operation: Name
  readonly request: (typed: FormData) => RequestOf<Name>
  /** The command of the command line that does the same, with what is typed now. */
  readonly cli?: (typed: FormData) => string
  readonly onAnswer?: (answer: AnswerOf<Name>) => void
}

export const MerchantAct = <Name extends Operation>(props: MerchantActProps<Name>) => {
  const { cli, onAnswer, operation, request, ...shown } = props
  const api = useApi()
  return (
    <Act
      {...shown}
      run={(typed, replaces) =>
        act(api, send(api, operation, request(typed)), 3, replaces).then((outcome) => {
          if ("done" in outcome) onAnswer?.(outcome.done)
          return outcome
        })
      }
      code={(typed) => callOf(operation, request(typed) as operations.Shown, cli?.(typed))}
    />
  )
}
