/**
 * An act of the merchant API. Its operation and its request say both what the page sends and how a program does the
 * same: method, path and the SDK's name come from the contract.
 */
import { Api } from "@coffer/contract/Api"
import type { Operation } from "@coffer/contract/acts"
import { publishedName } from "@coffer/contract/operationNames"
import type * as Effect from "effect/Effect"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { act } from "../api/acts.ts"
import type { AccountApi } from "../api/clients.ts"
import { useAccount } from "../api/session.ts"
import { Act, type ActProps } from "../parts/act.tsx"
import type { Call } from "../parts/AsCode.tsx"

type Groups = typeof Api extends HttpApi.HttpApi<string, infer Each> ? Each : never
type EndpointOf<Name extends Operation> = Name extends `${infer Group}.${infer Endpoint}`
  ? HttpApiEndpoint.WithIdentifier<HttpApiGroup.Endpoints<HttpApiGroup.WithIdentifier<Groups, Group>>, Endpoint>
  : never
type TypeOf<Schema> = Schema extends { readonly Type: infer Type } ? Type : never
type Part<Key extends string, Type> = [Type] extends [never] ? {} : { readonly [Each in Key]: Type }

export type ParamsOf<Name extends Operation> = TypeOf<HttpApiEndpoint.Params<EndpointOf<Name>>>
export type PayloadOf<Name extends Operation> = TypeOf<HttpApiEndpoint.Payload<EndpointOf<Name>>>
export type RequestOf<Name extends Operation> = Part<"params", ParamsOf<Name>> & Part<"payload", PayloadOf<Name>>
type AnswerOf<Name extends Operation> = TypeOf<HttpApiEndpoint.Success<EndpointOf<Name>>>

/** Sends the request of an operation. */
export const send = <Name extends Operation>(api: AccountApi, operation: Name, request: RequestOf<Name>) => {
  const [group, endpoint] = operation.split(".") as [string, string]
  type Sender = (request: RequestOf<Name>) => Effect.Effect<AnswerOf<Name>, unknown>
  return api.use((client) =>
    (client as unknown as Readonly<Record<string, Readonly<Record<string, Sender>>>>)[group]![endpoint]!(request)
  )
}

interface Listed {
  readonly endpoints: Readonly<Record<string, { readonly method: Call["method"]; readonly path: string }>>
}
interface Shown {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly payload?: Readonly<Record<string, unknown>>
}

/** The call of an operation, as a program makes it. `cli`: the words after `coffer`. */
export const callOf = (operation: Operation, { params = {}, payload, query }: Shown = {}, cli?: string): Call => {
  const [group, name] = operation.split(".") as [string, string]
  const { method, path } = (Api.groups as unknown as Readonly<Record<string, Listed>>)[group]!.endpoints[name]!
  const search = query === undefined ? "" : `?${new URLSearchParams(query)}`
  return {
    method,
    path: path.replaceAll(/:(\w+)/g, (_, param: string) => params[param]!) + search,
    body: payload,
    sdk: `coffer.${publishedName(operation, method.toLowerCase(), path.replaceAll(/:(\w+)/g, "{$1}"))}`,
    args: Object.values(params),
    ...(cli === undefined ? {} : { cli })
  }
}

interface MerchantActProps<Name extends Operation> extends Omit<ActProps, "run" | "code" | "result"> {
  readonly operation: Name
  readonly request: (typed: FormData) => RequestOf<Name>
  /** The command of the command line that does the same, with what is typed now. */
  readonly cli?: (typed: FormData) => string
  readonly onAnswer?: (answer: AnswerOf<Name>) => void
}

export const MerchantAct = <Name extends Operation>(props: MerchantActProps<Name>) => {
  const { cli, onAnswer, operation, request, ...shown } = props
  const { api } = useAccount()
  return (
    <Act
      {...shown}
      run={(typed) =>
        act(api, send(api, operation, request(typed))).then((outcome) => {
          if ("done" in outcome) onAnswer?.(outcome.done)
          return outcome
        })
      }
      code={(typed) => callOf(operation, request(typed) as Shown, cli?.(typed))}
    />
  )
}
