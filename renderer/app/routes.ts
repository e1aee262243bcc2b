import { createRouter, createWebHistory, type RouteRecordRaw } from 'vue-router'
import { usePageLostStore } from '../stores/page-lost.ts'
import type { useAccountStore } from '../stores/account.ts'

declare module 'vue-router' {
  interface RouteMeta {
    /** Message key of the document title. */
    title: string
    /** Shown without the shell, and without an account. */
    open?: boolean
  }
}

export const routes: RouteRecordRaw[] = [
  { path: '/', redirect: '/fleet' },
  {
    path: '/setup',
    name: 'setup',
    meta: { title: 'setup.title', open: true },
    component: () => import('../screens/SetupScreen.vue'),
  },
  {
    path: '/sign-in',
    name: 'sign-in',
    meta: { title: 'signIn.title', open: true },
    component: () => import('../screens/SignInScreen.vue'),
  },
  {
    path: '/fleet',
    name: 'fleet',
    meta: { title: 'nav.fleet' },
    component: () => import('../screens/FleetScreen.vue'),
  },
  {
    path: '/flash',
    name: 'flash',
    meta: { title: 'nav.flash' },
    component: () => import('../screens/FlashScreen.vue'),
  },
  {
    path: '/devices/:id/:tab(live|tools|things|telemetry)?',
    name: 'device',
    meta: { title: 'device.title' },
    component: () => import('../screens/DeviceScreen.vue'),
  },
  {
    path: '/conversations/:turn?',
    name: 'conversations',
    meta: { title: 'nav.conversations' },
    component: () => import('../screens/ConversationsScreen.vue'),
  },
  {
    // Not /tools: that address belongs to boards too (iotta-protocol §4).
    path: '/toolbox',
    name: 'tools',
    meta: { title: 'nav.tools' },
    component: () => import('../screens/ToolsScreen.vue'),
  },
  {
    path: '/toolbox/access',
    name: 'tool-access',
    meta: { title: 'policy.title' },
    component: () => import('../screens/ToolAccessScreen.vue'),
  },
  {
    path: '/toolbox/connections',
    name: 'tool-connections',
    meta: { title: 'mcp.title' },
    component: () => import('../screens/ToolConnectionsScreen.vue'),
  },
  {
    path: '/toolbox/tool/:name',
    name: 'tool',
    meta: { title: 'nav.tools' },
    component: () => import('../screens/ToolEditorScreen.vue'),
  },
  {
    // Not /telemetry: that address belongs to boards (iotta-protocol §1), so a reload would not reach the page.
    path: '/trends',
    name: 'telemetry',
    meta: { title: 'nav.telemetry' },
    component: () => import('../screens/TelemetryScreen.vue'),
  },
  {
    path: '/things',
    name: 'things',
    meta: { title: 'nav.things' },
    component: () => import('../screens/ThingsScreen.vue'),
  },
  {
    path: '/things/:name',
    name: 'thing',
    meta: { title: 'thingEditor.title' },
    component: () => import('../screens/ThingScreen.vue'),
  },
  {
    path: '/uart/:id?',
    name: 'uart',
    meta: { title: 'nav.uart' },
    component: () => import('../screens/UartScreen.vue'),
  },
  {
    path: '/helpers/:tab(alarms|notes|calendar|music|announce)?',
    name: 'helpers',
    meta: { title: 'nav.helpers' },
    component: () => import('../screens/HelpersScreen.vue'),
  },
  {
    path: '/server',
    name: 'server',
    meta: { title: 'nav.server' },
    component: () => import('../screens/ServerScreen.vue'),
  },
  {
    path: '/:rest(.*)*',
    name: 'not-found',
    meta: { title: 'notFound.title' },
    component: () => import('../screens/NotFoundScreen.vue'),
  },
]

/** The first screen is chosen by the server's word: an owner to create, a person to sign in, or the page asked for. */
export function createConsoleRouter(account: ReturnType<typeof useAccountStore>) {
  const router = createRouter({ history: createWebHistory(), routes })

  router.beforeEach(async (to) => {
    const state = account.state ?? (await account.load().catch(() => null))
    // A server that cannot be asked is the banner's matter; the page itself stays.
    if (!state) return true
    if (state.setupNeeded && !state.account) return to.name === 'setup' ? true : { name: 'setup', hash: to.hash }
    if (!state.account)
      return to.name === 'sign-in' ? true : { name: 'sign-in', query: to.fullPath === '/' ? {} : { to: to.fullPath } }
    return to.meta.open ? { name: 'fleet' } : true
  })
  // A page whose code does not come: the address stays where it was, and PageLost.vue says why.
  router.onError((error, to) => {
    const lost = usePageLostStore()
    if (isCodeMissing(error)) lost.miss(to.fullPath)
  })
  router.afterEach((_to, _from, failure) => {
    if (!failure) usePageLostStore().found()
  })
  return router
}

/** What the browsers say of a module that they did not get. */
function isCodeMissing(error: unknown): boolean {
  return error instanceof TypeError && /module|import|fetch|load/i.test(error.message)
}
