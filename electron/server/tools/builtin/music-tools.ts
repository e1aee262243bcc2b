import { asTold, type BuiltinTool, describe, text } from './builtin-tool.ts'
import type { Track } from './music-index.ts'
import type { MusicPlayer } from './music-player.ts'
import { type Spoken, told } from './spoken-forms.ts'

const named = ({ title, artist }: Track): Spoken =>
  artist === '' ? { en: title, zh: title } : { en: `${title} by ${artist}`, zh: `${artist}的${title}` }
const quiet: Spoken = { en: 'No music is playing.', zh: '现在没有播放音乐。' }

export function musicTools(player: MusicPlayer): BuiltinTool[] {
  const step =
    (what: (deviceId: string) => Track | undefined, say: (track: Spoken) => Spoken): BuiltinTool['run'] =>
    async (_args, { deviceId }) => {
      const track = what(deviceId)
      return told(track ? say(named(track)) : quiet)
    }
  return [
    playMusic(player),
    {
      ...described.pause,
      run: step(
        (id) => player.pause(id),
        () => ({ en: 'Paused.', zh: '已暂停。' }),
      ),
    },
    {
      ...described.resume,
      run: step(
        (id) => player.resume(id),
        ({ en, zh }) => ({ en: `Going on with ${en}.`, zh: `继续播放${zh}。` }),
      ),
    },
    {
      ...described.next,
      run: step(
        (id) => player.next(id),
        ({ en, zh }) => ({ en: `Next: ${en}.`, zh: `下一首：${zh}。` }),
      ),
    },
    {
      ...described.stop,
      run: step(
        (id) => {
          const track = player.playingOn(id)
          player.stop(id)
          return track
        },
        () => ({ en: 'The music is off.', zh: '音乐已停止。' }),
      ),
    },
    {
      ...described.what,
      run: step(
        (id) => player.playingOn(id),
        ({ en, zh }) => ({ en: `This is ${en}.`, zh: `正在播放${zh}。` }),
      ),
    },
    {
      ...described.lyric,
      async run(_args, { deviceId }) {
        const line = await player.lyric(deviceId)
        return told(line === undefined ? { en: 'There are no lyrics.', zh: '没有歌词。' } : { en: line, zh: line })
      },
    },
  ]
}

function playMusic(player: MusicPlayer): BuiltinTool {
  return {
    ...describe({
      name: 'play_music',
      description: 'Plays music of the music folder on this board: all of it, or what the query finds (title, artist).',
      takes: { query: { type: 'string', minLength: 1, maxLength: 80 } },
      gives: { title: { type: 'string' } },
      timeoutMs: 10_000,
      reply: { en: 'Playing {spoken_en}.', zh: '播放{spoken_zh}。' },
      en: [
        'play music',
        'play [some] (song | songs | music)',
        'play [some | song | track] {query}',
        '(put on | start) [some] music',
        'play {query} [song | music]',
        'i want to hear {query}',
        'put some music on',
        '(put | turn) music on',
      ],
      zh: [
        '(播放 | 放 | 来点 | 听 | 放点 | 放首 | 唱首 | 来首 | 唱) [一些 | 一首 | 首] (音乐 | 歌 | 歌曲)',
        '(来一首 | 放一首 | 播放一首 | 播放 | 放 | 唱) [歌曲] {query}',
        '(我想听 | 想听 | 听) {query}',
        '(打开 | 开始) [播放] 音乐',
        '播放 {query} 的 (歌 | 歌曲 | 音乐)',
      ],
    }),
    async run(args, { deviceId }) {
      const track = await player.play(deviceId, text(args, 'query') ?? '')
      return { title: track.title, ...told(named(track)) }
    },
  }
}

const described = {
  pause: describe({
    name: 'pause_music',
    description: 'Pauses the music of this board.',
    idempotent: true,
    reply: asTold,
    en: ['pause music', 'pause [song | track | playing | playback]', '(hold | halt) music', 'music pause', 'pause it'],
    zh: [
      '暂停 [播放] [音乐 | 歌曲 | 歌]',
      '(音乐 | 歌) (暂停 | 先停)',
      '把 (音乐 | 歌) 暂停',
      '先 (暂停 | 停) [音乐]',
      '等等再放',
    ],
  }),
  resume: describe({
    name: 'resume_music',
    description: 'Goes on with the music that was paused.',
    idempotent: true,
    reply: asTold,
    en: [
      '(resume | continue) music',
      '(resume | continue) [playing | playback | song]',
      '(go on | keep playing | play on)',
      'unpause [music]',
      'go on with music',
      '(carry on | go on | keep on) with (music | song)',
      'keep music (going | on | playing)',
    ],
    zh: [
      '继续 [播放 | 放] [音乐 | 歌曲 | 歌]',
      '(接着 | 恢复) (放 | 播放) [音乐 | 歌]',
      '(音乐 | 歌) 继续',
      '(取消暂停 | 恢复播放)',
      '接着 (听 | 唱)',
    ],
  }),
  next: describe({
    name: 'next_track',
    description: 'The next track of the music of this board.',
    reply: asTold,
    en: [
      'next (song | track)',
      'skip [song | track | it]',
      '(play | go to) next [song | track | one]',
      '(another | different) (song | track)',
      'skip to next (song | track)',
      'skip [this] one',
      'play (another | different) (song | track | one)',
    ],
    zh: [
      '下一 (首 | 曲 | 个)',
      '(换 | 切) [一] (首 | 歌 | 个) [歌]',
      '(播放 | 放 | 跳到) 下一 (首 | 曲 | 个)',
      '(跳过 | 切歌) [这首] [歌]',
      '换一首 [歌]',
      '下一首 (歌 | 歌曲)',
    ],
  }),
  stop: describe({
    name: 'stop_music',
    description: 'Ends the music of this board.',
    idempotent: true,
    reply: asTold,
    en: [
      'stop music',
      'turn off music',
      '(end | switch off | kill | quit) music',
      'stop (playing | playback | song)',
      'music off',
      '(turn | switch) music off',
      'no more music',
    ],
    zh: [
      '(停止 | 关闭 | 关掉 | 停 | 结束) [播放] (音乐 | 歌曲 | 歌)',
      '(音乐 | 歌) (关掉 | 停 | 停止 | 别放了)',
      '把 (音乐 | 歌) (关掉 | 关了 | 停了 | 停掉)',
      '(别放 | 不要放 | 别唱 | 不听) [音乐 | 歌] 了',
      '停止播放',
    ],
  }),
  what: describe({
    name: 'what_is_playing',
    description: 'Which track plays on this board.',
    danger: 'read',
    reply: asTold,
    en: [
      'what is playing',
      'what song is (it | playing)',
      '(which | what) (song | track | music) is (on | playing | it) [now]',
      'who (sings | is singing) [it]',
      'what is [name of] song [called]',
      '(which | what) song is',
      '(which | what) song is this',
    ],
    zh: [
      '(现在 | 正在) (放 | 播放) [的] [是] (什么 | 哪首 | 什么歌)',
      '这 [是] (什么 | 哪首) (歌 | 歌曲 | 音乐)',
      '这首歌 (叫什么 | 是什么 | 叫什么名字)',
      '(谁唱的 | 这是谁唱的 | 歌手是谁)',
      '在 (放 | 播放) 什么 [歌]',
      '现在 (放 | 播放) 的是 (哪首歌 | 什么歌 | 什么)',
    ],
  }),
  lyric: describe({
    name: 'song_lyric',
    description: 'The line of the lyrics that is sung now.',
    danger: 'read',
    reply: asTold,
    en: [
      'what is (sung | lyric)',
      '(show | tell me | read | what are) lyrics',
      'what (do | did) they sing',
      'lyrics [of song]',
      'what is he singing',
      'what are words (of | to) song',
      '(show | read | tell) me lyrics',
      'read out lyrics',
    ],
    zh: [
      '歌词 [是什么]',
      '(显示 | 念 | 看看 | 告诉我) 歌词',
      '(唱的是什么 | 唱的什么 | 在唱什么)',
      '这句 (歌词 | 唱的) [是什么]',
      '这首歌的歌词',
    ],
  }),
}
