import { computed } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'
import type { Command } from '../components/command-search.ts'
import { useFleetStore } from '../stores/fleet.ts'
import { useFlashStore } from '../stores/flash.ts'
import { useNoticesStore } from '../stores/notices.ts'
import { usePreferencesStore, type Theme } from '../stores/preferences.ts'
import { useServerStore } from '../stores/server.ts'
import { destinations } from './navigation.ts'

// Found in either language whatever the page speaks; fixed words of ux.md F5.
const otherNames: Readonly<Record<string, readonly string[]>> = {
  fleet: ['fleet', 'boards', 'devices', '设备', '板子'],
  flash: ['flash', 'firmware', '烧录', '固件'],
  conversations: ['conversations', 'turns', '会话', '对话'],
  telemetry: ['telemetry', 'metrics', '遥测', '指标'],
  things: ['things', 'thing', 'lamp', 'sensor', '物件', '模拟'],
  uart: ['uart', 'serial', 'bench', 'microcontroller', '串口', '单片机'],
  helpers: ['everyday', 'alarms', 'timers', 'notes', 'calendar', 'music', '日常', '闹钟', '日历', '音乐', '便签'],
  tools: ['tools', 'abilities', '工具', 'gongju'],
  newTool: ['new tool', '新建工具'],
  importTools: ['import tools openapi mcp', '导入工具'],
  access: ['permissions allow classes', '权限 班级'],
  connections: ['mcp servers tokens', '连接 令牌'],
  server: ['server', 'certificate', '本机服务', '证书'],
  try: ['try virtual board', '虚拟板', '试用'],
  copyCa: ['ca fingerprint copy', '证书指纹 复制'],
  keys: ['keyboard shortcuts', '快捷键'],
  language: ['language 语言 中文 english'],
  light: ['theme light', '主题 浅色'],
  dark: ['theme dark', '主题 深色'],
  system: ['theme system', '主题 系统'],
}

type Translate = ReturnType<typeof useI18n>['t']

function themeCommands(t: Translate, choose: (theme: Theme) => void): Command[] {
  return (['light', 'dark', 'system'] as const).map((theme) => ({
    id: `theme-${theme}`,
    title: t('theme.choose', { theme: t(`theme.${theme}`) }),
    hint: t('palette.verb'),
    icon: theme === 'light' ? 'sun' : theme === 'dark' ? 'moon' : 'system',
    words: otherNames[theme] ?? [],
    run: () => choose(theme),
  }))
}

function useVerbs(openSheet: () => void) {
  const { t } = useI18n()
  const router = useRouter()
  const flash = useFlashStore()
  const server = useServerStore()
  const preferences = usePreferencesStore()
  const notices = useNoticesStore()

  async function tryWithoutBoard() {
    await router.push('/fleet')
    await flash.tryWithoutBoard().catch((error: unknown) => notices.failed(t('try.failed'), error))
  }
  async function copyCa() {
    await navigator.clipboard.writeText(server.overview?.caFingerprint ?? '')
    notices.done(t('server.fingerprintCopied'))
  }
  const switchLanguage = () => (preferences.language = preferences.language === 'en' ? 'zh-CN' : 'en')
  const verb = (id: string, title: string, part: Pick<Command, 'icon' | 'run'>): Command => ({
    ...part,
    id,
    title,
    hint: t('palette.verb'),
    words: otherNames[id] ?? [],
  })

  return computed((): Command[] => [
    verb('try', t('try.action'), { icon: 'play', run: () => void tryWithoutBoard() }),
    verb('newTool', t('tools.new'), { icon: 'plus', run: () => void router.push('/toolbox?new=1') }),
    verb('importTools', t('tools.import'), { icon: 'upload', run: () => void router.push('/toolbox?import=1') }),
    verb('access', t('policy.title'), { icon: 'lock', run: () => void router.push('/toolbox/access') }),
    verb('connections', t('mcp.title'), { icon: 'server', run: () => void router.push('/toolbox/connections') }),
    verb('copyCa', t('server.copyFingerprint'), { icon: 'copy', run: () => void copyCa() }),
    verb('keys', t('shortcuts.title'), { icon: 'keyboard', run: openSheet }),
    verb('language', t('app.otherLanguageLabel'), { icon: 'refresh', run: switchLanguage }),
    ...themeCommands(t, (theme) => (preferences.theme = theme)),
  ])
}

/** Objects and verbs for the palette. */
export function useCommands(doings: { readonly openSheet: () => void }) {
  const { t } = useI18n()
  const router = useRouter()
  const fleet = useFleetStore()
  const verbs = useVerbs(doings.openSheet)

  const places = computed((): Command[] =>
    destinations.map((place) => ({
      id: place.name,
      title: t(`nav.${place.name}`),
      hint: t('palette.screen'),
      icon: place.icon,
      words: otherNames[place.name] ?? [],
      run: () => void router.push(place.path),
    })),
  )
  const boards = computed((): Command[] =>
    fleet.devices.map((device) => ({
      id: `device-${device.id.replaceAll(/[^a-z0-9]/gi, '-')}`,
      title: device.name,
      hint: t(`state.${device.state}`),
      icon: 'chip',
      words: [device.id, device.board],
      run: () => void router.push(`/devices/${encodeURIComponent(device.id)}/live`),
    })),
  )

  return computed(() => [...places.value, ...boards.value, ...verbs.value])
}
