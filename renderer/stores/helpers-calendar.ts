import { defineStore } from 'pinia'
import type { CalendarEvent } from '../../electron/contract/helper-tools.ts'
import { api } from '../client/client.ts'

export const useCalendarStore = defineStore('calendar', () => ({
  between: (from: number, to: number) => api.calendar.between({ from, to }),
  put: (event: CalendarEvent) => api.calendar.put(event),
  remove: (id: string) => api.calendar.remove({ id }),
  readIcs: (text: string) => api.calendar.readIcs({ text }),
  writeIcs: () => api.calendar.writeIcs(),
}))
