import { spokenTool } from './agent/thinking/spoken-tool.ts'
import type { SpokenLanguage } from './agent/providers.ts'
import type { ToolVersion } from '../contract/tool.ts'

export interface Phrasing {
  readonly phrase: string
  readonly language: SpokenLanguage
}

const wanted = 5

/** Five sentences that a person would say to reach this tool, made from its descriptor alone, in both languages. */
export function phrasingsOf(tool: ToolVersion): Phrasing[] {
  const english = phrasesIn(tool, 'en').map((phrase) => ({ phrase, language: 'en' as const }))
  const chinese = phrasesIn(tool, 'zh').map((phrase) => ({ phrase, language: 'zh' as const }))
  const mixed = english.flatMap((phrase, index) => [phrase, ...(chinese[index] ? [chinese[index]] : [])])
  const all = [...mixed, ...chinese.slice(english.length)]
  const plain = [{ phrase: tool.name.replace(/[_.-]+/g, ' '), language: 'en' as const }]
  return (all.length > 0 ? all : plain).slice(0, wanted)
}

function phrasesIn(tool: ToolVersion, language: SpokenLanguage): string[] {
  const spoken = spokenTool(tool, language)
  const [target, other = target] = [...spoken.targets.keys()]
  if (target === undefined) return []
  const isEnglish = language === 'en'
  return spoken.intents.flatMap((intent): string[] => {
    switch (intent) {
      case 'switch':
        return isEnglish
          ? [`turn on the ${target}`, `switch the ${other} off`, `${target} on please`]
          : [`打开${target}`, `把${other}关掉`, `关闭${target}`]
      case 'level':
        return levels(spoken.numbers[0], { target, other, isEnglish })
      case 'color':
        return isEnglish ? [`make the ${target} blue`, `set ${other} to red`] : [`把${target}调成蓝色`, `${other}红色`]
      case 'choice':
        return choices(spoken.choices[0], { target, isEnglish })
      case 'read':
        return isEnglish
          ? [`what is the ${target}`, `tell me the ${other}`, `read the ${target}`]
          : [`${target}是多少`, `查看${other}`, `现在${target}多少`]
      case 'run':
        return isEnglish ? [`run ${target}`, `start the ${other}`, target] : [`执行${target}`, `启动${other}`, target]
      default:
        return []
    }
  })
}

interface Named {
  readonly target: string
  readonly other?: string | undefined
  readonly isEnglish: boolean
}

function levels(
  param:
    | { readonly min: number | undefined; readonly max: number | undefined; readonly names: readonly string[] }
    | undefined,
  { target, other = target, isEnglish }: Named,
): string[] {
  const low = param?.min ?? 0
  const middle = Math.round((low + (param?.max ?? low + 10)) / 2)
  const name = param?.names[0]
  return isEnglish
    ? [`set the ${target} to ${middle}`, `turn ${other} to ${middle}`, ...(name ? [`set ${name} to ${middle}`] : [])]
    : [`把${target}调到${middle}`, `${other}设为${middle}`, ...(name ? [`${name}调到${middle}`] : [])]
}

function choices(
  param: { readonly values: ReadonlyMap<string, unknown> } | undefined,
  { target, isEnglish }: Named,
): string[] {
  return [...(param?.values.keys() ?? [])]
    .slice(0, 3)
    .map((value) => (isEnglish ? `set the ${target} to ${value}` : `把${target}调成${value}`))
}
