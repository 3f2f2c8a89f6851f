/**
 * Stripe's payment currencies, the minimum and maximum of a payment, and the currencies of each method. The figures are
 * from Stripe's published tables.
 */

/** For accounts paid out in dollars; currencies that Stripe does not list have about the same value. */
const usual = 50

/** The minimum amounts, in minor units, that Stripe lists. */
const least: Readonly<Record<string, number>> = {
  aed: 200,
  bgn: 100,
  czk: 1_500,
  dkk: 250,
  gbp: 30,
  hkd: 400,
  huf: 17_500,
  mxn: 1_000,
  myr: 200,
  nok: 300,
  pln: 200,
  ron: 200,
  sek: 300,
  thb: 1_000,
  // Stripe lists no minimum for it: this is about half a dollar.
  cny: 400
}

const all: ReadonlySet<string> = new Set(
  (
    "aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bif bmd bnd bob brl bsd bwp byn bzd cad cdf chf clp cny " +
    "cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr isk " +
    "jmd jpy kes kgs khr kmf krw kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop mur mvr mwk mxn myr mzn nad " +
    "ngn nio nok npr nzd pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sek sgd shp sle sos srd std szl " +
    "thb tjs top try ttd twd tzs uah ugx usd uyu uzs vnd vuv wst xaf xcd xcg xof xpf yer zar zmw"
  ).split(" ")
)

export const isCurrency = (currency: string): boolean => all.has(currency)

export const leastOf = (currency: string): number => least[currency] ?? usual

/** Eight digits. */
export const most = 99_999_999

export const methods = ["card", "alipay", "wechat_pay"] as const
export type Method = (typeof methods)[number]

/** The currencies of accounts that may use a wallet in their own currency. Every wallet takes yuan. */
const walletsTake: Readonly<Partial<Record<Method, ReadonlySet<string>>>> = {
  alipay: new Set(["aud", "cad", "eur", "gbp", "hkd", "jpy", "myr", "nzd", "sgd", "usd"]),
  wechat_pay: new Set(["aud", "cad", "chf", "dkk", "eur", "gbp", "hkd", "jpy", "nok", "sek", "sgd", "usd"])
}

/** Whether a method accepts this currency in an account of that currency. */
export const takes = (method: Method, currency: string, ofAccount: string): boolean => {
  const own = walletsTake[method]
  return own === undefined || currency === "cny" || (currency === ofAccount && own.has(currency))
}
