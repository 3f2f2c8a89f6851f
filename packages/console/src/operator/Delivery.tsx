/** A webhook delivery for operators, with a resend. */
import { shown } from "../api/acts.ts"
import { OperatorsApi } from "../api/operatorsApi.ts"
import { objectEvery, useLive } from "../api/registry.ts"
import { DeliveryPage, deliverySays, deliveryTexts } from "../merchant/Delivery.tsx"
import { attention } from "../parts/attention.ts"
import { useWords } from "../parts/words.ts"
import { OperatorAct, OwnMode } from "./operator.tsx"
import { pageOf } from "./reader.tsx"

const texts = {
  en: { mode: "Environment" },
  zh: { mode: "环境" }
}

const Delivery = ({ number }: { readonly number: string }) => {
  const own = useWords(texts)
  const { title } = useWords(attention)
  const words = useWords(deliveryTexts)
  const delivery = useLive(
    OperatorsApi.query("webhook_deliveries", "get", { params: { delivery_id: number }, reactivityKeys: shown }),
    objectEvery
  )
  return (
    <DeliveryPage
      result={delivery}
      back={["/operator/held-up?kind=delivery", title]}
      number={number}
      pageOf={pageOf}
      acts={({ resend_of, status }) => (
        <OperatorAct
          act="webhook_deliveries.resend"
          name={status === "pending" ? words.sendNow : words.resend}
          isPrimary
          says={deliverySays({ resend_of, status }, words)}
          request={() => ({ params: { delivery_id: number } })}
        />
      )}
      facts={({ mode }) => [[own.mode, <OwnMode key="m" mode={mode} />]]}
    />
  )
}

export default Delivery
