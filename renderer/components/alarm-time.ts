/** What is left, as a clock of a kitchen timer: `1:05:09`, `4:59`. Below zero it is `0:00`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000))
  const [h, m, s] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60), seconds % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}

/** The next moment at which a clock on the wall here shows `HH:MM`, on one of `on` (ISO weekdays) when any is given. */
export function nextAt(time: string, on: readonly number[], from: number): number | null {
  const [hours, minutes] = time.split(':').map(Number)
  if (hours === undefined || minutes === undefined || Number.isNaN(hours + minutes)) return null
  for (let ahead = 0; ahead <= 7; ahead++) {
    const date = new Date(from)
    date.setHours(hours, minutes, 0, 0)
    date.setDate(date.getDate() + ahead)
    const weekday = ((date.getDay() + 6) % 7) + 1
    if (date.getTime() > from && (on.length === 0 || on.includes(weekday))) return date.getTime()
  }
  return null
}
