/** The commands that an order allows in each status: one row, or the whole table (`rules/order/statusTable`). */
import {
  type Cell,
  type MerchantCommand,
  merchantCommands,
  orderStatuses,
  statusTable
} from "@coffer/rules/order/statusTable"
import { stateText } from "../parts/stateWords.ts"
import { useLanguage, useWords } from "../parts/words.ts"

const texts = {
  en: {
    title: "Actions by status",
    more: "Refunds are also refused while a dispute is open, after the payment method's refund period, and above the remaining amount.",
    command: "Action",
    commands: {
      pay: "Pay",
      capture: "Capture",
      expire: "Expire",
      refund: "Refund",
      receipt: "Send receipt",
      update: "Edit metadata"
    } satisfies Record<MerchantCommand, string>,
    cells: {
      done: "Yes",
      unchanged: "No change",
      returned: "Payment is returned",
      not_pending: "No: not pending",
      not_paid: "No: not paid",
      nothing_left: "No: nothing left to refund",
      no_receipt: "No: not paid",
      not_authorized: "No: nothing is held"
    } satisfies Record<Cell, string>
  },
  zh: {
    title: "各状态可执行的操作",
    more: "存在未结束的争议、超过支付方式的退款期限或超过剩余金额时，退款也会被拒绝。",
    command: "操作",
    commands: {
      pay: "付款",
      capture: "扣款",
      expire: "设为过期",
      refund: "退款",
      receipt: "发送收据",
      update: "修改元数据"
    } satisfies Record<MerchantCommand, string>,
    cells: {
      done: "可以",
      unchanged: "无变化",
      returned: "款项退回",
      not_pending: "不可：已不是待付款状态",
      not_paid: "不可：未付款",
      nothing_left: "不可：无可退金额",
      no_receipt: "不可：未付款",
      not_authorized: "不可：没有冻结的金额"
    } satisfies Record<Cell, string>
  }
}

const Table = (props: { readonly commands: ReadonlyArray<MerchantCommand>; readonly status: string }) => {
  const words = useWords(texts)
  const language = useLanguage()
  return (
    <div className="table statuses" tabIndex={0} role="region" aria-label={words.title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.command}</th>
            {orderStatuses.map((status) => (
              <th key={status} scope="col" aria-current={status === props.status || undefined}>
                {stateText(status, language)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.commands.map((command) => (
            <tr key={command}>
              <th scope="row">{words.commands[command]}</th>
              {orderStatuses.map((status) => (
                <td
                  key={status}
                  aria-current={status === props.status || undefined}
                  className={statusTable[command][status] === "done" ? "yes" : ""}
                >
                  {words.cells[statusTable[command][status]]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export const StatusRow = ({ command, status }: { readonly command: MerchantCommand; readonly status: string }) => {
  const words = useWords(texts)
  return (
    <>
      <Table commands={[command]} status={status} />
      {command === "refund" && <p className="small soft">{words.more}</p>}
    </>
  )
}

export const StatusTable = ({ status }: { readonly status: string }) => {
  const words = useWords(texts)
  return (
    <details className="card fold">
      <summary>
        <h2>{words.title}</h2>
      </summary>
      <Table commands={merchantCommands} status={status} />
      <p className="small soft">{words.more}</p>
    </details>
  )
}
