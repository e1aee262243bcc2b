import { useI18n } from 'vue-i18n'
import rows from '../../electron/contract/metrics.json' with { type: 'json' }
import { useFormat } from './format.ts'

interface Row {
  readonly unit: string
  readonly en: string
  readonly 'zh-CN': string
}
const known: Readonly<Record<string, Row>> = rows

/** Names and values of metrics for people; a metric without a row keeps its own name. */
export function useMetricText() {
  const { locale } = useI18n()
  const format = useFormat()

  return {
    label: (metric: string) => known[metric]?.[locale.value === 'zh-CN' ? 'zh-CN' : 'en'] ?? metric,
    unit: (metric: string) => known[metric]?.unit ?? '',
    value(metric: string, value: number): string {
      const unit = known[metric]?.unit ?? ''
      if (unit === 'B') return format.bytes(value)
      if (unit === 'ms') return format.duration(value)
      return [format.number(value, 1), unit].join(' ').trim()
    },
  }
}
