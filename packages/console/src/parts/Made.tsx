/** The address of what was just made: to copy, to open, and as a QR code. */
import { useEffect, useState } from "react"
import { isWeb } from "./address.ts"
import { Copy } from "./values.tsx"
import { useWords } from "./words.ts"

const texts = {
  en: { open: "Open", qr: "QR code of" },
  zh: { open: "打开", qr: "二维码：" }
}

export const Address = ({ label, url }: { readonly label: string; readonly url: string }) => {
  const words = useWords(texts)
  return (
    <div className="address">
      <QrCode url={url} label={`${words.qr} ${label}`} />
      <div className="stack">
        <p>
          <code>{url}</code>
        </p>
        <div className="buttons">
          <Copy text={url} label={label} />
          {isWeb(url) && (
            <a className="button quiet small" href={url} target="_blank" rel="noreferrer">
              {words.open}
            </a>
          )}
        </div>
      </div>
    </div>
  )
}

/** Pixels of a module: enough for a camera at arm's length. */
const pixelSize = 8

/** As an image, which cannot run scripts whatever it contains. What draws it is loaded with the first one. */
const QrCode = ({ label, url }: { readonly label: string; readonly url: string }) => {
  const [image, setImage] = useState<string>()
  useEffect(() => {
    let isShown = true
    void import("uqr").then(({ renderSVG }) => {
      if (isShown) setImage(`data:image/svg+xml,${encodeURIComponent(renderSVG(url, { pixelSize, border: 2 }))}`)
    })
    return () => {
      isShown = false
    }
  }, [url])
  return image === undefined ? null : <img src={image} alt={label} width={132} height={132} />
}
