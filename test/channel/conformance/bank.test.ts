/** The sandbox's bank observes the laws of channels. */
import { bank } from "./bank.ts"
import { observesTheLaws } from "./suite.ts"

observesTheLaws(bank)
