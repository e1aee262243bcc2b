import { useEventListener } from '@vueuse/core'
import { computed, onBeforeUnmount, shallowRef } from 'vue'
import type { ToolDetail } from '../../../electron/contract/tool-registry.ts'
import type { ToolVersion } from '../../../electron/contract/tool.ts'
import { contentOfVersion } from '../../components/tool-content.ts'
import { useAccountStore } from '../../stores/account.ts'
import { useAction } from '../../stores/action.ts'
import { openDraftKeeper } from '../../stores/tools-draft.ts'
import { useToolsStore } from '../../stores/tools.ts'
import { useWhenOnline } from '../../stores/when-online.ts'

/** Made elsewhere from something else: edited there. */
const madeElsewhere = ['thing', 'builtin', 'mcp', 'uart'] as const

function newestOf(detail: ToolDetail | null): ToolVersion | null {
  return detail?.versions.reduce<ToolVersion | null>((a, b) => (a && a.version > b.version ? a : b), null) ?? null
}

/** One tool on the page: what the server knows of it, and this person's draft. */
export function useToolPage(name: string) {
  const tools = useToolsStore()
  const account = useAccountStore()
  const keeper = openDraftKeeper(name)
  const detail = shallowRef<ToolDetail | null>(null)

  const newest = computed(() => newestOf(detail.value))
  const load = useAction(async () => {
    const found = await tools.detail(name)
    const first = detail.value === null
    detail.value = found
    if (!first && keeper.content.value) {
      // The draft on the page stays; only what is around it is new.
      await keeper.look()
      return
    }
    const mine = found.drafts.find((draft) => draft.author === account.account?.name) ?? null
    const last = newestOf(found)
    const published = last ? contentOfVersion(last) : null
    const draft = mine ?? (published ? null : await tools.openDraft(name))
    const start = published ?? draft?.content
    if (start) keeper.load(draft, start)
  })
  useWhenOnline(load.run)
  onBeforeUnmount(tools.onChange(() => detail.value !== null && void load.run()))

  // The text is in the browser's storage already; this only brings it to the server sooner (ux.md G27).
  useEventListener(window, 'pagehide', () => void keeper.flush())
  useEventListener(document, 'visibilitychange', () => document.hidden && void keeper.flush())
  onBeforeUnmount(() => void keeper.flush())

  const origin = computed(() => newest.value?.origin ?? 'person')
  const fixedBy = computed(() => madeElsewhere.find((one) => one === origin.value) ?? null)
  const nextVersion = computed(() => (newest.value?.version ?? 0) + 1)
  return { name, tools, keeper, detail, newest, load, fixedBy, nextVersion }
}

export type ToolPageState = ReturnType<typeof useToolPage>
