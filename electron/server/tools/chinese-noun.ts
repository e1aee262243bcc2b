/** The first Chinese noun of a description: 控制加热器的开关 → 加热器. */
export function chineseNoun(text: string): string[] {
  const run = /[\u4e00-\u9fff]{1,16}/.exec(text)?.[0] ?? ''
  const noun = run
    .replace(
      /^(?:用于|可以|请)?(?:控制|设置|打开或关闭|打开|关闭|开关|读取|获取|查询|调节|调整|切换|测量|设定)?(?:当前|一个|这个)?/,
      '',
    )
    .replace(/(?:的.*|开关|状态|打开.*|是否.*)$/, '')
  return noun.length > 0 && noun.length <= 8 ? [noun] : []
}
