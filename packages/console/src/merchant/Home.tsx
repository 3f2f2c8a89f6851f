/** The first page of a merchant. */
import { useWords } from "../parts/words.ts"

const texts = { en: { title: "Home" }, zh: { title: "首页" } }

const Home = () => <h1>{useWords(texts).title}</h1>

export default Home
