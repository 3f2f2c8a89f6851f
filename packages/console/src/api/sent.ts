/**
 * A body that a page sends, as the contract's types have it. Forms hold texts, where the contract has brands and
 * literals: TypeScript cannot know that a text is one. The client's schema checks the values when it encodes them,
 * and a refusal appears at its field. The names are checked here: a field that the contract does not have does not
 * compile.
 */
export const sent = <Wanted, Sent extends object>(fields: Sent & Unknown<Sent, Wanted>): Wanted => fields as Wanted

type Unknown<Sent, Wanted> = { readonly [Name in Exclude<NameOf<Sent>, NameOf<Wanted>>]: never }
type NameOf<Fields> = Fields extends unknown ? keyof Fields : never
