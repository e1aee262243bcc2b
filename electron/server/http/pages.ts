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
body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; }
code { overflow-wrap: anywhere; }
label { display: block; margin: 1rem 0; }
input { display: block; width: 100%; box-sizing: border-box; font: inherit; padding: .5rem; }
button { font: inherit; padding: .5rem 1rem; }
.problem { border-inline-start: .25rem solid #b3261e; padding-inline-start: .75rem; }
</style>
</head>
<body>
<main>
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
<h1 lang="zh-CN">信任本服务</h1>
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
    `<h1>Create the owner account <span lang="zh-CN">创建所有者账户</span></h1>
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
