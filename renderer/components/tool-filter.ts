import type { ToolSummary } from '../../electron/contract/tool-registry.ts'

export const toolStates = ['published', 'draft', 'canary', 'deprecated', 'disabled'] as const
export type ToolState = (typeof toolStates)[number]

export interface ToolFilter {
  readonly text: string
  readonly origin: ToolSummary['origin'] | ''
  readonly danger: ToolSummary['danger'] | ''
  readonly state: ToolState | ''
}

export const noToolFilter: ToolFilter = { text: '', origin: '', danger: '', state: '' }
export const isToolFiltered = (filter: ToolFilter): boolean => Object.values(filter).some((part) => part !== '')

/** Everything that is true of a tool: it may be published, on trial and have a draft at once. */
export function statesOf(tool: ToolSummary): readonly ToolState[] {
  const facts: Record<ToolState, boolean> = {
    published: tool.published !== null && !tool.deprecated,
    draft: tool.drafts > 0,
    canary: tool.canary,
    deprecated: tool.deprecated,
    disabled: !tool.enabled,
  }
  return toolStates.filter((state) => facts[state])
}

/** Every word of the text is somewhere in name, description or provider, in any case. */
export function filterTools(tools: readonly ToolSummary[], filter: ToolFilter): readonly ToolSummary[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean)
  return tools.filter(
    (tool) =>
      (filter.origin === '' || tool.origin === filter.origin) &&
      (filter.danger === '' || tool.danger === filter.danger) &&
      (filter.state === '' || statesOf(tool).includes(filter.state)) &&
      (words.length === 0 || matches(tool, words)),
  )
}

function matches(tool: ToolSummary, words: readonly string[]): boolean {
  const text = `${tool.name} ${tool.description} ${tool.provider ?? ''}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

const collator = new Intl.Collator(undefined, { numeric: true })
const dangers = ['read', 'harmless', 'physical', 'destructive']
const orders: Readonly<Record<string, (a: ToolSummary, b: ToolSummary) => number>> = {
  name: (a, b) => collator.compare(a.name, b.name),
  danger: (a, b) => dangers.indexOf(a.danger) - dangers.indexOf(b.danger),
  origin: (a, b) => collator.compare(a.origin, b.origin),
  version: (a, b) => (a.published ?? 0) - (b.published ?? 0),
  calls: (a, b) => a.calls - b.calls,
  failed: (a, b) => a.failed - b.failed,
}

export function sortTools(
  tools: readonly ToolSummary[],
  sort: { readonly key: string; readonly down: boolean },
): readonly ToolSummary[] {
  const order = orders[sort.key]
  if (!order) return tools
  const sorted = [...tools].sort((a, b) => order(a, b) || collator.compare(a.name, b.name))
  return sort.down ? sorted.reverse() : sorted
}

/** A name that the registry takes (contract `ToolName`). */
export const isToolName = (name: string): boolean => /^[A-Za-z0-9_.-]{1,64}$/.test(name)

/** A dot would make the last part look like a file to the server, and a reload would miss the page. */
export const toolPath = (name: string): string => `/toolbox/tool/${encodeURIComponent(name).replaceAll('.', '%2E')}`
