import { useI18n } from 'vue-i18n'
import rows from '../../electron/contract/metrics.json' with { type: 'json' }
import { type Axis, bytesAxis, durationAxis, numberAxis, secondsAxis } from './axis-text.ts'
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
  const unitOf = (metric: string) => known[metric]?.unit ?? ''

  return {
    label: (metric: string) => known[metric]?.[locale.value === 'zh-CN' ? 'zh-CN' : 'en'] ?? metric,
    unit: unitOf,
    value(metric: string, value: number): string {
      const unit = unitOf(metric)
      if (unit === 'B') return format.bytes(value)
      if (unit === 'ms') return format.duration(value)
      if (unit === 's') return format.duration(value * 1_000)
      return [format.number(value, 1), unit].join(' ').trim()
    },
    axis(metric: string): Axis {
      const unit = unitOf(metric)
      if (unit === 'B') return bytesAxis(locale.value)
      if (unit === 'ms') return durationAxis(locale.value)
      if (unit === 's') return secondsAxis(locale.value)
      // A metric without a row may be a fraction: only what is known to be a count has whole steps.
      return numberAxis(unit, locale.value, metric in known && unit === '')
    },
  }
}
