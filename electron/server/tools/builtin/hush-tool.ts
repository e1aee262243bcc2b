import { asTold, type BuiltinTool, describe } from './builtin-tool.ts'
import { told } from './spoken-forms.ts'

/** A bare "stop", offered only while something sounds on the board: else it means the answer that is being spoken. */
export function hushTool(sounding: {
  readonly isSounding: (deviceId: string) => boolean
  readonly hush: (deviceId: string) => Promise<void>
}): BuiltinTool {
  return {
    ...describe({
      name: 'hush',
      description: 'Ends whatever rings or plays on this board now.',
      idempotent: true,
      reply: asTold,
      en: [
        'stop',
        'cancel',
        '(stop it | quiet | be quiet | silence | enough | off | shut up)',
        'thank you i am up',
        'ok stop',
        "(that's enough | that is enough | is enough | that will do)",
      ],
      zh: [
        '(停 | 停止 | 停下 | 停下来 | 停一停)',
        '(安静 | 别响 | 关掉 | 关了)',
        '(够了 | 行了 | 不要了)',
        '(闭嘴 | 别吵)',
        '(取消 | 算了)',
        '(停一下 | 停一停吧)',
      ],
    }),
    isOffered: (deviceId) => sounding.isSounding(deviceId),
    async run(_args, { deviceId }) {
      await sounding.hush(deviceId)
      return told({ en: 'Okay.', zh: '好的。' })
    },
  }
}
