import { expect, test } from 'vitest'
import type { LibraryImage } from '../../electron/contract/rpc.ts'
import { imageRows } from './image-rows.ts'

const image = (id: string, name: string, virtual = false): LibraryImage => ({
  id,
  name,
  virtual,
  addedAt: 1,
  info: {
    sha256: id,
    size: 1,
    kind: 'app',
    chip: 'ESP32-S3',
    chipId: 9,
    flashSize: null,
    flashMode: null,
    minRevision: null,
    maxRevision: null,
    project: null,
    version: null,
    idfVersion: null,
    built: null,
    elfSha256: null,
    partitions: [],
    problems: [],
  },
})

test('the same bytes are one row', () => {
  expect(imageRows([image('a', 'one'), image('b', 'two'), image('a', 'again')]).map((row) => row.name)).toEqual([
    'again',
    'two',
  ])
})

test('an upload of the built-in image never stands in its place', () => {
  const builtIn = image('v', 'built-in', true)

  expect(imageRows([image('v', 'upload'), builtIn])).toEqual([builtIn])
  expect(imageRows([builtIn, image('v', 'upload')])).toEqual([builtIn])
})
