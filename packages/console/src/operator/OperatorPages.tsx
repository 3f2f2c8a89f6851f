/** The pages of operators. */
import type { SignedIn } from "../parts/Shell.tsx"
import { SearchBox, Shell } from "../parts/Shell.tsx"
import { useWords } from "../parts/words.ts"

const texts = { en: { home: "Overview", search: "Find any number" }, zh: { home: "概览", search: "查找任意编号" } }

const OperatorPages = ({ signedIn }: { readonly signedIn: SignedIn }) => {
  const words = useWords(texts)
  return (
    <Shell
      signedIn={signedIn}
      base="/operator"
      nav={[{ links: [["", words.home]] }]}
      place={undefined}
      search={<SearchBox label={words.search} onFind={() => undefined} />}
    >
      <h1>{words.home}</h1>
    </Shell>
  )
}

export default OperatorPages
