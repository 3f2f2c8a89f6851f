/** The laws of a channel, for Adyen. */
import { adyen } from "./adyen.ts"
import { observesTheLaws } from "./suite.ts"

observesTheLaws(adyen)
