import { defineStore } from 'pinia'
import { api } from '../client/client.ts'

/** The music folder of the server, and words that are said aloud on boards. */
export const useMusicStore = defineStore('music', () => ({
  state: () => api.music.state(),
  setFolder: (folder: string | null) => api.music.setFolder({ folder }),
  announce: (deviceIds: string[], text: string) => api.announcements.say({ deviceIds, text }),
}))
