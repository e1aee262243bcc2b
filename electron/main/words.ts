/** The few words that main shows itself; the console has its own language setting. */
const words = {
  en: {
    file: 'File',
    edit: 'Edit',
    view: 'View',
    show: 'Show Roost',
    quit: 'Quit',
    jobsTitle: 'Jobs are running',
    jobsText: 'Quitting parks them; they can be started again afterwards:',
    stay: 'Keep running',
    leave: 'Quit anyway',
    failedTitle: 'The server could not start',
  },
  zh: {
    file: '文件',
    edit: '编辑',
    view: '视图',
    show: '显示 Roost',
    quit: '退出',
    jobsTitle: '有任务正在运行',
    jobsText: '退出会暂停这些任务，之后可以重新开始：',
    stay: '继续运行',
    leave: '仍要退出',
    failedTitle: '服务无法启动',
  },
} as const

export type AppWords = Readonly<Record<keyof (typeof words)['en'], string>>

export function wordsFor(locale: string): AppWords {
  return locale.toLowerCase().startsWith('zh') ? words.zh : words.en
}
