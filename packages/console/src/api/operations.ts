/**
 * An operation of a contract by its name: the types of its request and its answer, how a page sends it, and the code
 * that does the same.
 */
import type * as Effect from "effect/Effect"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { Call } from "../parts/AsCode.tsx"

type GroupsOf<Contract> = Contract extends HttpApi.HttpApi<string, infer Each> ? Each : never
type EndpointOf<Contract, Name> = Name extends `${infer Group}.${infer Endpoint}`
  ? HttpApiEndpoint.WithIdentifier<
      HttpApiGroup.Endpoints<HttpApiGroup.WithIdentifier<GroupsOf<Contract>, Group>>,
      Endpoint
    >
  : never
type TypeOf<Schema> = Schema extends { readonly Type: infer Type } ? Type : never
type Part<Key extends string, Type> = [Type] extends [never] ? {} : { readonly [Each in Key]: Type }

export type ParamsOf<Contract, Name> = TypeOf<HttpApiEndpoint.Params<EndpointOf<Contract, Name>>>
export type PayloadOf<Contract, Name> = TypeOf<HttpApiEndpoint.Payload<EndpointOf<Contract, Name>>>
export type RequestOf<Contract, Name> = Part<"params", ParamsOf<Contract, Name>> &
  Part<"payload", PayloadOf<Contract, Name>>
export type AnswerOf<Contract, Name> = TypeOf<HttpApiEndpoint.Success<EndpointOf<Contract, Name>>>

const partsOf = (operation: string) => operation.split(".") as [group: string, endpoint: string]

/** Sends the request of an operation with the contract's client. */
export const send = <Contract, Name extends string>(
  client: object,
  operation: Name,
  request: RequestOf<Contract, Name>
): Effect.Effect<AnswerOf<Contract, Name>, unknown> => {
  const [group, endpoint] = partsOf(operation)
  type Sender = (request: RequestOf<Contract, Name>) => Effect.Effect<AnswerOf<Contract, Name>, unknown>
  return (client as Readonly<Record<string, Readonly<Record<string, Sender>>>>)[group]![endpoint]!(request)
}

/** A request as a reader of the code sees it, which may have placeholders. */
export interface Shown {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly payload?: Readonly<Record<string, unknown>>
}
interface Listed {
  readonly groups: Readonly<
    Record<string, { readonly endpoints: Readonly<Record<string, { readonly method: string; readonly path: string }>> }>
  >
}

/** Its method, and its path with the names of parameters, such as `:ref`. */
export const endpointIn = (contract: object, operation: string) => {
  const [group, name] = partsOf(operation)
  return (contract as Listed).groups[group]!.endpoints[name]!
}

/** The call of an operation, as a program makes it. */
export const callIn = (contract: object, operation: string, { params = {}, payload, query }: Shown = {}): Call => {
  const { method, path } = endpointIn(contract, operation)
  const search = query === undefined ? "" : `?${new URLSearchParams(query)}`
  return {
    method: method as Call["method"],
    path: path.replaceAll(/:(\w+)/g, (whole, param: string) => params[param] ?? whole) + search,
    body: payload
  }
}
