/** The pages that have to work before the console does: no script, nothing loaded, both languages at once. */
function page(title: string, body: string, nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
<style nonce="${nonce}">
:root { --canvas: #f5f6f8; --surface: #fff; --ink: #14181f; --ink2: #465060; --line: #e2e5ea; --control: #7a8493;
  --accent: #2457d6; --on-accent: #fff; --error: #b3231c; --error-bg: #fde8e6; --sunken: #eceef2; }
@media (prefers-color-scheme: dark) { :root { --canvas: #0f1217; --surface: #171b22; --ink: #e8ebf0; --ink2: #b4bcc8;
  --line: #262d37; --control: #6f7a89; --accent: #7aa2ff; --on-accent: #0b1220; --error: #ff7f76; --error-bg: #331817;
  --sunken: #1f252e; } }
body { font: 14px/1.6 Inter, "Segoe UI Variable", "SF Pro Text", "PingFang SC", "Microsoft YaHei UI", "Noto Sans SC",
  "Noto Sans CJK SC", system-ui, sans-serif; margin: 0; padding: 6vh 16px; background: var(--canvas); color: var(--ink); }
main { max-width: 520px; margin: 0 auto; padding: 32px; background: var(--surface); border: 1px solid var(--line);
  border-radius: 10px; }
.mark { font-weight: 600; color: var(--accent); margin: 0 0 24px; }
h1 { font-size: 20px; line-height: 28px; margin: 0 0 4px; }
h1 + p.second, h2 { margin: 0 0 16px; color: var(--ink2); }
h2 { font-size: 16px; line-height: 24px; margin: 24px 0 4px; color: var(--ink); }
code { display: block; overflow-wrap: anywhere; padding: 8px 12px; border-radius: 4px; background: var(--sunken);
  font: 12px/18px "JetBrains Mono", "Cascadia Mono", monospace; }
label { display: block; margin: 16px 0; }
label span, button span { color: inherit; opacity: .85; }
input { display: block; width: 100%; box-sizing: border-box; margin-top: 4px; height: 36px; padding: 0 12px; font: inherit;
  color: inherit; background: var(--surface); border: 1px solid var(--control); border-radius: 4px; }
button { height: 36px; padding: 0 16px; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent);
  border: 0; border-radius: 4px; cursor: pointer; }
a { color: var(--accent); }
input:focus-visible, button:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.problem { margin: 0 0 16px; padding: 8px 12px; border-radius: 6px; color: var(--error); background: var(--error-bg); }
</style>
</head>
<body>
<main>
<p class="mark">Roost</p>
${body}
</main>
</body>
</html>
`
}

export function caGuidePage(fingerprint: string, nonce: string): string {
  const prints = `<p><code>${escape(fingerprint)}</code></p>`
  const files = `<ul><li><a href="/ca.pem">ca.pem</a></li><li><a href="/ca.der">ca.der</a></li></ul>`
  return page(
    'Roost: certificate 证书',
    `<h1>Trust this server</h1>
<p>This server proves who it is with a certificate of its own. Compare the fingerprint with the one that the server
shows on its own screen. Only if every digit is the same, download the certificate and add it to the trusted authorities
of this device. It can only speak for names and addresses of private networks.</p>
${prints}${files}
<h2 lang="zh-CN">信任本服务</h2>
<p lang="zh-CN">本服务使用自己的证书证明身份。请与服务器屏幕上显示的指纹逐位核对，完全一致后再下载证书，并将其添加到本设备的受信任证书颁发机构。
该证书只对内部网络的名称和地址有效。</p>
${prints}${files}`,
    nonce,
  )
}

export interface SetupForm {
  readonly secret: string
  readonly name: string
  /** What was wrong with the last try, in both languages. */
  readonly problem?: { readonly en: string; readonly 'zh-CN': string } | undefined
}

export function setupPage({ secret, name, problem }: SetupForm, nonce: string): string {
  const told = problem
    ? `<p class="problem" role="alert">${escape(problem.en)}<br><span lang="zh-CN">${escape(problem['zh-CN'])}</span></p>`
    : ''
  return page(
    'Roost: owner 所有者',
    `<h1>Create the owner account</h1>
<p class="second" lang="zh-CN">创建所有者账户</p>
${told}
<form method="post" action="/auth/setup">
<input type="hidden" name="secret" value="${escape(secret)}">
<label>Name <span lang="zh-CN">用户名</span>
<input name="name" required maxlength="64" autocomplete="username" value="${escape(name)}"></label>
<label>Password, at least 10 characters <span lang="zh-CN">密码，至少 10 个字符</span>
<input name="password" type="password" required minlength="10" maxlength="256" autocomplete="new-password"></label>
<button>Create <span lang="zh-CN">创建</span></button>
</form>`,
    nonce,
  )
}

export function messagePage(text: { readonly en: string; readonly 'zh-CN': string }, nonce: string): string {
  return page('Roost', `<p>${escape(text.en)}</p><p lang="zh-CN">${escape(text['zh-CN'])}</p>`, nonce)
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
