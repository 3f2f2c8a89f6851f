/** The exports of `@coffer/medusa`: the module provider that `medusa-config.ts` names. */
import { ModuleProvider, Modules } from "@medusajs/framework/utils"
import type { ModuleProviderExports } from "@medusajs/framework/types"
import { type CofferOptions, CofferProvider } from "./CofferProvider.ts"

export { type CofferOptions, CofferProvider }

const provider: ModuleProviderExports = ModuleProvider(Modules.PAYMENT, { services: [CofferProvider] })
export default provider
