import { readFileSync } from 'node:fs'
import { createEvents, type Events, imitate, notImitated } from './imitated.ts'

interface ItemTemplate {
  readonly label?: string
  readonly role?: string
  readonly type?: string
  readonly accelerator?: string
  readonly click?: () => void
  readonly submenu?: readonly ItemTemplate[]
}

/** A menu as the test sees it. */
export interface MenuRow {
  readonly label: string
  readonly role: string
  readonly type: string
  readonly submenu: readonly MenuRow[]
}

const itemNames = new Set(['label', 'role', 'type', 'accelerator', 'click', 'submenu'])
const templates = new WeakMap<object, readonly ItemTemplate[]>()

interface TrayRow {
  readonly image: ImageRow
  toolTip: string
  menu: readonly ItemTemplate[]
  readonly events: Events
}

export const desk = { menu: [] as readonly ItemTemplate[], trays: [] as TrayRow[] }

function buildFromTemplate(template: readonly ItemTemplate[]): object {
  const check = (items: readonly ItemTemplate[]) => {
    for (const item of items) {
      for (const name of Object.keys(item)) if (!itemNames.has(name)) throw notImitated(`the menu option ${name}`)
      if (item.label === undefined && item.role === undefined && item.type === undefined) {
        throw new Error('Invalid template for MenuItem: must have at least one of label, role or type')
      }
      check(item.submenu ?? [])
    }
  }
  check(template)
  const menu = imitate('Menu', {})
  templates.set(menu, template)
  return menu
}

export const Menu = imitate('Menu', {
  buildFromTemplate,
  setApplicationMenu: (menu: object) => void (desk.menu = templates.get(menu) ?? []),
})

export const menuRows = (items: readonly ItemTemplate[]): readonly MenuRow[] =>
  items.map(({ label = '', role = '', type = '', submenu = [] }) => ({ label, role, type, submenu: menuRows(submenu) }))

/** A person clicks an item. Throws when no item with a click of its own has that label. */
export function clickItem(items: readonly ItemTemplate[], label: string): void {
  const flat = (list: readonly ItemTemplate[]): readonly ItemTemplate[] =>
    list.flatMap((item) => [item, ...flat(item.submenu ?? [])])
  const found = flat(items).find((item) => item.label === label && item.click)
  if (!found?.click) throw new Error(`no menu item '${label}'`)
  found.click()
}

interface ImageRow {
  readonly path: string
  readonly width: number
}

const images = new WeakMap<object, ImageRow>()

export const nativeImage = imitate('NativeImage', {
  /** Like Electron's: a file that is no PNG gives an empty image, no error. */
  createFromPath(path: string) {
    const width = pngWidth(path)
    const image = imitate('NativeImage', { isEmpty: () => width === 0 })
    images.set(image, { path, width })
    return image
  },
})

function pngWidth(path: string): number {
  try {
    const bytes = readFileSync(path)
    return bytes.toString('latin1', 1, 4) === 'PNG' ? bytes.readUInt32BE(16) : 0
  } catch {
    return 0
  }
}

export const Tray = imitate(
  'Tray',
  Object.assign(function (image: object) {
    const row = images.get(image)
    if (!row) throw notImitated('a tray from anything but a native image')
    const events = createEvents('Tray', ['click', 'double-click'])
    const tray: TrayRow = { image: row, toolTip: '', menu: [], events }
    desk.trays.push(tray)
    return imitate(
      'Tray',
      {
        ...events.members,
        setToolTip: (text: string) => void (tray.toolTip = text),
        setContextMenu: (menu: object) => void (tray.menu = templates.get(menu) ?? []),
      },
      events,
    )
  }, {}),
)
