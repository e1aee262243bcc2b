import type { ToolContent } from '../../contract/tool-registry.ts'
import { modelName } from './model-names.ts'

/**
 * Tokens that a tool costs a model in every turn, estimated: tokenisers differ by a fifth. A Chinese character is about
 * one token, of everything else in JSON about 3.6 characters are.
 */
export function estimateTokens(name: string, tool: Pick<ToolContent, 'description' | 'arguments'>): number {
  const text = JSON.stringify({ name: modelName(name), description: tool.description, parameters: tool.arguments })
  const wide = (text.match(/[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/g) ?? []).length
  return Math.ceil(wide + (text.length - wide) / 3.6)
}
