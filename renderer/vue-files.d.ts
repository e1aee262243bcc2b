// For tools that do not read .vue files themselves (ESLint); vue-tsc takes the real types.
declare module '*.vue' {
  import type { DefineComponent } from 'vue'

  const component: DefineComponent
  export { component as default }
}
