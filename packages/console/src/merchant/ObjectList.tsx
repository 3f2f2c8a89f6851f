/** A list of a merchant's objects, for its reader. */
import { type List, ListPage } from "../parts/ListPage.tsx"
import { useReader } from "./reader.ts"

export const ObjectList = <Row,>({ list }: { readonly list: List<Row> }) => <ListPage list={useReader().adapt(list)} />
