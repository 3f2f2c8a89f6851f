/**
 * A lazily loaded part of the console. Its file may be missing: the service does not answer, or has a newer console
 * whose files have other names. A page that cannot be rendered says so in place, below the menu.
 */
import { Component, type ComponentType, lazy, Suspense } from "react"
import { awaySince } from "../api/connection.ts"
import { hasNewerConsole } from "../api/clients.ts"
import { useAtom } from "../api/registry.ts"
import { Skeleton, Trouble } from "./states.tsx"
import { useWords } from "./words.ts"

const texts = {
  en: {
    newer: "A new version is available",
    newerSays: "The console was updated while this page was open. Reload to continue; nothing is lost.",
    broken: "This page can't be displayed",
    reload: "Reload page"
  },
  zh: {
    newer: "控制台已有新版本",
    newerSays: "此页面打开期间，控制台已更新。请重新加载以继续，不会丢失任何数据。",
    broken: "无法显示此页面",
    reload: "重新加载页面"
  }
}

class NewerConsole extends Error {}
class FileAway extends Error {}

/** How to retry failed files. */
const failed = new Set<() => void>()

/** A lazily loaded page. If its file did not load, it is requested again when the guard below retries. */
export const page = <Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>
): ComponentType<Props> => {
  const begin = () =>
    lazy(() =>
      load().catch(async () => {
        failed.add(() => (Now = begin()))
        throw (await hasNewerConsole()) ? new NewerConsole() : new FileAway()
      })
    )
  let Now = begin()
  return function Page(props: Props) {
    return <Now {...(props as React.ComponentProps<typeof Now>)} />
  }
}

/** The boundary of a page: shows its loading state, and its errors until the address or the connection changes. */
export const Part = (props: { readonly at: string; readonly children: React.ReactNode }) => {
  const isAway = useAtom(awaySince) !== undefined
  return (
    <Guard at={`${props.at} ${isAway}`}>
      <Suspense fallback={<Skeleton lines={10} />}>{props.children}</Suspense>
    </Guard>
  )
}

interface Guarded {
  readonly at: string
  readonly children: React.ReactNode
}
interface Broken {
  readonly broken?: { readonly fault: unknown } | undefined
}

class Guard extends Component<Guarded, Broken> {
  override readonly state: Broken = {}
  static getDerivedStateFromError(fault: unknown): Broken {
    return { broken: { fault } }
  }
  override componentDidUpdate({ at }: Guarded) {
    if (this.state.broken === undefined || at === this.props.at) return
    for (const again of failed) again()
    failed.clear()
    this.setState({ broken: undefined })
  }
  override render() {
    const { broken } = this.state
    return broken === undefined ? this.props.children : <Fault fault={broken.fault} />
  }
}

const Fault = ({ fault }: { readonly fault: unknown }) => {
  const words = useWords(texts)
  const isAway = useAtom(awaySince) !== undefined
  if (fault instanceof FileAway && isAway) return <Trouble problem={{ kind: "away" }} />
  const isNewer = fault instanceof NewerConsole
  return (
    <section className="card stack" role="alert">
      <h1>{isNewer ? words.newer : words.broken}</h1>
      {isNewer ? (
        <p>{words.newerSays}</p>
      ) : (
        <Trouble problem={{ kind: "unexpected", message: fault instanceof Error ? fault.message : String(fault) }} />
      )}
      <div className="buttons">
        <button type="button" className="button" onClick={() => location.reload()}>
          {words.reload}
        </button>
      </div>
    </section>
  )
}
