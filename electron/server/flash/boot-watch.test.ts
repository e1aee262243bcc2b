import { expect, test } from 'vitest'
import { createBootWatch, judgeBoot } from './boot-watch.ts'
import { createMask } from './secret-mask.ts'

const good = 'ESP-ROM:esp32s3\r\nrst:0x1 (POWERON),boot:0x8 (SPI_FAST_FLASH_BOOT)\r\n'

test('a secret that the board prints is masked, also when it comes in pieces', () => {
  const lines: string[] = []
  const mask = createMask(['hunter2hunter2'])
  const watch = createBootWatch((line) => lines.push(mask.apply(line)))
  watch.push(Buffer.from('I wifi: password hunter2'))
  watch.push(Buffer.from('hunter2 accepted\r\nrest'))
  watch.flush()
  expect(lines).toEqual(['I wifi: password [secret] accepted', 'rest'])
})

test('the boot text tells a running board from a silent, a waiting and a failing one', () => {
  expect(judgeBoot(good)).toBeNull()
  expect(judgeBoot('hello')?.code).toBe('flash-not-rebooted')
  expect(judgeBoot(good.replace('boot:0x8', 'boot:0x0'))?.code).toBe('flash-not-rebooted')
  expect(judgeBoot(`${good}invalid header: 0xffffffff`)?.code).toBe('flash-boot-failed')
  expect(judgeBoot(good.repeat(3))?.code).toBe('flash-boot-failed')
})
