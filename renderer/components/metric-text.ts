import { useI18n } from 'vue-i18n'
import rows from '../../electron/contract/metrics.json' with { type: 'json' }
import { axisBytes, axisDuration, axisNumber } from './axis-text.ts'
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
    /** `step` is the distance of two ticks: an axis needs as many decimals as tell them apart. */
    value(metric: string, value: number, step?: number): string {
      const unit = known[metric]?.unit ?? ''
      const tick = step === undefined ? null : { value, step, locale: locale.value }
      if (unit === 'B') return tick ? axisBytes(tick) : format.bytes(value)
      if (unit === 'ms') return tick ? axisDuration(tick) : format.duration(value)
      return [tick ? axisNumber(tick) : format.number(value, 1), unit].join(' ').trim()
    },
  }
}
