/**
 * Types a page's request body as the contract does. Forms hold plain texts where the contract has brands and literals,
 * which TypeScript cannot know. The client's schema checks the values when it encodes them, and a refusal appears at
 * its field. Field names are checked here: an unknown one does not compile.
 */
export const sent = <Wanted, Sent extends object>(fields: Sent & Unknown<Sent, Wanted>): Wanted => fields as Wanted

type Unknown<Sent, Wanted> = { readonly [Name in Exclude<NameOf<Sent>, NameOf<Wanted>>]: never }
type NameOf<Fields> = Fields extends unknown ? keyof Fields : never
