import { expect, test } from 'vitest'
import { slidWindow } from './uart-slide.ts'

test('a window that grows at one side is cut at the other, and says when it no longer holds the end', () => {
  expect(slidWindow({ lines: [3, 4], most: 4 }, [1, 2], 'older')).toEqual({ lines: [1, 2, 3, 4], lostNewer: false })
  expect(slidWindow({ lines: [3, 4], most: 3 }, [1, 2], 'older')).toEqual({ lines: [1, 2, 3], lostNewer: true })
  expect(slidWindow({ lines: [3, 4], most: 3 }, [5, 6], 'newer')).toEqual({ lines: [4, 5, 6], lostNewer: false })
})
