import { fileURLToPath } from 'node:url'
import { defineConfig } from 'electron-vite'
import { renderer } from './vite.renderer.config.ts'

// Every program of Roost is an entry of its own, flat in out/main: electron/base/entries.ts finds them by name.
const programs = {
  main: 'electron/main/main.ts',
  roost: 'electron/cli/roost.ts',
  server: 'electron/server/server-process.ts',
  flasher: 'electron/server/flasher-process.ts',
  uart: 'electron/server/uart-process.ts',
  vad: 'electron/server/audio/vad-process.ts',
  asr: 'electron/server/agent/hearing/asr-process.ts',
  tts: 'electron/server/agent/speaking/tts-process.ts',
  chip: 'electron/virtual/chip/chip-process.ts',
  'store-worker': 'electron/server/store/store.worker.ts',
  'codec-worker': 'electron/server/audio/codec.worker.ts',
  'sound-worker': 'electron/server/tools/builtin/sound.worker.ts',
  'sum-worker': 'electron/server/tools/builtin/sum.worker.ts',
}

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      emptyOutDir: true,
      minify: false,
      sourcemap: false,
      rolldownOptions: {
        input: programs,
        // Chunks lie beside the entries, so that a relative path means the same in both.
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunk-[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      externalizeDeps: false,
      rolldownOptions: {
        input: { preload: 'electron/preload/preload.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    ...renderer,
    // electron-vite makes addresses relative for pages opened as files; ours is served, and its routes have depth.
    plugins: [...(renderer.plugins ?? []), { name: 'page-at-root', enforce: 'post', config: () => ({ base: '/' }) }],
    build: {
      ...renderer.build,
      // electron-vite looks for the page in src/renderer unless it is told.
      rolldownOptions: { input: fileURLToPath(new URL('renderer/index.html', import.meta.url)) },
    },
  },
})
