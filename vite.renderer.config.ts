import { fileURLToPath } from 'node:url'
import vueI18n from '@intlify/unplugin-vue-i18n/vite'
import tailwind from '@tailwindcss/vite'
import vue from '@vitejs/plugin-vue'
import type { UserConfig } from 'vite'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/**
 * The console page. Nothing in the output needs eval or inline code: messages are compiled here, the theme starts from
 * a file of its own, and small assets stay files, so the strict policy of the server needs no exception.
 */
export const renderer: UserConfig = {
  root: path('renderer'),
  base: '/',
  plugins: [
    vue(),
    tailwind(),
    vueI18n({
      include: path('renderer/locales/*.json'),
      runtimeOnly: true,
      dropMessageCompiler: true,
      compositionOnly: true,
      fullInstall: false,
      strictMessage: true,
    }),
  ],
  build: {
    outDir: path('out/renderer'),
    emptyOutDir: true,
    minify: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  server: { port: 5173, strictPort: true },
}
