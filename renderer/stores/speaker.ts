import { defineStore } from 'pinia'
import { ref } from 'vue'
import type { SoundFrame } from '../../electron/contract/rpc.ts'
import { api, subscribe } from '../client/client.ts'
import { decodePcm, frameStart } from './pcm.ts'

/** This computer's loudspeaker as that of a virtual board. Starts with a person's click, or the browser stays silent. */
export const useSpeakerStore = defineStore('speaker', () => {
  const muted = ref(false)
  const deviceId = ref<string | null>(null)
  let output: AudioContext | null = null
  let end = 0
  let stopStream: (() => void) | null = null

  function play({ sampleRate, pcm }: SoundFrame) {
    const samples = decodePcm(pcm)
    if (muted.value || output === null || samples.length === 0) return
    const buffer = output.createBuffer(1, samples.length, sampleRate)
    buffer.copyToChannel(samples, 0)
    const source = new AudioBufferSourceNode(output, { buffer })
    source.connect(output.destination)
    const start = frameStart(output.currentTime, end)
    source.start(start)
    end = start + buffer.duration
  }

  function close() {
    stopStream?.()
    stopStream = null
    deviceId.value = null
    void output?.close()
    output = null
    end = 0
  }

  function listen(id: string) {
    if (deviceId.value === id) return
    close()
    deviceId.value = id
    output = new AudioContext()
    stopStream = subscribe((signal) => api.talk.sound({ deviceId: id }, { signal }), play)
  }

  return { muted, listen, close }
})
