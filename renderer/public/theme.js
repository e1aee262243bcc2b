/* global document */
// Runs before the first paint, from its own file because the page's policy forbids inline code.
;(function () {
  var root = document.documentElement
  try {
    var saved = JSON.parse(localStorage.getItem('roost.preferences') || '{}')
    if (saved.theme === 'light' || saved.theme === 'dark') root.dataset.theme = saved.theme
    var language = saved.language || (/^zh\b/i.test(navigator.language) ? 'zh-CN' : 'en')
    root.lang = language === 'zh-CN' ? 'zh-CN' : 'en'
  } catch {
    // Storage may be closed to the page: the system theme is a good first paint.
  }
})()
