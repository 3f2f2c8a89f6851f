/**
 * What the doctor says, in Chinese. The service writes its findings in English, for its log and the command line too;
 * the console finds each sentence here, with `{}` for a value. A sentence that is not here stays as it is.
 */
import { type Language, wordsIn } from "../parts/words.ts"

const names: Readonly<Record<string, string>> = {
  settings: "设置",
  secrets: "密码",
  "secret key": "主密钥",
  "secret files": "密钥文件",
  postgres: "PostgreSQL",
  migrations: "数据库迁移",
  "postgres role": "PostgreSQL 角色",
  "postgres tls": "PostgreSQL 的 TLS",
  clock: "时钟",
  connections: "连接数",
  "postgres disk": "PostgreSQL 磁盘",
  retention: "保留期限",
  redis: "Redis",
  mail: "邮件",
  openid: "OpenID",
  "public url": "公开地址",
  "admin port": "管理端口",
  proxies: "代理",
  "runner port": "节点端口",
  acquirer: "收单渠道",
  outbound: "对外请求",
  node: "Node",
  "open files": "打开的文件数",
  evidence: "证据文件",
  disk: "磁盘",
  backups: "备份",
  anchors: "锚点",
  "two operators": "双人批准",
  passkeys: "通行密钥"
}

const sentences: ReadonlyArray<readonly [en: string, zh: string]> = [
  ["This could not be checked: {}.", "无法检查：{}。"],
  ["Fix this, then run the doctor again.", "请先解决此问题，然后重新诊断。"],
  ["Fix this: the service would not start.", "请解决此问题，否则服务无法启动。"],
  // Settings and secrets
  [
    "All settings are valid. SECRET_KEY and OPERATOR_TOKEN are strong.",
    "所有设置均有效，SECRET_KEY 和 OPERATOR_TOKEN 强度足够。"
  ],
  ["Correct the name, or unset the variable.", "请更正变量名，或取消设置该变量。"],
  ["No password in a setting is easy to guess.", "设置中没有容易猜到的密码。"],
  ["The password in {} is easy to guess.", "{} 中的密码容易被猜到。"],
  ["Use a random password of {} or more characters there.", "请改用至少 {} 个字符的随机密码。"],
  ["The database has no SECRET_KEY yet.", "数据库尚无 SECRET_KEY。"],
  ["The database uses this SECRET_KEY.", "数据库使用此 SECRET_KEY。"],
  ["SECRET_KEY is not the one the database was created with.", "SECRET_KEY 与创建数据库时的不一致。"],
  ["Set the original one.", "请设置为原来的密钥。"],
  ["Secrets in {} can be read by their owner only.", "{} 中的密钥文件只有其所有者可以读取。"],
  ["Other users can read {} in {}.", "其他用户可以读取 {}，位于 {}。"],
  ["Restrict access (chmod 600), and rotate those secrets.", "请限制访问权限（chmod 600），并更换这些密钥。"],
  // PostgreSQL
  ["The upgrade is not complete: {}.", "升级尚未完成：{}。"],
  [
    "Nothing needs to be done while rows are filled. Replace the runners of the older version that are named.",
    "数据行补全期间无需操作。请替换上面列出的旧版本节点。"
  ],
  ["Start the version that made the newest migration soon.", "请尽快启动执行了最新迁移的版本。"],
  ["PostgreSQL {} is too old.", "PostgreSQL {} 版本过旧。"],
  ["Upgrade to PostgreSQL {} or newer.", "请升级到 PostgreSQL {} 或更新版本。"],
  ["PostgreSQL {} answers.", "PostgreSQL {} 响应正常。"],
  ["The embedded PostgreSQL {} is in use.", "正在使用内置的 PostgreSQL {}。"],
  [
    "Set DATABASE_URL to a PostgreSQL that is backed up and monitored: the embedded one is for evaluation.",
    "请将 DATABASE_URL 设为有备份和监控的 PostgreSQL：内置的仅供试用。"
  ],
  ["The database is at migration {}, and this program expects {}.", "数据库的迁移版本为 {}，此程序需要 {}。"],
  ["Start the version that made the newest migration, or a newer one.", "请启动执行过最新迁移的版本，或更新的版本。"],
  ["Start coffer serve, which migrates the database.", "请启动 coffer serve，它会执行数据库迁移。"],
  [
    "Run coffer migrate with MIGRATION_DATABASE_URL, the owner's URL: the service's role can't migrate.",
    "请以 MIGRATION_DATABASE_URL（所有者的 URL）运行 coffer migrate：服务的角色无权迁移。"
  ],
  ["In the embedded PostgreSQL the service has a role of its own.", "在内置的 PostgreSQL 中，服务有自己的角色。"],
  [
    "The service's role can't change or truncate the ledger, the audit log or the anchors.",
    "服务的角色不能更改或清空账本、审计日志和锚点。"
  ],
  ["The service's role can change the ledger: {}.", "服务的角色可以更改账本：{}。"],
  [
    "Make another role the owner of the tables, and give the service its own role (docs/operating.md).",
    "请将表的所有者改为其他角色，并为服务设置单独的角色（docs/operating.md）。"
  ],
  ["The embedded PostgreSQL listens on this machine only.", "内置的 PostgreSQL 只监听本机。"],
  [
    "Add sslmode=verify-full to DATABASE_URL, and give Node the CA certificate if you run your own CA.",
    "请在 DATABASE_URL 中添加 sslmode=verify-full；若使用自己的 CA，请为 Node 提供其证书。"
  ],
  ["The connection to {} stays on this machine.", "到 {} 的连接不离开本机。"],
  ["The connection to {} is not encrypted.", "到 {} 的连接未加密。"],
  [
    "The connection to {} uses {}, but would fall back to none (sslmode={}).",
    "到 {} 的连接使用 {}，但可能退回为不加密（sslmode={}）。"
  ],
  ["The connection to {} uses {} with a verified certificate.", "到 {} 的连接使用 {}，证书已验证。"],
  ["The clocks of this machine and of Postgres are {} s apart.", "本机与 Postgres 的时钟相差 {} 秒。"],
  [
    "Sync both clocks with NTP: webhook receivers reject old timestamps.",
    "请用 NTP 同步两个时钟：Webhook 接收方会拒绝过旧的时间戳。"
  ],
  [
    "The service needs {} connections; {} are allowed, and other clients use {} of them.",
    "服务需要 {} 个连接；上限为 {}，其他客户端已使用 {} 个。"
  ],
  ["Raise max_connections.", "请调高 max_connections。"],
  [
    "Raise max_connections, or set DATABASE_CONNECTIONS to {}: then one more process fits, as in a rolling update.",
    "请调高 max_connections，或将 DATABASE_CONNECTIONS 设为 {}，以便滚动更新时再容纳一个进程。"
  ],
  ["The embedded PostgreSQL is in the data directory.", "内置的 PostgreSQL 位于数据目录中。"],
  ["Postgres is at {}: monitor the disk there.", "Postgres 位于 {}：请在那里监控磁盘。"],
  [
    "The service's role can't read Postgres' data directory: monitor that disk on its host.",
    "服务的角色无法读取 Postgres 的数据目录：请在其主机上监控磁盘。"
  ],
  ["The oldest of the {} is {} days old, but they are kept for {} only.", "{} 中最早的已有 {} 天，但仅应保留 {} 天。"],
  [
    "Check that a runner is working with this setting: it deletes such rows hourly.",
    "请检查是否有节点使用此设置运行：它每小时删除一次此类数据。"
  ],
  ["Retention: {}.", "保留期限：{}。"],
  // Other services
  ["A single process counts requests itself.", "单个进程自行统计请求数。"],
  [
    "REDIS_URL is not set: Postgres counts requests for all runners, with one more statement for most of them.",
    "未设置 REDIS_URL：由 Postgres 为所有节点统计请求数，多数请求因此多执行一条语句。"
  ],
  ["Set REDIS_URL to a Redis shared by all runners.", "请将 REDIS_URL 设为所有节点共用的 Redis。"],
  ["Redis at {} is not responding: {}.", "{} 上的 Redis 没有响应：{}。"],
  ["Start it, or correct REDIS_URL.", "请启动它，或更正 REDIS_URL。"],
  ["Redis at {} responds, over TLS.", "{} 上的 Redis 响应正常，使用 TLS。"],
  ["Redis at {} responds, on this machine.", "{} 上的 Redis 响应正常，位于本机。"],
  ["Redis at {} responds, but the connection is not encrypted.", "{} 上的 Redis 响应正常，但连接未加密。"],
  ["Use rediss:// in REDIS_URL.", "请在 REDIS_URL 中使用 rediss://。"],
  ["SMTP_URL is not set: emails are written to files in {}/mails.", "未设置 SMTP_URL：邮件写入 {}/mails 中的文件。"],
  ["Set SMTP_URL, so that buyers receive their receipts.", "请设置 SMTP_URL，以便买家收到收据。"],
  [
    "NO_OUTBOUND is set: no emails are sent, and the mail server was not checked.",
    "已设置 NO_OUTBOUND：不发送邮件，也未检查邮件服务器。"
  ],
  ["The mail server {} can't be used: {}.", "无法使用邮件服务器 {}：{}。"],
  ["Correct SMTP_URL, or fix that server.", "请更正 SMTP_URL，或修复该服务器。"],
  ["Emails are sent from {}, which receivers will reject.", "邮件的发件地址是 {}，收件方会拒收。"],
  ["Set MAIL_FROM to an address of your own domain.", "请将 MAIL_FROM 设为您自己域名的地址。"],
  ["The mail server {} accepts emails from {}.", "邮件服务器 {} 接受来自 {} 的邮件。"],
  [
    "The mail server {} responds, but emails would be sent unencrypted if it stopped offering TLS.",
    "邮件服务器 {} 响应正常，但若它不再提供 TLS，邮件将不加密发送。"
  ],
  ["Use smtps:// in SMTP_URL, or add ?requireTLS=true.", "请在 SMTP_URL 中使用 smtps://，或添加 ?requireTLS=true。"],
  [
    "OPENID_ISSUER is not set: people sign in with email links and passkeys.",
    "未设置 OPENID_ISSUER：人员通过邮件链接和通行密钥登录。"
  ],
  ["NO_OUTBOUND is set: the OpenID provider was not checked.", "已设置 NO_OUTBOUND：未检查 OpenID 提供方。"],
  ["The OpenID provider at {} matches OPENID_ISSUER.", "{} 上的 OpenID 提供方与 OPENID_ISSUER 一致。"],
  ["The OpenID provider at {} can't be used: {}.", "无法使用 {} 上的 OpenID 提供方：{}。"],
  [
    "Correct OPENID_ISSUER, or fix that provider: until then, nobody can sign in with it.",
    "请更正 OPENID_ISSUER，或修复该提供方：在此之前无法通过它登录。"
  ],
  // Network
  ["PUBLIC_URL is {}: browsers block port {}.", "PUBLIC_URL 为 {}：浏览器禁止访问端口 {}。"],
  ["Set PORT or PUBLIC_URL to another port, such as 8080.", "请将 PORT 或 PUBLIC_URL 改为其他端口，例如 8080。"],
  ["PUBLIC_URL is {}, on this machine only.", "PUBLIC_URL 为 {}，仅限本机。"],
  [
    "PUBLIC_URL is {}: buyers would enter card details on an unencrypted page.",
    "PUBLIC_URL 为 {}：买家将在未加密的页面上输入银行卡信息。"
  ],
  ["PUBLIC_URL is {}.", "PUBLIC_URL 为 {}。"],
  [
    "Put a proxy with TLS in front of the HTTP port, and set PUBLIC_URL to its https address.",
    "请在 HTTP 端口前部署 TLS 代理，并将 PUBLIC_URL 设为其 https 地址。"
  ],
  ["Everything is served on one port, on this machine only.", "所有内容由同一端口提供，仅限本机。"],
  ["The operator API and the metrics are served on the public port.", "运营方 API 和指标由公开端口提供。"],
  ["Set ADMIN_PORT to serve them on a separate port of this machine.", "请设置 ADMIN_PORT，改由本机的单独端口提供。"],
  [
    "The operator API and the metrics are served at {}, on this machine only.",
    "运营方 API 和指标由 {} 提供，仅限本机。"
  ],
  ["The operator API and the metrics are served at {}, unencrypted.", "运营方 API 和指标由 {} 提供，未加密。"],
  [
    "Make sure that only operators and the metrics collector can reach that port, or unset ADMIN_HOST.",
    "请确保只有运营人员和指标采集程序能访问该端口，或取消设置 ADMIN_HOST。"
  ],
  [
    "TRUSTED_PROXIES trusts every address, so any client can spoof its address.",
    "TRUSTED_PROXIES 信任所有地址，任何客户端都能伪造自己的地址。"
  ],
  ["List only the addresses of your own proxies.", "请只列出您自己的代理的地址。"],
  ["Trusted proxies: {}.", "受信任的代理：{}。"],
  [
    "PUBLIC_URL is https and TRUSTED_PROXIES is not set: every client appears with the proxy's address.",
    "PUBLIC_URL 是 https，但未设置 TRUSTED_PROXIES：所有客户端都显示为代理的地址。"
  ],
  [
    "Set TRUSTED_PROXIES to the addresses of the proxies in front: IP allowlists and rate limits use the client's address.",
    "请将 TRUSTED_PROXIES 设为前置代理的地址：IP 白名单和频率限制都使用客户端的地址。"
  ],
  ["Clients connect directly, without a proxy.", "客户端直接连接，不经过代理。"],
  [
    "NO_OUTBOUND is set: no acquirer is called, and no webhooks or emails are sent.",
    "已设置 NO_OUTBOUND：不调用收单渠道，也不发送 Webhook 和邮件。"
  ],
  [
    "Unset it and drop --no-outbound, unless this is a restored copy for testing.",
    "除非这是用于测试的恢复副本，否则请取消此设置并去掉 --no-outbound。"
  ],
  ["Webhooks, emails and calls to the acquirer are enabled.", "Webhook、邮件和对收单渠道的调用均已启用。"],
  ["This process is not part of a cluster.", "此进程不属于集群。"],
  ["RUNNER_HOST {} can't be resolved.", "无法解析 RUNNER_HOST {}。"],
  [
    "Set RUNNER_HOST to a name or address that other runners can reach.",
    "请将 RUNNER_HOST 设为其他节点可访问的名称或地址。"
  ],
  [
    "Other runners reach this one at {}, where it responds. Other machines can't reach it.",
    "其他节点通过 {} 访问此节点，响应正常。其他机器无法访问。"
  ],
  [
    "Other runners reach this one at {}, where nothing responds now. Other machines can't reach it.",
    "其他节点通过 {} 访问此节点，目前没有响应。其他机器无法访问。"
  ],
  [
    "Other runners reach this one at {}, where it responds; it listens at {}, and authenticates runners by a key derived from SECRET_KEY.",
    "其他节点通过 {} 访问此节点，响应正常；监听 {}，以 SECRET_KEY 派生的密钥验证节点。"
  ],
  [
    "Other runners reach this one at {}, where it responds; it listens at {}, and authenticates runners by certificates.",
    "其他节点通过 {} 访问此节点，响应正常；监听 {}，以证书验证节点。"
  ],
  [
    "Other runners reach this one at {}, where nothing responds now; it listens at {}, and authenticates runners by a key derived from SECRET_KEY.",
    "其他节点通过 {} 访问此节点，目前没有响应；监听 {}，以 SECRET_KEY 派生的密钥验证节点。"
  ],
  [
    "Other runners reach this one at {}, where nothing responds now; it listens at {}, and authenticates runners by certificates.",
    "其他节点通过 {} 访问此节点，目前没有响应；监听 {}，以证书验证节点。"
  ],
  ["No merchant is live.", "没有正式环境的商户。"],
  [
    "Set the channel of these merchants (docs/going-live.md), or revoke their approval.",
    "请设置这些商户的渠道（docs/going-live.md），或撤销其审核。"
  ],
  [
    "No merchant has an account at an acquirer: live orders can't be paid.",
    "没有商户在收单渠道开户：正式订单无法付款。"
  ],
  [
    "{} of {} live merchants have no account at an acquirer: their orders can't be paid.",
    "{} 个商户（正式商户共 {} 个）未在收单渠道开户，其订单无法付款。"
  ],
  ["Every live merchant has an active account at an acquirer.", "每个正式商户都在收单渠道有有效账户。"],
  // This machine
  ["Node {} is the tested version.", "Node {} 是测试过的版本。"],
  ["Node {} is running, but the tested version is {}.", "正在运行 Node {}，但测试过的版本是 {}。"],
  ["Start the program with npm start.", "请用 npm start 启动程序。"],
  ["This system does not report its limit of open files.", "此系统不报告打开文件数的上限。"],
  [
    "A process may open {}, and a runner needs {} with the current CLIENT_CONNECTIONS.",
    "进程可打开的上限为 {}；按当前 CLIENT_CONNECTIONS，节点需要 {} 个。"
  ],
  [
    "Raise the limit (ulimit -n {}, LimitNOFILE of systemd), or lower CLIENT_CONNECTIONS: beyond the limit buyers can't connect.",
    "请调高上限（ulimit -n {}，systemd 的 LimitNOFILE），或调低 CLIENT_CONNECTIONS：超出上限后买家无法连接。"
  ],
  ["Evidence is stored in the bucket {}.", "证据文件存放在存储桶 {} 中。"],
  ["Set FILES_S3_BUCKET, or mount one {} for all runners.", "请设置 FILES_S3_BUCKET，或为所有节点挂载同一个 {}。"],
  ["{} of the {} newest evidence files are missing in {}.", "缺少 {} 个（最新的 {} 个证据文件中），位置：{}。"],
  [
    "Evidence is stored in {}, which runners on other machines may not share.",
    "证据文件存放在 {}，其他机器上的节点可能无法共用。"
  ],
  ["Evidence is stored in {}.", "证据文件存放在 {}。"],
  ["Free up space on that disk, or move the data to a larger one.", "请释放该磁盘的空间，或将数据移到更大的磁盘。"],
  ["BACKUP_DIR is not set, so backups can't be checked.", "未设置 BACKUP_DIR，无法检查备份。"],
  [
    "Back up Postgres, and set BACKUP_DIR to the folder where backups arrive.",
    "请备份 Postgres，并将 BACKUP_DIR 设为备份所在的文件夹。"
  ],
  [
    "Find out why no backup arrives: data written since the last one exists only once.",
    "请查明备份为何中断：上次备份后写入的数据只有一份。"
  ],
  ["{} of {} are free at {}.", "可用空间 {}，共 {}，位置：{}。"],
  ["There are no files in {}.", "{} 中没有文件。"],
  ["The newest backup is {}, {} hours old.", "最新的备份是 {}，已有 {} 小时。"],
  // Guards
  ["Anchors are written to {}.", "锚点写入 {}。"],
  [
    "ANCHOR_FILE is not set: anyone who can rewrite the ledger can rewrite its anchors too.",
    "未设置 ANCHOR_FILE：能改写账本的人也能改写其锚点。"
  ],
  ["Set ANCHOR_FILE to a file that is shipped to another machine.", "请将 ANCHOR_FILE 设为会传送到另一台机器的文件。"],
  ["TWO_OPERATORS names actions that need two operators.", "TWO_OPERATORS 列出了需要两位运营人员的操作。"],
  [
    "TWO_OPERATORS is not set: a single operator can approve payouts and create live keys.",
    "未设置 TWO_OPERATORS：一位运营人员即可批准提现并创建正式密钥。"
  ],
  [
    "Set TWO_OPERATORS to the actions that should need two operators, such as payouts:100000,live_keys.",
    "请将 TWO_OPERATORS 设为需要两位运营人员的操作，例如 payouts:100000,live_keys。"
  ],
  ["Operators and team members of live merchants need a passkey.", "运营人员和正式商户的成员必须使用通行密钥。"],
  [
    "DEMAND_PASSKEYS does not cover operators: an email is enough to sign in.",
    "DEMAND_PASSKEYS 未涵盖运营人员：凭邮件即可登录。"
  ],
  [
    "DEMAND_PASSKEYS does not cover team members of live merchants: an email is enough to sign in.",
    "DEMAND_PASSKEYS 未涵盖正式商户的成员：凭邮件即可登录。"
  ],
  [
    "DEMAND_PASSKEYS does not cover operators and team members of live merchants: an email is enough to sign in.",
    "DEMAND_PASSKEYS 未涵盖运营人员和正式商户的成员：凭邮件即可登录。"
  ],
  ["Set DEMAND_PASSKEYS=operators,live.", "请设置 DEMAND_PASSKEYS=operators,live。"]
]

const patterns = sentences.map(([en, zh]) => {
  const parts = en.split("{}").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return [new RegExp(`^${parts.join("(.+?)")}$`, "s"), zh] as const
})

const chinese = (text: string): string => {
  for (const [pattern, zh] of patterns) {
    const values = pattern.exec(text)?.slice(1)
    if (values !== undefined) return zh.replaceAll("{}", () => values.shift() ?? "")
  }
  return text
}

/** A sentence of a finding. */
export const doctorText = (text: string, language: Language): string =>
  wordsIn({ en: text, zh: chinese(text) }, language)

/** The name of a check. */
export const checkName = (name: string, language: Language): string =>
  wordsIn({ en: name, zh: names[name] ?? name }, language)
